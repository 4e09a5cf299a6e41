"""The session store of the Claude Agent SDK follows its protocol."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from happenings import finish, run, start
from hypothesis import HealthCheck, given, settings, strategies as st
from meddling import meddled

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.documents.model import NewDocument
from memoranda.exceptions import CorruptData, InvalidInput
from memoranda.integrations.claude_sessions import SPACE, MemorandaSessionStore
from memoranda.json_data import dump_json
from serving import Served

pytestmark = pytest.mark.engines("sqlite")

SECRET = "AKIA" + "Q3EGWVSNU7TT" + "MZ5D"
KEY = {"project_key": "-home-ada", "session_id": "one"}
SUB = {**KEY, "subpath": "subagents/agent-1"}
NUMBERS = count()


@pytest.fixture
def kept(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as memory:
        yield memory


def _did(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def _now(work: Callable[[], Coroutine[Any, Any, Any]]) -> Callable[[], None]:
    """Run an action from within the thread of another call."""
    return lambda: asyncio.run(work())


def _entries(*texts: object, **more: Any) -> list[Any]:
    return [{"type": "x", "text": str(text), **more} for text in texts]


def _once(*texts: object) -> list[Any]:
    """Return entries with unique uuids."""
    return [{"type": "x", "text": str(text), "uuid": f"uuid of {text}"} for text in texts]


def _texts(store: MemorandaSessionStore, key: dict[str, str] = KEY) -> list[str] | None:
    found = _did(store.load(key))
    return None if found is None else [one["text"] for one in found]


def _fold(before: Any, key: Any, entries: Any) -> dict[str, Any]:
    """Make a summary as the SDK does: the first values stay, the last win."""
    data = dict(before["data"]) if before else {}
    for one in entries:
        data.setdefault("first", one["text"])
        data["last"] = one["text"]
        data["count"] = data.get("count", 0) + 1
    mtime = before["mtime"] if before else 0
    return {"session_id": key["session_id"], "mtime": mtime, "data": data}


def _summaries(store: MemorandaSessionStore) -> dict[str, Any]:
    found = _did(store.list_session_summaries("-home-ada"))
    return {one["session_id"]: one["data"] for one in found}


def test_entries_come_back_in_the_order_of_the_calls(kept: Memoranda) -> None:
    store = MemorandaSessionStore(kept)
    assert _did(store.load(KEY)) is None
    _did(store.append(KEY, _once("b", "a")))
    _did(store.append(KEY, []))
    _did(store.append(KEY, _entries("c", deep={"n": [1, 2.5, None, {"z": "ü\r\n"}]})))
    deep = {"type": "x", "text": "c", "deep": {"n": [1, 2.5, None, {"z": "ü\r\n"}]}}
    assert _did(store.load(KEY)) == [*_once("b", "a"), deep]
    _did(store.append({**KEY, "session_id": "empty"}, []))
    assert [one["session_id"] for one in _did(store.list_sessions("-home-ada"))] == ["one"]


def test_an_entry_of_the_same_uuid_is_kept_once(kept: Memoranda) -> None:
    store = MemorandaSessionStore(kept)
    _did(store.append(KEY, _once("a", "a", "b")))
    _did(store.append(KEY, [*_once("b"), *_entries("title"), *_once("c")]))
    _did(store.append(KEY, _once("a", "b", "c")))
    _did(store.append(KEY, _entries("title", uuid="")))
    _did(store.append(SUB, _once("a")))
    assert _texts(store) == ["a", "b", "title", "c", "title"]
    assert _texts(store, SUB) == ["a"]
    _did(store.delete(KEY))
    _did(store.append(KEY, _once("b")))
    assert _texts(store) == ["b"]


def test_sessions_are_listed_by_project_with_when_they_changed(kept: Memoranda) -> None:
    store = MemorandaSessionStore(kept)
    began = time.time() * 1_000
    for key in (KEY, SUB, {**KEY, "session_id": "two"}, {**KEY, "project_key": "-home-ada-b"}):
        _did(store.append(key, _entries("hello")))
    times = {one["session_id"]: one["mtime"] for one in _did(store.list_sessions("-home-ada"))}
    assert sorted(times) == ["one", "two"]
    assert all(began - 2 <= one <= time.time() * 1_000 + 2 for one in times.values())
    time.sleep(0.005)
    _did(store.append(KEY, _entries("again")))
    later = {one["session_id"]: one["mtime"] for one in _did(store.list_sessions("-home-ada"))}
    assert later["one"] > times["one"]
    assert later["two"] == times["two"]
    assert _did(store.list_sessions("-home")) == []


def test_subagents_are_known_by_their_session_and_go_with_it(kept: Memoranda) -> None:
    store = MemorandaSessionStore(kept)
    other, deep = {**SUB, "session_id": "two"}, {**KEY, "subpath": "subagents/a/b%2F"}
    for key in (KEY, SUB, deep, other):
        _did(store.append(key, _once("hello")))
    assert sorted(_did(store.list_subkeys(KEY))) == ["subagents/a/b%2F", "subagents/agent-1"]
    _did(store.delete(deep))
    assert _did(store.list_subkeys(KEY)) == ["subagents/agent-1"]
    assert _texts(store) == ["hello"]
    _did(store.delete(KEY))
    _did(store.delete(KEY))
    _did(store.delete({**KEY, "session_id": "never"}))
    assert [_texts(store, key) for key in (KEY, SUB, other)] == [None, None, ["hello"]]
    assert _did(store.list_subkeys(KEY)) == _did(store.list_sessions("-home-ada")) == []
    left = [one for one in kept.documents.list(SPACE, limit=1_000) if "two" not in one.key]
    assert all(one.expires_at for one in left)  # the last number, kept for an hour


def test_summaries_are_kept_with_every_append(kept: Memoranda) -> None:
    store = MemorandaSessionStore(kept, fold=_fold)
    _did(store.append(KEY, _once("a", "b")))
    _did(store.append(KEY, _once("b", "c")))
    _did(store.append(SUB, _once("z")))
    assert _summaries(store) == {"one": {"first": "a", "last": "c", "count": 3}}
    listed, summed = (
        _did(found("-home-ada"))[0]["mtime"]
        for found in (store.list_sessions, store.list_session_summaries)
    )
    assert listed == summed
    _did(store.delete(KEY))
    assert _summaries(store) == {}
    _did(store.append(KEY, _once("b")))
    assert _summaries(store) == {"one": {"first": "b", "last": "b", "count": 1}}


def test_who_appends_without_the_sdk_leaves_no_wrong_summary(kept: Memoranda) -> None:
    with_it, without = MemorandaSessionStore(kept, fold=_fold), MemorandaSessionStore(kept)
    _did(with_it.append(KEY, _entries("a")))
    _did(without.append(KEY, _entries("b")))
    assert _summaries(with_it) == {}  # the SDK reads the session instead
    _did(with_it.append(KEY, _entries("c")))
    assert _summaries(with_it) == {"one": {"first": "a", "last": "c", "count": 3}}


def test_the_fold_of_a_loaded_sdk_is_found(
    kept: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = SimpleNamespace(fold_session_summary=_fold)
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", loaded)
    store = MemorandaSessionStore(kept)
    _did(store.append(KEY, _entries("a")))
    assert _summaries(store)["one"]["count"] == 1


def test_the_sdk_is_not_loaded_for_it() -> None:
    code = """
import sys
sys.modules["claude_agent_sdk"] = None
from memoranda.integrations.claude_sessions import MemorandaSessionStore
print(sys.modules["claude_agent_sdk"], "langgraph" in sys.modules)
"""
    assert run(code) == "None False\n"


keys = st.builds(
    lambda session, sub: {**KEY, "session_id": session} | ({"subpath": sub} if sub else {}),
    st.sampled_from(["a", "a/b"]),
    st.sampled_from(["", "s/1", "s/2"]),
)
entries = st.lists(
    st.fixed_dictionaries(
        {"text": st.text("ab", max_size=2)}, optional={"uuid": st.sampled_from("xyz")}
    ),
    max_size=4,
)
steps = st.one_of(st.tuples(st.just("append"), keys, entries), st.tuples(st.just("delete"), keys))


@given(script=st.lists(steps, max_size=10))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_is_a_list_for_each_key(memory: Memoranda, script: list[tuple[Any, ...]]) -> None:
    store = MemorandaSessionStore(memory, space=f"run {next(NUMBERS)}", fold=_fold)
    model: dict[tuple[str, str], list[Any]] = {}
    for what, key, *given_entries in script:
        name = (key["session_id"], key.get("subpath", ""))
        if what == "append":
            _did(store.append(key, *given_entries))
            for one in given_entries[0]:
                stored = model.setdefault(name, [])
                if not any(one.get("uuid") == old.get("uuid") != None for old in stored):  # noqa: E711
                    stored.append(one)
            continue
        _did(store.delete(key))
        gone = [one for one in model if one == name or (not name[1] and one[0] == name[0])]
        for one in gone:
            del model[one]
    for session in ("a", "a/b"):
        key = {**KEY, "session_id": session}
        assert _did(store.load(key)) == model.get((session, ""))
        subs = sorted(sub for name, sub in model if name == session and sub)
        assert sorted(_did(store.list_subkeys(key))) == subs
        for sub in subs:
            assert _did(store.load({**key, "subpath": sub})) == model[session, sub]
    counts = {name: len(stored) for (name, sub), stored in model.items() if not sub}
    assert {name: data["count"] for name, data in _summaries(store).items()} == counts


@pytest.mark.engines("sqlite", "postgres")
def test_many_who_append_lose_nothing_and_do_not_come_between(kept: Memoranda) -> None:
    def add(name: int) -> None:
        store = MemorandaSessionStore(kept, fold=_fold)
        for turn in range(5):
            _did(store.append(KEY, _once(*(f"{name} {turn} {at}" for at in range(3)))))
            _did(store.append(KEY, _once("everybody's")))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(add, range(6)))
    store = MemorandaSessionStore(kept)
    found = _texts(store) or []
    assert found.count("everybody's") == 1
    found.remove("everybody's")
    calls = [name for name, _ in groupby(text.rpartition(" ")[0] for text in found)]
    assert (len(found), len(set(calls)), len(calls)) == (90, 30, 30)
    assert _summaries(store)["one"]["count"] == 91


WRITER = """
import asyncio, sys
from memoranda import Memoranda
from memoranda.integrations.claude_sessions import MemorandaSessionStore

key = {"project_key": "-home-ada", "session_id": "one"}
with Memoranda.open(sys.argv[1]) as memory:
    store = MemorandaSessionStore(memory)
    for turn in range(8):
        texts = [f"{sys.argv[2]} {turn}", f"shared {turn}"]
        entries = [{"type": "x", "text": text, "uuid": text} for text in texts]
        asyncio.run(store.append(key, entries))
"""


@pytest.mark.integration
def test_processes_lose_nothing_of_each_other(data_dir: Path) -> None:
    Memoranda.open(data_dir).close()
    for child in [start(WRITER, data_dir, name) for name in "abc"]:
        finish(child)
    with Memoranda.open(data_dir) as memory:
        found = _texts(MemorandaSessionStore(memory)) or []
    own = [f"{name} {turn}" for name in "abc" for turn in range(8)]
    assert sorted(found) == sorted([*own, *(f"shared {turn}" for turn in range(8))])


@pytest.mark.engines("sqlite", "postgres")
def test_what_is_appended_while_a_session_is_deleted_stays(kept: Memoranda) -> None:
    beside = MemorandaSessionStore(kept, fold=_fold)
    again = _now(lambda: beside.append(KEY, _once("a", "new")))
    for call in ("documents_put", "documents_delete"):  # before the deletion is recorded, and after
        _did(beside.append(KEY, _once("a", "old")))
        late = MemorandaSessionStore(meddled(kept, **{call: again}))
        _did(late.delete(KEY))
        if call == "documents_put":
            assert _texts(beside) is None  # the append was seen, and deleted as well
    assert _texts(beside) == ["a", "new"]
    assert _summaries(beside)["one"]["count"] == 2
    _did(beside.append(KEY, _once("a", "newer")))
    assert _texts(beside) == ["a", "new", "newer"]


@pytest.mark.engines("sqlite", "postgres")
def test_who_was_killed_while_deleting_leaves_nothing_to_see(kept: Memoranda) -> None:
    def die() -> None:
        raise RuntimeError("killed")

    store = MemorandaSessionStore(kept, fold=_fold)
    for call in (1, 2):
        _did(store.append(KEY, _once("a", "b")))
        with pytest.raises(RuntimeError):
            broken = meddled(kept, call=call, documents_delete=die)
            _did(MemorandaSessionStore(broken).delete(KEY))
        assert _texts(store) is None
        assert _did(store.list_sessions("-home-ada")) == []
        _did(store.append(KEY, _once("b")))
        assert _texts(store) == ["b"]
        _did(store.delete(KEY))
    assert len(kept.documents.list(SPACE)) == 1


@pytest.mark.engines("sqlite", "postgres")
def test_a_session_that_is_deleted_while_it_is_read_is_whole_or_gone(kept: Memoranda) -> None:
    beside = MemorandaSessionStore(kept)
    _did(beside.append(KEY, _entries("a", "b")))
    gone = _now(lambda: beside.delete(KEY))
    assert _did(MemorandaSessionStore(meddled(kept, documents_list=gone)).load(KEY)) is None


def test_more_than_one_call_takes_is_kept_whole(kept: Memoranda) -> None:
    store = MemorandaSessionStore(kept, fold=_fold)
    many = [str(number) for number in range(1_100)]
    _did(store.append(KEY, _once(*many)))
    assert _texts(store) == many
    assert _summaries(store)["one"]["count"] == 1_100
    long = "x" * 3_000_000
    _did(store.append(SUB, _entries(*(f"{number}{long}" for number in range(4)))))
    assert [one[:2] for one in _texts(store, SUB) or []] == ["0x", "1x", "2x", "3x"]


def test_keys_that_are_alike_are_kept_apart(kept: Memoranda) -> None:
    store = MemorandaSessionStore(kept)
    names = ["a", "a/b", "a%2Fb", "..", "a/../b", "ü", "u\u0308", " ", "a:b", "0", "用户"]
    found = [
        {"project_key": project, "session_id": session, **sub}
        for project in names[:4]
        for session in names
        for sub in ({}, {"subpath": "a"}, {"subpath": "a/b"})
    ]
    for number, key in enumerate(found):
        _did(store.append(key, _entries(number)))
    assert [_texts(store, key) for key in found] == [[str(number)] for number in range(len(found))]
    listed = _did(store.list_sessions("a"))
    assert sorted(one["session_id"] for one in listed) == sorted(names)
    assert sorted(_did(store.list_subkeys(found[3]))) == ["a", "a/b"]
    places: list[dict[str, Any]] = [{"workspace": "shop"}, {"space": "other"}]
    for place in places:
        assert _texts(MemorandaSessionStore(kept, **place), found[0]) is None


def test_what_is_no_key_or_entry_is_refused(kept: Memoranda) -> None:
    store = MemorandaSessionStore(kept)
    for wrong in ({"session_id": ""}, {"project_key": ""}, {"subpath": ""}):
        with pytest.raises(InvalidInput, match="a key must have"):
            _did(store.append({**KEY, **wrong}, _entries("a")))
    for wrong in ({"session_id": "x" * 500}, {"session_id": "a\0"}, {"project_key": SECRET}):
        with pytest.raises(InvalidInput):
            _did(store.append({**KEY, **wrong}, _once("a")))
    with pytest.raises(InvalidInput):
        _did(store.append(KEY, [*_once("a"), {"type": "x", "of": object()}]))
    assert list(kept.documents.list(SPACE)) == []


def test_damaged_entries_are_reported(kept: Memoranda) -> None:
    store = MemorandaSessionStore(kept)
    _did(store.append(KEY, _entries("a", "b")))
    first = next(one.key for one in kept.documents.list(SPACE) if one.key.startswith("e/"))
    kept.documents.delete(SPACE, [first])
    with pytest.raises(CorruptData, match="missing"):
        _did(store.load(KEY))
    kept.documents.put(SPACE, [NewDocument("m/-home-ada/two", {"of": "another program"})])
    with pytest.raises(CorruptData, match="another program"):
        _did(store.list_sessions("-home-ada"))


TRANSCRIPTS = sorted((Path(__file__).parents[1] / "fixtures" / "transcripts").glob("cc-*.jsonl"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_transcript_of_claude_comes_back_as_it_was(memory: Memoranda, path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    read = [line for line in lines if isinstance(line, dict)]
    once: dict[Any, Any] = {}
    for at, one in enumerate(read):
        once.setdefault(one.get("uuid", at), one)
    store = MemorandaSessionStore(memory)
    for at in range(0, len(read), 3):
        _did(store.append(KEY, read[at : at + 3]))
    assert _did(store.load(KEY)) == list(once.values())


def test_a_secret_is_not_in_a_transcript_and_a_signature_stays(kept: Memoranda) -> None:
    store = MemorandaSessionStore(kept, fold=_fold)
    signature = "".join(uuid4().hex for _ in range(20))
    _did(store.append(KEY, _entries(f"the key is {SECRET}", signature=signature)))
    everything = dump_json([one.value for one in kept.documents.list(SPACE)])
    assert "the key is" in everything
    assert SECRET not in everything
    assert _did(store.load(KEY))[0]["signature"] == signature


def test_it_works_against_a_server(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    try:
        url = f"http://127.0.0.1:{server.port}"
        with Memoranda.open(url, token=server.token) as memory:
            store = MemorandaSessionStore(memory, workspace="shop", fold=_fold)
            assert _did(store.list_sessions("-home-ada")) == []
            with ThreadPoolExecutor(4) as pool:
                for name in range(8):
                    texts = (f"{name} {at}" for at in range(3))
                    pool.submit(_did, store.append(KEY, _once(*texts, "everybody's")))
            _did(store.append(SUB, _entries("a")))
            assert len(_texts(store) or []) == _summaries(store)["one"]["count"] == 25
            assert _did(store.list_subkeys(KEY)) == ["subagents/agent-1"]
            _did(store.delete(KEY))
            assert _did(store.list_sessions("-home-ada")) == _did(store.list_subkeys(KEY)) == []
    finally:
        server.stop()
