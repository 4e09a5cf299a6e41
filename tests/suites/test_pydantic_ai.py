"""The memory tool within pydantic-ai, as docs/anthropic-memory-tool.md shows it."""

from __future__ import annotations

import os
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import NativeTool
from pydantic_ai.native_tools import MemoryTool as NativeMemoryTool

from language_servers import message, text_answer
from memoranda import Memoranda
from memoranda.integrations.anthropic_memory import MemoryTool
from scripted_servers import Answer, ScriptedServer
from trying import tried


def _uses(id: str, **command: object) -> Answer:
    part = {"type": "tool_use", "id": id, "name": "memory", "input": command}
    return Answer(200, message(part, stop_reason="tool_use"))


def test_an_agent_stores_notes(memory: Memoranda, monkeypatch: Any) -> None:
    script = (
        _uses("t1", command="create", path="/memories/a.md", file_text="Likes tea.\n"),
        _uses("t2", command="view", path="/memories"),
        Answer(200, message(text_answer("Noted."))),
    )
    with ScriptedServer(*script) as server:
        monkeypatch.setitem(os.environ, "ANTHROPIC_BASE_URL", server.url.removesuffix("/v1"))
        monkeypatch.setitem(os.environ, "ANTHROPIC_API_KEY", "key")
        tool = MemoryTool(memory, workspace="notes")
        agent = Agent(
            "anthropic:claude-sonnet-5-5",
            model_settings={"max_tokens": 1_024},
            capabilities=[NativeTool(NativeMemoryTool())],
        )

        @agent.tool_plain(name="memory")
        def _remember(**command: Any) -> Any:
            return tool.call(command)

        assert agent.run_sync("I like tea").output == "Noted."
        tools = [one for one in server.requests[0].body["tools"] if one["name"] == "memory"]
        assert tools[0]["type"] == "memory_20250818"
        assert memory.blocks.show("/memories/a.md", workspace="notes").value == "Likes tea.\n"
        assert "/memories/a.md" in str(server.requests[2].body["messages"][-1])


def test_its_example_works_as_documented(capfd: Any) -> None:
    result, requests = tried("pydantic-ai", capfd)
    assert result == ["Noted: tea.", "You like tea."]
    assert "Likes tea." in str(requests[4].body["messages"][-1])
