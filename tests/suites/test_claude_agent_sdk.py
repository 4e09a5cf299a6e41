"""The Claude Agent SDK itself: its tests of stores, and its agents with a model that follows a
script. The program that it brings runs as it is, and reaches nothing but this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import pytest
from claude_agent_sdk import (
    AgentDefinition,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    ResultMessage,
    delete_session_via_store,
    fork_session_via_store,
    get_session_messages_from_store,
    list_sessions_from_store,
    list_subagents_from_store,
    query,
)
from claude_agent_sdk.testing import run_session_store_conformance

from language_servers import streamed, text_answer, uses
from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.integrations.claude_hooks import memoranda_hooks
from memoranda.integrations.claude_sessions import MemorandaSessionStore
from memoranda.memories.memory_service import NewMemory
from memoranda.observations.model import Origin
from postgres_stores import EmptyStores
from scripted_servers import ScriptedServer
from servers import PostgresServer

EXAMPLE = Path(__file__).parents[2] / "examples" / "claude-agent-sdk" / "helper.py"
RULE = "Totals are never rounded before the sum."
SPACES = count()


class Model(ScriptedServer):
    """Answers by its script, and shortly when that has ended."""

    def _serve(self, handler: Any) -> None:
        if not self.answers:
            self.answers.append(streamed(text_answer("ok")))
        super()._serve(handler)

    def asked(self) -> list[str]:
        """Return the conversation of each request, as text."""
        return [json.dumps(one.body.get("messages")) for one in self.requests]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope="module")
def stores() -> Iterator[EmptyStores]:
    server = PostgresServer()
    found = EmptyStores(server)
    yield found
    found.close()
    server.close()


@pytest.fixture(params=["sqlite", "postgres"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memoranda]:
    arguments = {"data_dir": tmp_path / "data", "embedder": "none"}
    if request.param == "sqlite":
        with Memoranda.open(settings=load_settings(arguments, {})) as opened:
            yield opened
        return
    found: EmptyStores = request.getfixturevalue("stores")
    try:
        with Memoranda.open(
            settings=load_settings(arguments | {"database_url": found.url}, {})
        ) as it:
            yield it
    finally:
        found.empty()


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Moves to a machine on which Claude Code never ran."""
    before = os.environ.get("CLAUDE_CONFIG_DIR")

    def move(name: str) -> None:
        os.environ["CLAUDE_CONFIG_DIR"] = str(tmp_path / name)

    move("here")
    yield move
    os.environ.pop("CLAUDE_CONFIG_DIR")
    if before:
        os.environ["CLAUDE_CONFIG_DIR"] = before


def _environment(model: Model) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": model.url.removesuffix("/v1"),
        "ANTHROPIC_API_KEY": "key",
        "CLAUDE_CONFIG_DIR": os.environ["CLAUDE_CONFIG_DIR"],
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def _options(model: Model, work: Path, **more: Any) -> ClaudeAgentOptions:
    usual: dict[str, Any] = {"allowed_tools": ["Bash", "Task"], "setting_sources": []}
    return ClaudeAgentOptions(cwd=work, env=_environment(model), **(usual | more))


async def _ended(messages: AsyncIterator[Any]) -> ResultMessage:
    ended = [one async for one in messages if isinstance(one, ResultMessage)]
    assert not ended[-1].is_error
    return ended[-1]


def _ran(prompt: str, options: ClaudeAgentOptions) -> ResultMessage:
    async def story() -> ResultMessage:
        return await _ended(query(prompt=prompt, options=options))

    return anyio.run(story)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_conformance_suite_of_the_sdk_passes(memory: Memoranda, backend: str) -> None:
    made: list[MemorandaSessionStore] = []

    def make() -> Any:
        made.append(MemorandaSessionStore(memory, space=f"claude {next(SPACES)}"))
        return made[-1]

    async def story() -> None:
        await run_session_store_conformance(make)

    anyio.run(story, backend=backend)
    assert len(made) >= 14  # a store for each contract: none was left out


def test_an_agent_is_recorded_gets_a_context_and_continues_elsewhere(
    memory: Memoranda, work: Path, elsewhere: Callable[[str], None]
) -> None:
    memory.remember(NewMemory(RULE, critical=True), workspace="shop")
    store: Any = MemorandaSessionStore(memory)
    call = uses("Bash", "toolu_1", command="echo 41.70; false", description="total")
    script = [streamed(text_answer("I look."), call), streamed(text_answer("It is 41.70."))]
    with Model(*script) as model:
        hooks = memoranda_hooks(memory, workspace="shop")
        options = _options(model, work, hooks=hooks, session_store=store)
        first = _ran("What is the total?", options)
        assert first.result == "It is 41.70."
        assert all(one.count(RULE) == 1 for one in model.asked())
        assert "<memoranda-context " in model.asked()[0]
    (task,) = memory.tasks.list(workspace="shop")
    assert (task.host, task.session, task.goal) == (
        "claude-code", first.session_id, "What is the total?",
    )  # fmt: skip
    found = [(one.origin, memory.observations.show(one.id).content) for one in _seen(memory)]
    assert [origin for origin, _ in found] == [Origin.HUMAN, Origin.TOOL, Origin.AGENT]
    assert [text.splitlines()[0] for _, text in found] == [
        "What is the total?", "$ echo 41.70; false", "It is 41.70.",
    ]  # fmt: skip

    elsewhere("there")
    with Model(streamed(text_answer("As I said: 41.70."))) as model:
        hooks = memoranda_hooks(memory, workspace="shop")
        more = {"hooks": hooks, "session_store": store, "resume": first.session_id}
        assert _ran("Again, please", _options(model, work, **more)).result == "As I said: 41.70."
        assert "What is the total?" in model.asked()[0]
        assert "41.70" in model.asked()[0]
        assert model.asked()[0].count(RULE) == 1  # the host replays it
    assert [one.session for one in memory.tasks.list()] == [first.session_id]
    assert len(_seen(memory)) == 5


def _seen(memory: Memoranda) -> list[Any]:
    return sorted(memory.observations.list(limit=100), key=lambda one: one.sequence)


def test_the_transcript_of_what_was_recorded_adds_what_hooks_do_not_see(
    memory: Memoranda, work: Path, tmp_path: Path, elsewhere: Callable[[str], None]
) -> None:
    call = uses("Bash", "toolu_1", command="echo 41.70", description="total")
    with Model(
        streamed(text_answer("I look."), call), streamed(text_answer("It is 41.70."))
    ) as model:
        _ran("What is the total?", _options(model, work, hooks=memoranda_hooks(memory)))
    before = {one.content_hash for one in _seen(memory)}
    (transcript,) = (tmp_path / "here" / "projects").glob("*/*.jsonl")
    memory.capture.import_transcript(transcript)
    new = [one for one in _seen(memory) if one.content_hash not in before]
    assert [memory.observations.show(one.id).content for one in new] == ["I look."]
    assert len(_seen(memory)) == len(before) + 1
    assert len(memory.tasks.list()) == 1


def test_a_compacted_session_gets_a_context_again_and_a_subagent_has_its_name(
    memory: Memoranda, work: Path, elsewhere: Callable[[str], None]
) -> None:
    memory.remember(NewMemory(RULE, critical=True), workspace="shop")
    store: Any = MemorandaSessionStore(memory)
    task = uses(
        "Task", "toolu_t", description="look", prompt="Look there.", subagent_type="looker",
        run_in_background=False,
    )  # fmt: skip
    look = uses("Bash", "toolu_s", command="echo found it", description="look")
    agents = {"looker": AgentDefinition(description="looks", prompt="Look.", tools=["Bash"])}
    keys: list[Any] = []

    async def story(model: Model) -> None:
        hooks = memoranda_hooks(memory, workspace="shop")
        more = {"hooks": hooks, "session_store": store, "agents": agents}
        async with ClaudeSDKClient(_options(model, work, **more)) as client:
            for said_now in ("Find it", "/compact", "And now?"):
                await client.query(said_now)
                ended = await _ended(client.receive_response())
            keys.append(ended.session_id)

    script = (
        streamed(task),
        streamed(look),
        streamed(text_answer("There.")),
        streamed(text_answer("Found.")),
    )
    with Model(*script) as model:
        anyio.run(story, model)
        result = model.asked()[-1]
        assert result.count(RULE) == 1
        assert "Look there." not in result  # that was compacted
        assert "Find it (task 1)" in result  # and what it was about comes from memory
    assert "ended: ok" not in str(_seen(memory))  # what Claude Code compacts with is no subagent
    agents_of = {one.agent for one in _seen(memory) if one.tool == "Bash"}
    assert len(agents_of) == 1
    assert agents_of.pop().startswith("looker")
    assert [one.session for one in memory.tasks.list()] == keys


def test_the_sdk_reads_what_it_wrote(
    memory: Memoranda, work: Path, elsewhere: Callable[[str], None]
) -> None:
    store: Any = MemorandaSessionStore(memory)
    with Model(streamed(text_answer("Hello Ada."))) as model:
        session = _ran("I am Ada", _options(model, work, session_store=store)).session_id

    async def story() -> None:
        (listed,) = await list_sessions_from_store(store, directory=str(work))
        assert (listed.session_id, listed.first_prompt) == (session, "I am Ada")
        there = {"session_store": store, "session_id": session, "directory": str(work)}
        types = [one.type for one in await get_session_messages_from_store(**there)]
        assert types == ["user", "assistant"]
        assert await list_subagents_from_store(**there) == []
        forked = await fork_session_via_store(**there)
        assert len(await list_sessions_from_store(store, directory=str(work))) == 2
        for one in (session, forked.session_id):
            await delete_session_via_store(**(there | {"session_id": one}))
        assert await list_sessions_from_store(store, directory=str(work)) == []

    anyio.run(story)


def test_an_agent_goes_on_when_its_memory_fails_and_hooks_of_ones_own_run(
    tmp_path: Path, work: Path, elsewhere: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    memory = Memoranda.open(tmp_path / "data")
    memory.close()
    seen: list[str] = []

    async def mine(value: Any, *_: Any) -> Any:
        seen.append(value["hook_event_name"])
        return {}

    hooks = memoranda_hooks(memory, workspace="shop")
    hooks["Stop"].append(HookMatcher(hooks=[mine]))
    hooks["PreToolUse"] = [HookMatcher(matcher="Bash", hooks=[mine])]
    call = uses("Bash", "toolu_1", command="echo 1", description="x")
    with Model(streamed(call), streamed(text_answer("Done."))) as model:
        store: Any = MemorandaSessionStore(memory)
        options = _options(model, work, hooks=hooks, session_store=store)
        assert _ran("Do it", options).result == "Done."
    assert seen == ["PreToolUse", "Stop"]
    assert sum(one.getMessage().startswith("could not keep") for one in caplog.records) == 3


def test_the_example_works_as_documented(
    tmp_path: Path, work: Path, elsewhere: Callable[[str], None]
) -> None:
    def helper(model: Model, *words: str) -> str:
        plain = {key: value for key, value in os.environ.items() if "MEMORANDA" not in key}
        ours = {"MEMORANDA_DATA_DIR": str(tmp_path / "data"), "MEMORANDA_EMBEDDER": "none"}
        done = subprocess.run(
            [sys.executable, str(EXAMPLE), *words],
            cwd=work,
            env=plain | ours | _environment(model),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    call = uses("Bash", "toolu_1", command="echo 1 failed", description="test")
    with Model(
        streamed(call), streamed(text_answer("One fails.")), streamed(text_answer("Mended."))
    ) as model:
        assert helper(model, "Which test fails?") == "One fails.\n"
        elsewhere("there")
        assert helper(model, "--continue", "Then mend it.") == "Mended.\n"
        assert "Which test fails?" in model.asked()[-1]
    with Memoranda.open(tmp_path / "data") as memory:
        (task,) = memory.tasks.list(workspace="shop")
        assert task.observations == 5
