"""Working memory in the table, in Valkey, and through Valkey's outages."""

from __future__ import annotations

import logging
import signal
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, product
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
import redis
from hypothesis import given, strategies as st

from contract.clock import FixedClock
from contract.contract_working_memory import WorkingMemoryContract
from contract.records import Records
from memoranda.exceptions import InvalidInput, NotFound, StorageUnusable
from memoranda.ports import WorkingMemory
from memoranda.store.database import Database
from memoranda.store.redis.server import PAUSE, TIMEOUT_SECONDS, RedisServer, place
from memoranda.store.redis.working import RedisWorkingMemory
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.tasks import table as tasks
from memoranda.working import table as working
from memoranda.working.fallback import FallbackWorkingMemory
from memoranda.working.model import MAX_MICROSECONDS, WorkingEntry
from memoranda.working.table import EVER
from memoranda.working.table_memory import TableWorkingMemory
from postgres_stores import EmptyStores
from servers import ValkeyProcess, free_port

pytestmark = pytest.mark.integration

_SEEDS = count(1)
SECOND = 1_000_000


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def database(tmp_path: Path, empty_store: Path) -> Iterator[SqliteDatabase]:
    opened = SqliteDatabase(copyfile(empty_store, tmp_path / "store.db"))
    yield opened
    opened.close()


def plant(database: Database, team: str) -> str:
    """Store a task of a team."""
    records = Records(team, seed=next(_SEEDS))
    return database.of(team).write(records.plant_task).id


class OnTable(WorkingMemoryContract):
    @pytest.fixture
    def working(self, database: Database, clock: FixedClock) -> Iterator[TableWorkingMemory]:
        yield TableWorkingMemory(database, clock)

    @pytest.fixture
    def new_task(self, database: Database) -> Callable[[str], str]:
        return partial(plant, database)

    @pytest.fixture
    def pass_seconds(self, clock: FixedClock) -> Callable[[float], None]:
        return lambda seconds: clock.advance(round(seconds * SECOND))


class TestOnSqlite(OnTable):
    pass


class TestOnPostgres(OnTable):
    @pytest.fixture
    def database(self, postgres_stores: EmptyStores) -> Iterator[Database]:  # type: ignore[override]
        with postgres_stores.opened() as database:
            yield database


class TestOnValkey(WorkingMemoryContract):
    @pytest.fixture
    def working(self, valkey: ValkeyProcess, clock: FixedClock) -> Iterator[RedisWorkingMemory]:
        server = RedisServer(valkey.url, clock)
        yield RedisWorkingMemory(server, clock)
        server.close()

    @pytest.fixture
    def new_task(self) -> Callable[[str], str]:
        return lambda team: f"task {next(_SEEDS)}"

    @pytest.fixture
    def pass_seconds(self) -> Callable[[float], None]:
        return time.sleep  # Valkey's own clock


class TestOnValkeyWithTheTableBehind(OnTable):
    @pytest.fixture
    def working(  # type: ignore[override]
        self, database: Database, valkey: ValkeyProcess, clock: FixedClock
    ) -> Iterator[FallbackWorkingMemory]:
        with_table = Both(valkey, database, clock)
        yield with_table.memory
        with_table.server.close()

    @pytest.fixture
    def pass_seconds(self, clock: FixedClock) -> Callable[[float], None]:
        def both(seconds: float) -> None:
            clock.advance(round(seconds * SECOND))
            time.sleep(seconds)

        return both


class TestOnTheTableWhileThereIsNoValkey(OnTable):
    @pytest.fixture
    def working(  # type: ignore[override]
        self, database: Database, clock: FixedClock
    ) -> FallbackWorkingMemory:
        server = RedisServer(f"redis://127.0.0.1:{free_port()}/0", clock)
        table = TableWorkingMemory(database, clock, keep=MAX_MICROSECONDS)
        return FallbackWorkingMemory(RedisWorkingMemory(server, clock), table, clock)

    def test_tasks_are_kept_apart_and_forgotten_alone(
        self, working: WorkingMemory, new_task: Callable[[str], str]
    ) -> None:
        task = new_task("team")
        working.put("team", task, "key", 1, 60)
        with pytest.raises(StorageUnusable):
            working.forget("team", [task])
        assert working.get("team", task, "key") is None


class Both:
    """A memory on Valkey with the table as fallback, and each by itself."""

    def __init__(self, valkey: ValkeyProcess, database: Database, clock: FixedClock) -> None:
        self.valkey = valkey
        self.clock = clock
        self.server = RedisServer(valkey.url, clock)
        self.there = RedisWorkingMemory(self.server, clock)
        self.table = TableWorkingMemory(database, clock, keep=MAX_MICROSECONDS)
        self.memory = FallbackWorkingMemory(self.there, self.table, clock)

    def go_away(self, how: int = signal.SIGKILL) -> None:
        """Stop the server between two calls."""
        self.valkey.stop(how)

    def come_back(self) -> None:
        """Start the server and let the retry pause end."""
        self.valkey.start()
        self.clock.advance(PAUSE)


@pytest.fixture
def both(valkey: ValkeyProcess, database: Database, clock: FixedClock) -> Iterator[Both]:
    made = Both(valkey, database, clock)
    yield made
    made.server.close()
    if valkey._process is None:
        valkey.start()


@pytest.fixture
def task(database: Database) -> str:
    return plant(database, "team")


def value(memory: Any, task: str, key: str) -> Any:
    """Return the value of a key, or a word that no test writes."""
    found = memory.get("team", task, key)
    return found.value if found else "nothing"


def keys(memory: Any, task: str) -> list[str]:
    return [one.key for one in memory.keys("team", task, limit=99)]


def test_while_the_server_answers_the_table_stays_empty(both: Both, task: str) -> None:
    both.memory.put("team", task, "key", 1, 60)
    both.memory.delete("team", task, "other")
    assert both.table.keys_even_expired("team", task, limit=9) == []
    assert value(both.there, task, "key") == 1


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_entries_outlive_a_restart_of_the_server_and_of_this_process(
    both: Both, database: Database, task: str, how: int
) -> None:
    both.memory.put("team", task, "key", {"a": 1}, 60)
    time.sleep(1.2)  # the server flushes its log each second
    both.go_away(how)
    both.come_back()
    after = Both(both.valkey, database, both.clock)
    assert value(after.memory, task, "key") == {"a": 1}
    assert keys(after.memory, task) == ["key"]


def test_a_server_killed_in_the_middle_is_not_noticed(both: Both, task: str) -> None:
    both.memory.put("team", task, "before", 1, 60)
    both.go_away()
    assert value(both.memory, task, "before") == "nothing"
    both.memory.put("team", task, "meanwhile", 2, 60)
    assert value(both.memory, task, "meanwhile") == 2
    assert keys(both.memory, task) == ["meanwhile"]
    assert both.memory.delete("team", task, "nonesuch") is False
    both.come_back()
    both.memory.put("team", task, "after", 3, 60)
    assert value(both.there, task, "after") == 3
    assert value(both.memory, task, "meanwhile") == 2
    assert keys(both.memory, task)[-1] == "meanwhile"


def test_a_server_that_comes_and_goes_loses_no_write(both: Both, task: str) -> None:
    values: dict[str, int] = {}
    seen: set[str] = set()
    """What can be read now: everything, or what was written since the outage."""
    for turn, is_there in enumerate((True, False, True, False, True)):
        for number in range(turn, turn + 4):
            key = f"key {number}"
            values[key] = turn * 10 + number
            both.memory.put("team", task, key, values[key], 600)
            seen.add(key)
            assert {key: value(both.memory, task, key) for key in seen} == {
                key: values[key] for key in seen
            }
        if is_there:
            time.sleep(1.2)  # the server flushes its log each second
            both.go_away()
            seen.clear()
        else:
            both.come_back()
            seen = set(values)
    both.come_back()
    assert {key: value(both.memory, task, key) for key in values} == values
    assert keys(both.memory, task) == sorted(values)


def test_of_both_places_the_newer_one_counts(both: Both, task: str) -> None:
    both.memory.put("team", task, "key", "old, there", 600)
    time.sleep(1.2)
    both.go_away()
    both.memory.put("team", task, "key", "new, here", 600)
    both.come_back()
    assert value(both.there, task, "key") == "old, there"
    assert value(both.memory, task, "key") == "new, here"
    both.memory.put("team", task, "key", "newest, there", 1)
    assert value(both.memory, task, "key") == "newest, there"
    time.sleep(1.2)
    assert value(both.memory, task, "key") == "nothing", "what was replaced came back"


def test_an_expired_or_deleted_entry_hides_the_one_still_on_the_server(
    both: Both, task: str
) -> None:
    for key in ("deleted", "expired", "kept"):
        both.memory.put("team", task, key, "old", 600)
    time.sleep(1.2)
    both.go_away()
    both.memory.put("team", task, "expired", "short", 1)
    both.memory.delete("team", task, "deleted")
    both.clock.advance(2 * SECOND)
    assert both.memory.delete("team", task, "expired") is False
    both.memory.put("team", task, "other", "sweeps", 1)
    both.come_back()
    assert keys(both.there, task) == ["deleted", "expired", "kept"]
    assert value(both.memory, task, "deleted") == "nothing"
    assert value(both.memory, task, "expired") == "nothing"
    assert keys(both.memory, task) == ["kept"]
    assert both.memory.delete("team", task, "deleted") is False
    both.memory.put("team", task, "deleted", "again", 600)
    assert keys(both.memory, task) == ["deleted", "kept"]


def test_what_was_written_meanwhile_can_be_deleted_afterwards(both: Both, task: str) -> None:
    both.go_away()
    both.memory.put("team", task, "key", "meanwhile", 600)
    both.come_back()
    assert both.memory.delete("team", task, "key") is True
    assert value(both.memory, task, "key") == "nothing"
    assert both.table.keys_even_expired("team", task, limit=9) == []


def test_what_hides_something_goes_when_nothing_can_be_hidden_any_more(
    both: Both, database: Database, task: str
) -> None:
    both.go_away()
    both.memory.delete("team", task, "key")
    both.clock.advance(MAX_MICROSECONDS - 1)
    both.memory.put("team", task, "other", 1, 60)
    assert len(both.table.keys_even_expired("team", task, limit=9)) == 2
    both.clock.advance(1)
    both.memory.put("team", task, "other", 1, 60)
    assert len(both.table.keys_even_expired("team", task, limit=9)) == 1


def test_an_entry_of_the_table_that_is_newer_is_not_dropped(both: Both, task: str) -> None:
    late = both.there.put("team", task, "key", "written first, arrives last", 600)
    both.clock.advance(1)
    both.table.put("team", task, "key", "newer", 600)
    both.table.outdate(late)
    assert value(both.memory, task, "key") == "newer"


def test_a_list_is_made_of_both_places_in_order(both: Both, task: str) -> None:
    names = [f"{number:03d}" for number in range(450)]
    for name in names[::2]:
        both.there.put("team", task, name, name, 60)
    for name in names[1::2]:
        both.table.put("team", task, name, name, 60)
    assert [one.key for one in both.memory.keys("team", task, limit=999)] == names
    assert [one.key for one in both.memory.keys("team", task, after="100", limit=3)] == [
        "101", "102", "103",
    ]  # fmt: skip


def test_one_warning_for_each_outage_and_few_questions(
    both: Both, task: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "memoranda")
    for _ in range(2):
        both.go_away()
        for number in range(20):
            both.memory.put("team", task, "key", number, 60)
            both.clock.advance(PAUSE // 5)
        both.come_back()
        assert value(both.memory, task, "key") == 19
    messages = [record.message for record in caplog.records]
    assert (
        messages
        == [
            "Redis does not answer; the store is used instead",
            "Redis answers again",
        ]
        * 2
    )


def test_a_server_that_is_back_is_read_at_once_by_every_process(
    both: Both, database: Database, clock: FixedClock, task: str
) -> None:
    other = Both(both.valkey, database, clock)
    both.go_away()
    both.memory.put("team", task, "before", 1, 60)
    clock.advance(PAUSE)
    other.memory.put("team", task, "before", 2, 60)  # it has noticed the outage later
    both.valkey.start()
    both.memory.put("team", task, "key", "back", 60)
    assert value(other.memory, task, "key") == "back"
    assert [one.key for one in other.memory.keys("team", task, limit=9)] == ["before", "key"]
    other.server.close()


def test_an_accepting_but_silent_server_is_queried_occasionally(
    database: Database, clock: FixedClock, task: str
) -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        mute.setblocking(False)
        server = RedisServer(f"redis://127.0.0.1:{mute.getsockname()[1]}/0", clock)
        table = TableWorkingMemory(database, clock, keep=MAX_MICROSECONDS)
        memory = FallbackWorkingMemory(RedisWorkingMemory(server, clock), table, clock)
        for turn in range(3):
            for number in range(20):
                memory.put("team", task, "key", number, 60)
                assert value(memory, task, "key") == number
            assert _callers(mute) == 1, turn
            clock.advance(PAUSE - 1)
            assert value(memory, task, "key") == 19
            assert _callers(mute) == 0
            clock.advance(1)
        waits = server._client.connection_pool.connection_kwargs
        assert waits["socket_timeout"] == waits["socket_connect_timeout"] == TIMEOUT_SECONDS
        server.close()


def _callers(server: socket.socket) -> int:
    """Return the number of connections since the last call."""
    found = 0
    while True:
        try:
            server.accept()[0].close()
        except BlockingIOError:
            return found
        found += 1


def test_a_server_that_refuses_is_as_good_as_away(
    both: Both, database: Database, clock: FixedClock, task: str
) -> None:
    client = redis.Redis.from_url(both.valkey.url)
    client.config_set("maxmemory", "1")
    try:
        both.memory.put("team", task, "key", "kept all the same", 60)
        assert value(both.memory, task, "key") == "kept all the same"
    finally:
        client.config_set("maxmemory", "0")
        client.close()
    clock.advance(PAUSE)
    assert value(both.memory, task, "key") == "kept all the same"


def test_a_connection_that_the_server_has_closed_is_made_anew(both: Both, task: str) -> None:
    both.memory.put("team", task, "key", 1, 60)
    client = redis.Redis.from_url(both.valkey.url)
    client.client_kill_filter(_type="normal", skipme=True)
    client.close()
    assert value(both.there, task, "key") == 1


def test_an_entry_of_a_task_that_was_forgotten_meanwhile_does_not_stay(
    both: Both, database: Database, task: str
) -> None:
    database.write(lambda tx: tasks.delete(tx, "team", task))
    with pytest.raises(NotFound, match="no task"):
        both.memory.put("team", task, "key", "text", 60)
    assert value(both.there, task, "key") == "nothing"
    both.go_away()
    with pytest.raises(NotFound, match="no task"):
        both.memory.put("team", task, "key", "text", 60)


def test_forgetting_reaches_both_places_or_reports_that_it_did_not(both: Both, task: str) -> None:
    both.there.put("team", task, "there", "text", 60)
    both.table.put("team", task, "here", "text", 60)
    both.go_away()
    with pytest.raises(StorageUnusable):
        both.memory.forget("team", [task])
    both.come_back()
    assert "here" not in keys(both.memory, task)
    both.memory.forget("team", [task])
    assert keys(both.memory, task) == []


def test_nothing_of_a_team_is_left_on_the_server_when_its_entries_are_gone(
    valkey: ValkeyProcess, clock: FixedClock
) -> None:
    server = RedisServer(valkey.url, clock)
    memory = RedisWorkingMemory(server, clock)
    client = redis.Redis.from_url(valkey.url)
    for number in range(1_203):
        memory.put("vanishing", "one", f"key {number}", number, 600)
    memory.put("vanishing", "two", "key", 1, 1)
    never = -1
    assert never not in map(client.ttl, client.scan_iter("memoranda:vanishing:*"))
    time.sleep(1.2)
    assert keys(memory, "two") == []
    memory.keys("vanishing", "two", limit=9)
    memory.forget("vanishing", ["one"])
    assert list(client.scan_iter("memoranda:vanishing:*")) == []
    client.close()
    server.close()


def test_a_key_written_while_its_name_is_tidied_away_stays_listed(
    valkey: ValkeyProcess, clock: FixedClock
) -> None:
    server = RedisServer(valkey.url, clock)
    memory = RedisWorkingMemory(server, clock)
    client = redis.Redis.from_url(valkey.url)
    client.zadd(place("team", "keys", "busy"), {b"key": 0, b"gone": 0})
    memory.put("team", "busy", "key", 1, 60)
    from memoranda.store.redis import working as module

    server.run(lambda client: module._tidy(client, "team", "busy", [b"key", b"gone"]))
    assert keys(memory, "busy") == ["key"]
    server.run(lambda client: module._tidy(client, "team", "busy", [b"gone"]))
    assert client.zrange(place("team", "keys", "busy"), 0, -1) == [b"key"]
    client.close()
    server.close()


@given(parts=st.lists(st.text() | st.text("a:%*3A{é\ud800"), min_size=2, max_size=4))
def test_a_place_begins_with_its_team_and_has_no_character_that_means_something(
    parts: list[str],
) -> None:
    assert place(*parts).startswith(f"{place(parts[0])}:")
    assert place(*parts).count(":") == len(parts)
    assert set(place(*parts)).isdisjoint("*?[]{}\\ \r\n\0")


def test_no_two_lists_of_parts_share_a_place() -> None:
    parts = ("", ":", "a", "a:a", "%3A", "%", "A", "é", "e\u0301", "\ud800", "%ED%A0%80")
    lists = [each for length in (1, 2, 3) for each in product(parts, repeat=length)]
    assert len({place(*each) for each in lists}) == len(lists)


def test_the_time_of_an_entry_is_that_of_the_injected_clock(database: Database, task: str) -> None:
    clock = FixedClock()
    memory = TableWorkingMemory(database, clock)
    memory.put("team", task, "key", 1, 1)
    clock.advance(SECOND - 1)
    assert value(memory, task, "key") == 1
    clock.advance(1)
    assert value(memory, task, "key") == "nothing"
    still_there = database.read(partial(_raw, task=task))
    assert still_there is not None
    memory.put("team", task, "other", 1, 1)
    assert database.read(partial(_raw, task=task)) is None, "a write sweeps"


def _raw(tx: Any, task: str) -> WorkingEntry | None:
    return working.get(tx, "team", task, "key", EVER)


@pytest.mark.parametrize(
    "url", ["redis://h:abc/0", "nonsense://x", "redis://h:1/0?socket_timeout=x"]
)
def test_an_address_that_is_none_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(InvalidInput, match="redis_url must be a URL") as caught:
        RedisServer(url, FixedClock())
    assert url not in str(caught.value)
