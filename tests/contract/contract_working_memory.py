"""Contract of working memory, whichever backend stores its entries.

The tests of a backend provide the memory, a function that makes a task of a team, and a function
that lets time pass for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from contract.contract_transactions import together
from contract.contract_working import json_values, keys
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, dump_json
from memoranda.ports import WorkingMemory
from memoranda.text import normalise
from memoranda.working.model import KEY_CHARACTERS, MAX_SECONDS, TTL_SECONDS, VALUE_BYTES
from tables import each

HOSTILE = ("a", ":", "a:b", "*", "?", "[a]", "{a}", "%3A", "\r\nDEL x", "../a", "\0", "\ud800", "é")
"""Key parts that could escape a storage key built by hand."""
_NUMBERS = count(1)
_few = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.differing_executors,
        HealthCheck.too_slow,
    ],
)


def deep(levels: int) -> Any:
    """Make nested lists."""
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


REFUSED: tuple[tuple[str, object, object], ...] = (
    ("", 1, 60),
    ("x" * (KEY_CHARACTERS + 1), 1, 60),
    ("key", float("nan"), 60),
    ("key", [float("inf")], 60),
    ("key", {"a": object()}, 60),
    ("key", b"bytes", 60),
    ("key", {1, 2}, 60),
    ("key", {1: 1, "b": 2}, 60),
    ("key", deep(100_000), 60),
    ("key", deep(70), 60),
    ("key", "x" * (VALUE_BYTES - 1), 60),
    ("key", "é" * (VALUE_BYTES // 2), 60),
    ("key", 1, 0),
    ("key", 1, -1),
    ("key", 1, MAX_SECONDS + 1),
    ("key", 1, 1.5),
    ("key", 1, True),
    ("key", 1, "60"),
)


class WorkingMemoryContract:
    """Entries are returned until they expire, and only to their owner."""

    @pytest.fixture
    def working(self) -> Iterator[WorkingMemory]:
        """Return a working memory, possibly with entries."""
        raise NotImplementedError("a test of a backend says which memory it is about")

    @pytest.fixture
    def new_task(self) -> Callable[[str], str]:
        """Return a function that makes a task of a team and returns its id."""
        raise NotImplementedError("a test of a backend says where tasks come from")

    @pytest.fixture
    def pass_seconds(self) -> Callable[[float], None]:
        """Return a function that lets time pass for the memory."""
        raise NotImplementedError("a test of a backend says how time passes")

    @given(key=keys, value=json_values)
    @_few
    def test_any_json_comes_back_under_any_key(
        self, working: WorkingMemory, new_task: Callable[[str], str], key: str, value: JsonValue
    ) -> None:
        task = new_task("team")
        put = working.put("team", task, key, value, 60)
        found = working.get("team", task, key)
        assert found == put
        assert found is not None
        assert dump_json(found.value) == dump_json(put.value) == dump_json(value)
        assert put.expires_at - put.written_at == 60_000_000

    @given(team=st.text(min_size=1, max_size=12).map(normalise), key=keys)
    @_few
    def test_any_team_finds_its_own(
        self, working: WorkingMemory, new_task: Callable[[str], str], team: str, key: str
    ) -> None:
        task = new_task(team)
        working.put(team, task, key, "ours", 60)
        found = working.get(team, task, key)
        assert found is not None
        assert found.value == "ours"
        for stranger in (team + ":", f"{team}:working", f"%{team}", team.swapcase() + "x"):
            assert working.get(stranger, task, key) is None
            assert working.keys(stranger, task, limit=9) == []
            assert working.delete(stranger, task, key) is False
        assert working.get(team, task, key) == found

    def test_keys_that_look_alike_are_kept_apart(
        self, working: WorkingMemory, new_task: Callable[[str], str]
    ) -> None:
        task = new_task("team")
        names = sorted({normalise(a + b) for a in HOSTILE for b in HOSTILE})
        for number, name in enumerate(names):
            working.put("team", task, name, number, 60)
        for number, name in enumerate(names):
            found = working.get("team", task, name)
            assert found is not None
            assert (found.key, found.value) == (name, number)
        assert [one.key for one in working.keys("team", task, limit=999)] == names

    def test_keys_are_kept_in_one_normal_form_and_values_as_they_are(
        self, working: WorkingMemory, new_task: Callable[[str], str]
    ) -> None:
        task = new_task("team")
        working.put("team", task, "a\0b", {"c\0": ["d\ud800"]}, 60)
        found = working.get("team", task, "a\u2400b")
        assert found is not None
        assert found.value == {"c\0": ["d\ud800"]}
        assert working.get("team", task, "a\0b") == found

    def test_the_largest_of_everything_is_taken(
        self, working: WorkingMemory, new_task: Callable[[str], str]
    ) -> None:
        task, key = new_task("team"), "🦊" * KEY_CHARACTERS
        value = "é" * (VALUE_BYTES // 2 - 1)
        assert len(dump_json(value).encode()) == VALUE_BYTES
        working.put("team", task, key, value, MAX_SECONDS)
        found = working.get("team", task, key)
        assert found is not None
        assert found.value == value
        working.put("team", task, "deep", deep(64), 1)
        assert working.delete("team", task, key)

    @each(("key", "value", "ttl"), REFUSED, ids=range(len(REFUSED)))
    def test_what_is_not_acceptable_changes_nothing(
        self,
        working: WorkingMemory,
        new_task: Callable[[str], str],
        key: str,
        value: object,
        ttl: Any,
    ) -> None:
        task = new_task("team")
        before = working.put("team", task, "key", "before", 60)
        with pytest.raises(InvalidInput):
            working.put("team", task, key, value, ttl)
        assert working.get("team", task, "key") == before
        assert [one.key for one in working.keys("team", task, limit=9)] == ["key"]

    def test_the_stored_value_is_a_copy(
        self, working: WorkingMemory, new_task: Callable[[str], str]
    ) -> None:
        task, value = new_task("team"), {"list": [1, (2, 3)]}
        put = working.put("team", task, "key", value, 60)
        value["list"].append(4)
        assert put.value == {"list": [1, [2, 3]]}
        found = working.get("team", task, "key")
        assert found is not None
        assert found.value == {"list": [1, [2, 3]]}

    def test_writing_again_replaces_the_value_and_begins_the_time_anew(
        self,
        working: WorkingMemory,
        new_task: Callable[[str], str],
        pass_seconds: Callable[[float], None],
    ) -> None:
        task = new_task("team")
        working.put("team", task, "longer", "first", 1)
        working.put("team", task, "longer", "second", TTL_SECONDS)
        working.put("team", task, "shorter", "first", TTL_SECONDS)
        working.put("team", task, "shorter", "second", 1)
        found = working.get("team", task, "shorter")
        assert found is not None
        assert found.value == "second"
        pass_seconds(1.2)
        assert working.get("team", task, "shorter") is None
        found = working.get("team", task, "longer")
        assert found is not None
        assert found.value == "second"

    def test_what_has_expired_is_nowhere(
        self,
        working: WorkingMemory,
        new_task: Callable[[str], str],
        pass_seconds: Callable[[float], None],
    ) -> None:
        task = new_task("team")
        for number in range(20):
            working.put("team", task, f"{number:02d}", number, 1 if number % 2 else 60)
        pass_seconds(1.2)
        assert working.get("team", task, "01") is None
        assert working.delete("team", task, "03") is False
        for _ in range(2):
            left = [one.key for one in working.keys("team", task, limit=99)]
            assert left == [f"{number:02d}" for number in range(0, 20, 2)]
        assert len(working.keys("team", task, limit=4)) == 4
        working.put("team", task, "01", "again", 60)
        assert [one.key for one in working.keys("team", task, limit=2)] == ["00", "01"]

    def test_what_is_deleted_is_gone_once(
        self, working: WorkingMemory, new_task: Callable[[str], str]
    ) -> None:
        task = new_task("team")
        working.put("team", task, "key", None, 60)
        working.put("team", task, "other", 0, 60)
        assert working.delete("team", task, "key") is True
        assert working.delete("team", task, "key") is False
        assert working.get("team", task, "key") is None
        assert [one.key for one in working.keys("team", task, limit=9)] == ["other"]

    def test_pages_give_every_key_once(
        self, working: WorkingMemory, new_task: Callable[[str], str]
    ) -> None:
        task = new_task("team")
        names = sorted(f"{'näme' if number % 3 else '名'} {number}" for number in range(45))
        for name in reversed(names):
            working.put("team", task, name, name, 60)
        for size in (1, 7, 45, 46):
            seen: list[str] = []
            while page := working.keys("team", task, after=seen[-1] if seen else "", limit=size):
                assert len(page) <= size
                seen += [one.key for one in page]
            assert seen == names

    def test_tasks_are_kept_apart_and_forgotten_alone(
        self, working: WorkingMemory, new_task: Callable[[str], str]
    ) -> None:
        one, two, three = (new_task("team") for _ in range(3))
        for task in (one, two, three):
            for number in range(3):
                working.put("team", task, f"key {number}", task, 60)
        working.forget("team", [one, three])
        working.forget("team", [])
        for task in (one, three):
            assert working.get("team", task, "key 1") is None
            assert working.keys("team", task, limit=9) == []
        assert len(working.keys("team", two, limit=9)) == 3

    def test_of_threads_at_once_none_loses_what_it_wrote(
        self, working: WorkingMemory, new_task: Callable[[str], str]
    ) -> None:
        task = new_task("team")

        def run(number: int) -> None:
            for turn in range(5):
                working.put("team", task, f"{number}-{turn}", [number, turn], 60)
                found = working.get("team", task, f"{number}-{turn}")
                assert found is not None
                assert found.value == [number, turn]
                working.keys("team", task, limit=99)

        together(run)
        assert len(working.keys("team", task, limit=99)) == 40


def some_task() -> str:
    """Return a new task name."""
    return f"task-{next(_NUMBERS)}"
