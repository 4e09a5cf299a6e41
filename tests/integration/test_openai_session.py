"""Sessions of the OpenAI Agents SDK behave like its SQLite session."""

from __future__ import annotations

import asyncio
import base64
import random
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, SQLiteSession
from agents.memory import OpenAIResponsesCompactionSession, Session, SessionSettings
from agents.testing import ModelStep, ScriptedModel, assistant_message
from happenings import environment, finish, start
from hypothesis import HealthCheck, given, settings, strategies as st
from meddling import meddled

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.documents.model import VALUE_BYTES, NewDocument
from memoranda.exceptions import CorruptData, InvalidInput
from memoranda.integrations.openai_session import SPACE, MemorandaSession
from memoranda.json_data import dump_json
from serving import Served

pytestmark = pytest.mark.engines("sqlite")

SECRET = "AKIA" + "Q3EGWVSNU7TT" + "MZ5D"
QUIET = RunConfig(tracing_disabled=True)
NUMBERS = count()


@pytest.fixture
def kept(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as memory:
        yield memory


def _outputs(*texts: object) -> list[Any]:
    return [{"role": "user", "content": str(text)} for text in texts]


def _texts(items: list[Any]) -> list[str]:
    return [one["content"] for one in items]


def _did(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def _all(session: MemorandaSession) -> list[str]:
    return _texts(_did(session.get_items(-1)))


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
items = st.dictionaries(st.sampled_from(["role", "content", "type", "id", "n"]), texts | st.none())
steps = st.one_of(
    st.tuples(st.just("add_items"), st.lists(items, max_size=4)),
    st.tuples(st.just("get_items"), st.none() | st.integers(-1, 5)),
    st.tuples(st.sampled_from(["pop_item", "clear_session"])),
)


@given(script=st.lists(steps, max_size=14), limit=st.none() | st.integers(0, 4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_returns_the_same_as_the_session_over_sqlite(
    memory: Memoranda, script: list[tuple[Any, ...]], limit: int | None
) -> None:
    async def story() -> None:
        theirs = SQLiteSession("one", session_settings=SessionSettings(limit=limit))
        name = f"run {next(NUMBERS)}"
        ours = MemorandaSession(name, memory, session_settings=SessionSettings(limit=limit))
        try:
            for what, *words in [*script, ("get_items",), ("get_items", -1)]:
                expected = await getattr(theirs, what)(*words)
                assert await getattr(ours, what)(*words) == expected, what
        finally:
            theirs.close()

    _did(story())


def test_it_is_a_session_and_reads_as_many_as_its_settings_say(kept: Memoranda) -> None:
    session = MemorandaSession("ada", kept, session_settings={"limit": 2})
    assert isinstance(session, Session)
    assert (session.session_id, session.session_settings) == ("ada", SessionSettings(limit=2))
    assert MemorandaSession("ada", kept).session_settings == SessionSettings()
    _did(session.add_items(_outputs(*range(250))))
    assert _texts(_did(session.get_items())) == ["248", "249"]
    assert _texts(_did(session.get_items(120))) == [str(one) for one in range(130, 250)]
    session.session_settings = None
    assert len(_did(session.get_items())) == 250


def test_an_agent_goes_on_in_another_process(engine: Settings) -> None:
    model = ScriptedModel([[assistant_message("Noted.")], [assistant_message("Oolong.")]])
    agent = Agent("waiter", model=model)
    for messages, reported in (("I like oolong", "Noted."), ("What do I drink?", "Oolong.")):
        with Memoranda.open(settings=engine, workspace="shop") as memory:
            session = MemorandaSession("ada/1", memory)
            done = _did(Runner.run(agent, messages, session=session, run_config=QUIET))
            assert done.final_output == reported
    requests = model.calls[1].input
    assert [one.get("role") for one in requests] == ["user", "assistant", "user"]
    assert _texts([requests[0], requests[2]]) == ["I like oolong", "What do I drink?"]


@pytest.mark.engines("sqlite", "postgres")
def test_many_who_add_lose_nothing_and_do_not_come_between(kept: Memoranda) -> None:
    def add(name: int) -> None:
        session = MemorandaSession("log", kept)
        for turn in range(6):
            _did(session.add_items(_outputs(*(f"{name} {turn} {at}" for at in range(3)))))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(add, range(6)))
    found = _all(MemorandaSession("log", kept))
    calls = [name for name, _ in groupby(text.rpartition(" ")[0] for text in found)]
    assert len(found) == 6 * 6 * 3
    assert len(calls) == len(set(calls)) == 36
    for name in "012345":
        assert [one for one in calls if one[0] == name] == [f"{name} {turn}" for turn in range(6)]


@pytest.mark.engines("sqlite", "postgres")
def test_each_item_is_popped_by_one(kept: Memoranda) -> None:
    _did(MemorandaSession("log", kept).add_items(_outputs(*range(30))))

    def work(turn: int) -> list[str]:
        session = MemorandaSession("log", kept)
        if turn % 3 == 0:
            _did(session.add_items(_outputs(f"new {turn}")))
            return []
        return _texts([_did(session.pop_item()) for _ in range(3)])

    with ThreadPoolExecutor(6) as pool:
        popped = [text for some in pool.map(work, range(9)) for text in some]
    everything = [*map(str, range(30)), *(f"new {turn}" for turn in (0, 3, 6))]
    assert sorted(popped + _all(MemorandaSession("log", kept))) == sorted(everything)


WRITERS = """
import asyncio, os, sys
from memoranda import Memoranda
from memoranda.integrations.openai_session import MemorandaSession

def write(name):
    with Memoranda.open(sys.argv[1]) as memory:
        session = MemorandaSession("log", memory)
        for turn in range(8):
            items = [{"role": "user", "content": f"{name} {turn} {at}"} for at in range(2)]
            asyncio.run(session.add_items(items))

children = []
for name in "abc":
    child = os.fork()
    if not child:
        try:
            write(name)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    children.append(child)
if any(os.waitpid(child, 0)[1] for child in children):
    sys.exit("a writer failed")
"""
"""Processes that are forked from one, which loads the SDK for all of them."""


@pytest.mark.integration
def test_processes_lose_nothing_of_each_other(data_dir: Path) -> None:
    Memoranda.open(data_dir).close()
    finish(start(WRITERS, data_dir))
    with Memoranda.open(data_dir) as memory:
        found = _all(MemorandaSession("log", memory))
    calls = [name for name, _ in groupby(text.rpartition(" ")[0] for text in found)]
    assert (len(found), len(set(calls)), len(calls)) == (48, 24, 24)


def _now(work: Callable[[], Coroutine[Any, Any, Any]]) -> Callable[[], None]:
    """Run an action from within the thread of another call."""
    return lambda: asyncio.run(work())


@pytest.mark.engines("sqlite", "postgres")
def test_a_pop_takes_nothing_that_came_after_it_looked(kept: Memoranda) -> None:
    beside = MemorandaSession("log", kept)
    _did(beside.add_items(_outputs("old")))

    async def again() -> None:
        await beside.clear_session()
        await beside.add_items(_outputs("new 1"))
        await beside.pop_item()
        await beside.add_items(_outputs("new 2", "new 3"))

    late = MemorandaSession("log", meddled(kept, documents_put=_now(again)))
    assert _did(late.pop_item()) == _outputs("new 3")[0]
    assert _all(beside) == ["new 2"]


@pytest.mark.engines("sqlite", "postgres")
def test_what_is_added_while_a_session_is_cleared_stays(kept: Memoranda) -> None:
    beside = MemorandaSession("log", kept)
    _did(beside.add_items(_outputs("old")))
    add = _now(lambda: beside.add_items(_outputs("new")))
    _did(MemorandaSession("log", meddled(kept, documents_delete=add)).clear_session())
    assert _all(beside) == ["new"]
    _did(beside.clear_session())
    assert _all(beside) == []
    values = [one.value for one in kept.documents.list(SPACE)]
    assert values == [None]  # the mark, which expires in an hour
    assert all(one.expires_at for one in kept.documents.list(SPACE))


@pytest.mark.engines("sqlite", "postgres")
def test_nobody_comes_between_what_takes_several_calls(kept: Memoranda) -> None:
    beside = MemorandaSession("log", kept)

    def add(text: str) -> Callable[[], None]:
        return _now(lambda: beside.add_items(_outputs(text)))

    slow = MemorandaSession("log", meddled(kept, documents_put=add("before")))
    many = [str(number) for number in range(1_203)]
    _did(slow.add_items(_outputs(*many)))
    assert _all(beside) == ["before", *many]
    long = "x" * 3_000_000
    _did(beside.add_items(_outputs(*(f"{number}{long}" for number in range(3)))))
    assert [one[:2] for one in _all(beside)[-4:]] == ["12", "0x", "1x", "2x"]
    _did(beside.clear_session())
    assert _did(beside.pop_item()) is None


def test_sessions_that_begin_alike_are_kept_apart(kept: Memoranda) -> None:
    names = ["user", "user/1", "user/10", "user/%", "user%2F1", "..", "../user", "ü", "u\u0308",
             "user/1/", " ", "user:1", "用户"]  # fmt: skip
    for name in names:
        _did(MemorandaSession(name, kept).add_items(_outputs(name)))
    _did(MemorandaSession("user/1", kept).clear_session())
    for name in names:
        expected = [] if name == "user/1" else [name]
        assert _all(MemorandaSession(name, kept)) == expected, name
    places: list[dict[str, Any]] = [{"workspace": "shop"}, {"space": "other"}]
    for place in places:
        assert _all(MemorandaSession("user", kept, **place)) == []


def test_a_name_that_is_none_is_refused(kept: Memoranda) -> None:
    for name, result in (
        ("", "specify the session"),
        ("x" * 500, "500"),
        ("a\0b", "cannot be stored"),
    ):
        with pytest.raises(InvalidInput, match=result):
            MemorandaSession(name, kept)
    session = MemorandaSession(SECRET, kept)
    with pytest.raises(InvalidInput, match="looks like a secret") as raised:
        _did(session.add_items(_outputs("hello")))
    assert SECRET not in str(raised.value)
    assert list(kept.documents.list(SPACE)) == []


def test_what_is_no_item_is_refused_and_nothing_of_the_call_kept(kept: Memoranda) -> None:
    session = MemorandaSession("ada", kept)
    for wrong in (object(), {"n": {1, 2}}, {"content": "x" * VALUE_BYTES}):
        with pytest.raises(InvalidInput):
            _did(session.add_items([*_outputs("fine"), wrong]))
    assert _all(session) == []
    kept.documents.put(SPACE, [NewDocument("ada/strange", {"of": "another program"})])
    with pytest.raises(CorruptData, match="another program"):
        _did(session.add_items(_outputs("hello")))


def test_an_item_with_a_credential_is_refused_or_redacted(kept: Memoranda) -> None:
    session = MemorandaSession("ada", kept)
    with pytest.raises(InvalidInput, match=r"contains a credential \(aws\) at content"):
        _did(session.add_items([*_outputs("fine"), *_outputs(f"the key is {SECRET}")]))
    assert _all(session) == []
    session = MemorandaSession("ada", kept, secrets="redact")
    _did(session.add_items(_outputs(f"the key is {SECRET}")))
    everything = [dump_json(one.value) for one in kept.documents.list(SPACE)]
    assert "the key is" in everything[0]
    assert SECRET not in everything[0]
    assert SECRET not in _all(session)[0]


def test_arguments_of_a_tool_come_back_as_they_were(kept: Memoranda) -> None:
    item: Any = {
        "type": "function_call",
        "call_id": "call_1",
        "name": "resume",
        "arguments": '{"session_id": "chat-42", "token": "BTC2024x", "text": "a\\u0000b"}',
        "sid": "S1234567",
    }
    session = MemorandaSession("ada", kept)
    _did(session.add_items([item]))
    assert _did(session.get_items()) == [item]


def test_a_cancelled_caller_is_notified_when_it_is_done(kept: Memoranda) -> None:
    async def story() -> list[Any]:
        slow = meddled(kept, documents_put=lambda: time.sleep(0.3))
        adding = asyncio.create_task(MemorandaSession("ada", slow).add_items(_outputs("whole")))
        for _ in range(3):  # an impatient caller
            await asyncio.sleep(0.05)
            adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        return await MemorandaSession("ada", kept).get_items()

    assert _did(story()) == _outputs("whole")


def test_a_failure_after_a_cancellation_is_reported_with_it(kept: Memoranda) -> None:
    def fail() -> None:
        time.sleep(0.1)
        raise InvalidInput("not today")

    async def story() -> BaseException | None:
        adding = MemorandaSession("ada", meddled(kept, documents_put=fail)).add_items(_outputs("x"))
        task = asyncio.create_task(adding)
        await asyncio.sleep(0.03)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
        return raised.value.__cause__

    assert isinstance(_did(story()), InvalidInput)


def test_what_providers_encrypt_and_pictures_come_back_as_they_were(kept: Memoranda) -> None:
    chance = random.Random(7)
    like_a_key = "/AI" + "za" + "aB3d5" * 7 + "/"
    picture = base64.b64encode(chance.randbytes(30_000)).decode()[:-4] + like_a_key
    opaque = "gAAAAAB" + "x-Y4" * 400 + "-sk-" + "Ab3d" * 12
    url = f"data:image/png;base64,{picture}"
    items: list[Any] = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": opaque},
        {"type": "computer_call_output", "call_id": "call_1", "output": {"image_url": url}},
        {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": picture},
    ]
    session = MemorandaSession("ada", kept)
    _did(session.add_items(items))
    assert _did(session.get_items()) == items


def _compacting(session: MemorandaSession, queries: list[Any], **options: Any) -> Any:
    async def compact(**value: Any) -> Any:
        queries.append(value)
        return SimpleNamespace(output=_outputs("all of it in short"), usage=None)

    client: Any = SimpleNamespace(responses=SimpleNamespace(compact=compact))
    return OpenAIResponsesCompactionSession(session.session_id, session, client=client, **options)


def test_the_session_that_compacts_may_stand_around_it(kept: Memoranda) -> None:
    session, requests = MemorandaSession("ada", kept), list[Any]()
    _did(session.add_items(_outputs(*range(3))))
    _did(_compacting(session, requests).run_compaction({"force": True, "compaction_mode": "input"}))
    assert [len(one["input"]) for one in requests] == [3]
    assert _all(session) == ["all of it in short"]


def test_a_run_compacts_by_itself(kept: Memoranda) -> None:
    session, requests = MemorandaSession("ada", kept), list[Any]()
    answers = [[assistant_message(f"answer {at}", item_id=f"m{at}")] for at in range(3)]
    model = ScriptedModel([ModelStep(output=one, response_id=f"r{at}")
                           for at, one in enumerate(answers)])  # fmt: skip
    around = _compacting(
        session, requests, compaction_mode="input",
        should_trigger_compaction=lambda result: len(result["compaction_candidate_items"]) >= 2,
    )  # fmt: skip

    async def story() -> None:
        for turn in range(3):
            agent = Agent("waiter", model=model)
            await Runner.run(agent, f"say {turn}", session=around, run_config=QUIET)

    _did(story())
    assert [len(one["input"]) for one in requests] == [4]
    assert [one.get("content") for one in model.calls[2].input] == ["all of it in short", "say 2"]
    assert len(_did(session.get_items())) == 3


def test_it_runs_against_a_server(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    try:
        url = f"http://127.0.0.1:{server.port}"
        with Memoranda.open(url, token=server.token) as memory:
            session = MemorandaSession("ada", memory, workspace="shop")
            assert _all(session) == []
            with ThreadPoolExecutor(4) as pool:
                for name in range(8):
                    adding = session.add_items(_outputs(*(f"{name} {at}" for at in range(3))))
                    pool.submit(_did, adding)
            found = _all(session)
            assert (len(found), len(list(groupby(text[0] for text in found)))) == (24, 8)
            assert _did(session.pop_item())["content"] == found[-1]
            for name in ("..", "../ada", "a/b", "a%2Fb", "?q=1#f", "a\\b", "u\u0308", "用户", " "):
                other = MemorandaSession(name, memory, workspace="shop")
                _did(other.add_items(_outputs(name)))
                assert _all(other) == [name]
            wide = ["字" * 1_300_000, "字" * 1_300_000, "ok"]  # 7.8 MB, and twice that escaped
            _did(MemorandaSession("wide", memory).add_items(_outputs(*wide)))
            assert _all(MemorandaSession("wide", memory)) == wide
            late = meddled(memory, call=2, documents_put=_now(session.clear_session))
            assert _did(MemorandaSession("ada", late, workspace="shop").pop_item()) is None
            assert _all(session) == []
    finally:
        server.stop()


def test_a_folder_of_the_same_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "agents").mkdir()  # as many as a program has
    (tmp_path / "agents" / "__init__.py").write_text("mine = True\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    code += "import memoranda.integrations.openai_session"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"what is imported as 'agents' here is {tmp_path}" in done.stderr


@pytest.mark.engines("sqlite", "postgres")
def test_who_is_second_goes_on_behind(kept: Memoranda) -> None:
    beside = MemorandaSession("log", kept)
    add = _now(lambda: beside.add_items(_outputs("first")))
    late = MemorandaSession("log", meddled(kept, documents_put=add))
    _did(late.add_items(_outputs("second", "third")))
    assert _all(beside) == ["first", "second", "third"]
