"""The memory block of LlamaIndex, within its own memory."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory

from memoranda import Memoranda
from memoranda.integrations.llama_index import MemorandaMemoryBlock
from trying import tried

SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"


def _talk(block: MemorandaMemoryBlock) -> Memory:
    return Memory.from_defaults(
        session_id="s", token_limit=120, token_flush_size=40, chat_history_token_ratio=0.5,
        memory_blocks=[block],
    )  # fmt: skip


def test_messages_beyond_the_short_term_memory_are_returned(memory: Memoranda) -> None:
    talk = _talk(MemorandaMemoryBlock(memory, workspace="shop"))

    async def work() -> str:
        await talk.aput(ChatMessage(role="user", content="My parcels go to Porto. " + SECRET))
        for number in range(12):
            await talk.aput(ChatMessage(role="user", content=f"And then step {number} " * 8))
            await talk.aput(ChatMessage(role="assistant", content=f"Done {number}. " * 8))
        await talk.aput(ChatMessage(role="user", content="Where do my parcels go to?"))
        return "\n".join(str(one.content) for one in await talk.aget())

    result = asyncio.run(work())
    assert "Porto" in result
    assert SECRET not in result
    assert [task.session for task in memory.tasks.list(workspace="shop")] != []


def test_it_respects_its_budget_and_includes_every_critical_memory(memory: Memoranda) -> None:
    from memoranda.memories.memory_service import NewMemory

    fact = "Never edit tariffs.csv by hand."
    memory.remember(NewMemory(fact, critical=True), workspace="shop")
    block = MemorandaMemoryBlock(memory, workspace="shop", budget=300)
    for number in range(20):
        message = ChatMessage(role="user", content=f"tariffs step {number} " * 30)
        asyncio.run(block.aput([message], session_id="s"))
    history = [ChatMessage(role="user", content="tariffs?")]
    result = asyncio.run(block.aget(history))
    assert fact in result
    context = memory.context(query="tariffs?", workspace="shop", budget=300)
    assert context.tokens <= 300
    assert asyncio.run(block.atruncate(result, 1)) is None


def test_an_empty_workspace_returns_nothing(memory: Memoranda) -> None:
    block = MemorandaMemoryBlock(memory, workspace="none")
    assert asyncio.run(block.aget()) == ""
    asyncio.run(block.aput([ChatMessage(role="assistant", content="  ")]))
    assert list(memory.tasks.list()) == []


def test_odd_sessions_are_tasks_of_their_own(memory: Memoranda) -> None:
    block = MemorandaMemoryBlock(memory, workspace="../shop")
    for id in ("..", "../..", "a.b", "*"):
        asyncio.run(block.aput([ChatMessage(role="user", content=f"I am {id}")], session_id=id))
    assert len(list(memory.tasks.list(workspace="../shop"))) == 4


def test_its_example_works_as_documented(capfd: Any) -> None:
    result, requests = tried("llama-index", capfd)
    assert result == ["Noted.", "To Porto."]
    assert "Porto" in str(requests[1].body["messages"])
    assert len(requests[1].body["messages"]) == 2
