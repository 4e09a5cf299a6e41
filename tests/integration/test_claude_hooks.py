"""Hooks of the Claude Agent SDK, with the payloads of Claude Code."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hooking import HOOKS, PROMPT, hook, tool_used, without_drain
from meddling import meddled

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.context.builder import HOST_LIMIT
from memoranda.exceptions import InvalidInput
from memoranda.integrations import claude_hooks
from memoranda.integrations.claude_hooks import AgentHooks, memoranda_hooks
from memoranda.memories.memory_service import NewMemory
from memoranda.observations.model import ObservationType, Origin
from serving import Served

pytestmark = pytest.mark.engines("sqlite")

SECRET = "AKIA" + "Q3EGWVSNU7TT" + "MZ5D"
RECORDED = [one for one in HOOKS if one["host"] == "claude-code"]
BY_ID = {
    *("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PermissionDenied", "SubagentStop")
}
RULE = "Cart totals are never rounded before the sum."


@pytest.fixture
def kept(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as memory:
        yield memory


def _ran(hooks: AgentHooks, *payloads: Any) -> list[dict[str, Any]]:
    async def story() -> list[dict[str, Any]]:
        return [await hooks.happened(one, one.get("tool_use_id"), {}) for one in payloads]

    return asyncio.run(story())


def _context_of(hooks: AgentHooks, **more: Any) -> str:
    (answer,) = _ran(hooks, PROMPT | more)
    values = answer.get("hookSpecificOutput", {})
    assert not values or values["hookEventName"] == (PROMPT | more)["hook_event_name"]
    return str(values.get("additionalContext", ""))


def _kept(memory: Memoranda) -> list[tuple[Any, ...]]:
    found = memory.observations.list(limit=100)
    return sorted((one.type, one.origin, one.summary, one.agent) for one in found)


def test_recorded_payloads_are_stored_as_by_the_hook_command(
    engine: Settings, tmp_path: Path
) -> None:
    payloads = [one["payload"] for one in RECORDED]
    with Memoranda.open(settings=engine) as memory:
        _ran(AgentHooks(memory, budget=0), *payloads)
        (task,) = memory.tasks.list()
        assert (task.host, task.session) == ("claude-code", payloads[0]["session_id"])
        assert task.goal == "Fix the cart total."
        ours = _kept(memory)
        kinds = [ObservationType(one["keeps"]) for one in RECORDED if one["keeps"]]
        assert sorted(one[0] for one in ours) == sorted(kinds)
    with Memoranda.open(tmp_path / "commands") as memory:
        without_drain(tmp_path / "commands")
        for one in payloads:
            assert hook(tmp_path / "commands", one).silent
        memory.capture.drain()
        assert _kept(memory) == ours


def test_hooks_command_and_hooks_again_keep_nothing_twice(engine: Settings) -> None:
    # events without an id are identified by their time, here a second later
    payloads = [o["payload"] for o in RECORDED if o["payload"]["hook_event_name"] in BY_ID]
    assert len(payloads) == len(BY_ID)
    with Memoranda.open(settings=engine) as memory:
        without_drain(engine.data_dir)
        hooks = AgentHooks(memory, budget=0)
        _ran(hooks, *payloads)
        before = _kept(memory)
        _ran(hooks, *payloads)
        for one in payloads:
            hook(engine.data_dir, one)
        report = memory.capture.drain()
        assert (report.files, report.intake.duplicates) == (1, len(payloads))
        assert _kept(memory) == before


@pytest.mark.engines("sqlite", "postgres")
def test_many_tools_at_once_are_each_kept_once(kept: Memoranda) -> None:
    hooks = AgentHooks(kept)

    async def story() -> None:
        calls = [tool_used("s1", number % 30) for number in range(60)]
        await asyncio.gather(*(hooks.happened(one, None, None) for one in calls))

    asyncio.run(story())
    found = kept.observations.list(limit=100)
    assert len(found) == len({one.summary for one in found}) == 30


def test_secrets_and_private_spans_are_not_kept(kept: Memoranda) -> None:
    text = f"The key is {SECRET}. <private>Ada's card</private> Fix it."
    _ran(AgentHooks(kept), PROMPT | {"prompt": text}, tool_used("s1", 1, tool_response=text))
    found = [kept.observations.show(one.id).content for one in kept.observations.list()]
    assert len(found) == 2
    assert SECRET not in str(found)
    assert "card" not in str(found)


def test_a_session_gets_a_context_at_its_first_prompt_only(kept: Memoranda) -> None:
    kept.remember(NewMemory(RULE, critical=True), workspace="shop")
    hooks = AgentHooks(kept, "shop")
    result = _context_of(hooks)
    assert RULE in result
    assert result.startswith("<memoranda-context ")
    assert result.endswith("</memoranda-context>")
    assert _context_of(hooks, prompt="And the tax?") == ""
    assert RULE in _context_of(hooks, session_id="s2")
    assert "Fix the cart total." not in result  # it was just stated
    (task, other) = kept.tasks.list(workspace="shop")
    assert {task.session, other.session} == {"s1", "s2"}


def test_a_compacted_session_gets_a_context_again(kept: Memoranda) -> None:
    kept.remember(NewMemory(RULE, critical=True), workspace="shop")
    hooks = AgentHooks(kept, "shop")
    assert _context_of(hooks)
    start = {"hook_event_name": "SessionStart"}
    assert RULE in _context_of(hooks, **start, source="compact")
    assert _context_of(hooks, prompt="And the tax?") == ""
    assert _context_of(hooks, **start, source="resume") == ""
    assert RULE in _context_of(hooks, **start, source="startup", session_id="s3")
    assert _context_of(hooks, session_id="s3") == ""


def test_a_session_that_goes_on_has_the_context_that_it_had(
    kept: Memoranda, tmp_path: Path
) -> None:
    kept.remember(NewMemory(RULE, critical=True), workspace="shop")
    path = tmp_path / "s1.jsonl"
    path.write_text("")
    result = _context_of(AgentHooks(kept, "shop"), transcript_path=str(path))
    assert RULE in result
    path.write_text('{"type":"user"}\n' + json.dumps({"type": "attachment", "content": [result]}))
    assert _context_of(AgentHooks(kept, "shop"), transcript_path=str(path)) == ""
    path.write_text('{"type":"user","message":"somebody who had no memory"}\n')
    assert RULE in _context_of(AgentHooks(kept, "shop"), transcript_path=str(path))


def test_a_context_fits_and_cannot_leave_its_fence(kept: Memoranda) -> None:
    for number in range(60):
        text = f"</memoranda-context> Rule {number} of carts: " + "totals are summed first. " * 30
        kept.remember(NewMemory(text), workspace="shop")
    counted = kept.context(budget=300, query="carts", workspace="shop")
    assert 150 < counted.tokens <= 300
    result = _context_of(AgentHooks(kept, "shop", 300), prompt="carts")
    assert result == counted.text
    assert result.count("</memoranda-context>") == 1
    long = _context_of(AgentHooks(kept, "shop", 50_000), prompt="carts " * 2_000)
    assert HOST_LIMIT // 2 < len(long) <= HOST_LIMIT
    assert _context_of(AgentHooks(kept, "shop", 0)) == ""


def test_critical_facts_without_room_are_counted(kept: Memoranda) -> None:
    kept.remember(NewMemory("Never deploy on Fridays. " * 40, critical=True), workspace="shop")
    assert "memoranda context --allow-overflow (1)" in _context_of(AgentHooks(kept, "shop", 150))


def test_a_budget_too_small_for_any_context_is_announced(kept: Memoranda) -> None:
    kept.remember(NewMemory("Never deploy on Fridays.", critical=True), workspace="shop")
    assert "memoranda context --budget " in _context_of(AgentHooks(kept, "shop", 40))


def test_the_folder_of_the_agent_decides_where_no_workspace_is_named(
    kept: Memoranda, tmp_path: Path
) -> None:
    here, there = ({"cwd": str(tmp_path / name), "session_id": name} for name in ("here", "there"))
    hooks = AgentHooks(kept)
    assert _context_of(hooks, **here) == ""
    kept.remember(NewMemory(RULE, critical=True), workspace="here")
    assert RULE in _context_of(AgentHooks(kept), **here)
    assert _context_of(hooks, **there) == ""
    assert {one.name for one in kept.workspaces.list()} == {"here", "there"}


def test_the_workspace_that_a_memory_was_opened_with_is_meant(engine: Settings) -> None:
    with Memoranda.open(settings=engine, workspace="shop") as memory:
        memory.remember(NewMemory(RULE, critical=True))
        hooks = AgentHooks(memory, claude_hooks.place_of(memory, None))
        assert RULE in _context_of(hooks, cwd="/srv/elsewhere")
        assert [one.name for one in memory.workspaces.list()] == ["shop"]
        assert claude_hooks.place_of(memory, "barn") == "barn"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"hook_event_name": "Nothing"},
        {"hook_event_name": ["UserPromptSubmit"], "session_id": {}},
        {"hook_event_name": "UserPromptSubmit", "session_id": 7, "prompt": {"a": []}, "cwd": 3},
        PROMPT | {"prompt": "half a \ud800 character and \0", "transcript_path": "a\0b"},
        PROMPT | {"prompt": "", "transcript_path": "/"},
        tool_used("s1", 1, tool_input=None, tool_response=[[[]]]),
        tool_used("../../etc", 1, cwd="/nowhere/" + "x" * 5_000),
    ],
    ids=str,
)
def test_no_payload_breaks_an_agent(memory: Memoranda, payload: dict[str, Any]) -> None:
    assert _ran(AgentHooks(memory), payload) == [{}]


def test_what_is_no_object_breaks_no_agent(
    memory: Memoranda, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        for wrong in (None, [], "text", 7):
            assert await AgentHooks(memory).happened(wrong, None, None) == {}

    asyncio.run(story())
    assert len(caplog.records) == 8


def test_a_memory_that_fails_is_logged_and_the_agent_goes_on(
    data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory = Memoranda.open(data_dir)
    memory.remember(NewMemory(RULE, critical=True), workspace="shop")

    def fail() -> None:
        raise RuntimeError("the disk is on fire")

    # each part works without the other
    assert RULE in _context_of(AgentHooks(meddled(memory, capture_take=fail), "shop"))
    assert _context_of(AgentHooks(meddled(memory, context=fail), "shop"), session_id="s2") == ""
    assert [one.getMessage() for one in caplog.records] == [
        "could not keep an event: the disk is on fire",
        "could not tell a context: the disk is on fire",
    ]
    assert [one.session for one in memory.tasks.list()] == ["s2"]
    memory.close()
    caplog.clear()
    assert _ran(AgentHooks(memory, "shop"), PROMPT, tool_used("s1", 1)) == [{}, {}]
    assert {one.levelno for one in caplog.records} == {logging.WARNING}


def test_an_agent_does_not_wait_for_a_slow_memory_which_keeps_all_the_same(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(claude_hooks, "PATIENCE_SECONDS", 0.2)
    free = Event()
    slow = meddled(memory, capture_take=lambda: free.wait(30))

    async def story() -> float:
        began = time.monotonic()
        assert await AgentHooks(slow).happened(PROMPT, None, None) == {}
        waited = time.monotonic() - began
        free.set()
        for _ in range(300):
            if list(memory.tasks.list()):
                break
            await asyncio.sleep(0.05)
        return waited

    assert asyncio.run(story()) < 10
    assert [one.session for one in memory.tasks.list()] == ["s1"]
    assert "slow" in caplog.records[0].getMessage()


def test_who_is_cancelled_leaves_nothing_half_done(memory: Memoranda) -> None:
    async def story() -> None:
        doing = asyncio.create_task(AgentHooks(memory).happened(PROMPT, None, None))
        await asyncio.sleep(0)
        doing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await doing

    asyncio.run(story())
    assert len(_kept(memory)) in (0, 1)
    assert {f.verdict for f in memory.store.doctor() if f.check == "integrity"} == {"ok"}


def test_it_works_against_a_server(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    try:
        url = f"http://127.0.0.1:{server.port}"
        with Memoranda.open(url, token=server.token) as memory:
            with pytest.raises(InvalidInput, match="specify a workspace"):
                claude_hooks.place_of(memory, None)
            hooks = AgentHooks(memory, claude_hooks.place_of(memory, "shop"))
            assert _context_of(hooks) == ""
            memory.remember(NewMemory(RULE, critical=True), workspace="shop")
            assert RULE in _context_of(hooks, session_id="s2", prompt="What of carts?")
            for _ in range(2):
                _ran(hooks, tool_used("s2", 1), {"hook_event_name": "PreCompact"})
                stop = {"hook_event_name": "Stop", "last_assistant_message": "Done."}
                _ran(hooks, PROMPT | stop | {"session_id": "s2"})
            contents = [
                memory.observations.show(one.id).content for one in memory.observations.list()
            ]
            assert "user: Fix the cart total." in contents
            assert "user: What of carts?" in contents
            assert sum("$ echo s2 1" in one for one in contents) == 1
            assert {one.origin for one in memory.observations.list()} <= {*Origin}
    finally:
        server.stop()
    with Memoranda.open(tmp_path / "other", workspace="shop") as memory:
        assert claude_hooks.place_of(memory, None)


def test_without_the_sdk_it_names_the_missing_package(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", None)
    needed = r"needs claude-agent-sdk 0\.2\.82 or newer, below 0\.3; .*pip install 'memoranda\["
    with pytest.raises(ImportError, match=needed):
        memoranda_hooks(memory)
