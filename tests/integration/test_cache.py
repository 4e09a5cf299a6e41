"""Cached results equal fresh ones, stay in scope, and end with deletion."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, given, settings, strategies as st

from contract.clock import FixedClock
from memoranda import Memoranda, Scope
from memoranda.assembly.services import Services
from memoranda.exceptions import InvalidInput
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.observations.model import ObservationType
from memoranda.ports import Cache
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind, SearchResult
from memoranda.search.query_executor import SearchQuery
from memoranda.store.cache import ProcessCache
from memoranda.store.redis.cache import RedisCache
from memoranda.store.redis.server import PAUSE, RedisServer, place
from servers import ValkeyProcess, free_port

pytestmark = pytest.mark.integration

SECOND = 1_000_000
HOSTILE = ("a", "a:b", "*", "a*", "?", "[a]", "%2A", "", "\n", "\ud800", "é")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


class CacheContract:
    """Cached values are returned to their team alone, until they expire."""

    @given(team=st.text(max_size=8), key=st.text(max_size=30), data=st.binary(max_size=60))
    @settings(
        suppress_health_check=[
            HealthCheck.function_scoped_fixture,
            HealthCheck.differing_executors,
        ],
    )
    def test_any_bytes_come_back(self, cache: Cache, team: str, key: str, data: bytes) -> None:
        cache.put(team, key, data, 60)
        assert cache.get(team, key) == data
        assert cache.get(team + "x", key) is None
        assert cache.get(team, key + "x") is None
        cache.put(team, key, b"again", 60)
        assert cache.get(team, key) == b"again"
        assert cache.clear(team)

    def test_clearing_takes_all_of_one_team_and_nothing_of_another(self, cache: Cache) -> None:
        for team in HOSTILE:
            for number in range(3):
                cache.put(team, f"key {number}", team.encode("utf-8", "surrogatepass"), 60)
        for cleared in HOSTILE:
            assert cache.clear(cleared)
            teams = [team for team in HOSTILE if cache.get(team, "key 1") is not None]
            assert teams == list(HOSTILE[HOSTILE.index(cleared) + 1 :])

    def test_what_has_expired_is_gone(
        self, cache: Cache, pass_seconds: Callable[[float], None]
    ) -> None:
        cache.put("team", "short", b"1", 1)
        cache.put("team", "long", b"2", 60)
        assert cache.get("team", "short") == b"1"
        pass_seconds(1.1)
        assert cache.get("team", "short") is None
        assert cache.get("team", "long") == b"2"


class TestInTheProcess(CacheContract):
    @pytest.fixture
    def cache(self, clock: FixedClock) -> ProcessCache:
        return ProcessCache(clock)

    @pytest.fixture
    def pass_seconds(self, clock: FixedClock) -> Callable[[float], None]:
        return lambda seconds: clock.advance(round(seconds * SECOND))


class TestOnValkey(CacheContract):
    @pytest.fixture
    def cache(self, valkey: ValkeyProcess, clock: FixedClock) -> Iterator[RedisCache]:
        server = RedisServer(valkey.url, clock)
        yield RedisCache(server)
        server.close()

    @pytest.fixture
    def pass_seconds(self) -> Callable[[float], None]:
        return time.sleep

    def test_clearing_leaves_what_is_no_result(
        self, cache: RedisCache, valkey: ValkeyProcess
    ) -> None:
        client = redis.Redis.from_url(valkey.url)
        client.set(place("team", "working", "task", "cache"), b"kept")
        for number in range(1_203):
            cache.put("team", str(number), b"result", 60)
        assert cache.clear("team")
        names = list(client.scan_iter("memoranda:team:*"))
        assert names == [place("team", "working", "task", "cache").encode()]
        client.close()


def test_a_process_caches_a_limited_number_of_results(clock: FixedClock) -> None:
    cache = ProcessCache(clock, entries=3)
    for key in "abc":
        cache.put("team", key, b"x", 60)
    cache.get("team", "a")
    cache.put("team", "d", b"x", 60)
    assert [key for key in "abcd" if cache.get("team", key)] == ["a", "c", "d"]


def test_a_process_caches_a_limited_number_of_bytes(clock: FixedClock) -> None:
    cache = ProcessCache(clock, size=100)
    for key in "abc":
        cache.put("team", key, b"x" * 40, 60)
    assert [key for key in "abc" if cache.get("team", key)] == ["b", "c"]
    cache.put("team", "c", b"x" * 50, 60)
    assert [key for key in "bc" if cache.get("team", key)] == ["b", "c"]
    cache.put("team", "large", b"x" * 101, 60)
    assert [key for key in ("b", "c", "large") if cache.get("team", key)] == []
    for _ in range(9):
        cache.put("team", "a", b"x" * 60, 1)
        clock.advance(2 * SECOND)
        assert cache.get("team", "a") is None
    cache.put("team", "b", b"x" * 100, 60)
    assert cache.get("team", "b")


def test_a_cache_without_its_server_is_empty_and_silent(clock: FixedClock) -> None:
    cache = RedisCache(RedisServer(f"redis://127.0.0.1:{free_port()}/0", clock))
    for _ in range(3):
        cache.put("team", "key", b"x", 60)
        assert cache.get("team", "key") is None
        assert cache.clear("team") is False
        clock.advance(PAUSE)


@pytest.fixture(params=["process", "valkey"])
def cached(
    request: pytest.FixtureRequest, memory: Memoranda, valkey: ValkeyProcess
) -> Iterator[Memoranda]:
    """Return a memory with a local cache, and one with a cache in Valkey."""
    if request.param == "process":
        yield memory
        return
    redis.Redis.from_url(valkey.url).flushall()
    with Memoranda.open(settings=replace(memory.settings, redis_url=valkey.url)) as opened:
        yield opened


def searches(memory: Memoranda, monkeypatch: pytest.MonkeyPatch) -> list[SearchQuery]:
    """Record every search that was not answered from the cache."""
    done: list[SearchQuery] = []
    plain = memory._services._search._executor

    def noted(query: SearchQuery, *more: object) -> object:
        done.append(query)
        return plain(query, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(memory._services._search, "_executor", noted)
    return done


def uncounted(result: SearchResult) -> SearchResult:
    """Return a result without retrieval counts, which no cache stores."""
    bare = [
        tuple(replace(hit, access_count=0, last_accessed_at=None) for hit in hits)
        for hits in (result.hits, result.nearest)
    ]
    return replace(result, hits=bare[0], nearest=bare[1])


def settle(memory: Memoranda) -> None:
    """Run the jobs of earlier writes, because they can change results."""
    while memory._services.worker.run():
        pass


def test_a_search_is_done_once_until_something_changes(
    cached: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached.observe("the parcel is late", task="one", tool="Bash", input={"command": "track"})
    cached.remember(NewMemory("parcels are late on Mondays", tags=("post", "day")))
    settle(cached)
    done = searches(cached, monkeypatch)
    first = cached.search("late parcels")
    assert len(first.hits) == 2
    for before in range(1, 4):
        again = cached.search("late parcels")
        assert [hit.access_count for hit in again.hits] == [before, before]
        assert uncounted(again) == uncounted(first)
    assert [requests.query for requests in done] == ["late parcels"]
    changes: list[Callable[[], object]] = [
        lambda: cached.observe("another parcel is late", task="one"),
        lambda: cached.remember("late parcels cost nothing"),
        lambda: cached.forget(RemovalSelection(ids=[first.hits[0].id]), confirm=True),
    ]
    for number, change in enumerate(changes, 2):
        change()
        settle(cached)
        found, again = cached.search("late parcels"), cached.search("late parcels")
        assert uncounted(found) == uncounted(again)
        assert len(done) == number
    assert first.hits[0].id not in [hit.id for hit in cached.search("late parcels").hits]


def test_a_query_with_other_arguments_is_not_cached(
    cached: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("shop", "barn"):
        cached.observe(f"late in the {name}", task="one", workspace=name, type="decision")
    settle(cached)
    done = searches(cached, monkeypatch)
    ways: list[Callable[[], SearchResult]] = [
        lambda: cached.search("late"),
        lambda: cached.search("late "),
        lambda: cached.search("late", limit=1),
        lambda: cached.search("late", workspace="shop"),
        lambda: cached.search("late", workspace="barn"),
        lambda: cached.search("late", task="1"),
        lambda: cached.search("late", where=SearchFilter(types=[ObservationType.DECISION])),
        lambda: cached.search("late", where=SearchFilter(types=[ObservationType.ERROR])),
        lambda: cached.search("late", where=SearchFilter(kinds=[HitKind.MEMORY])),
        lambda: cached.search("late", where=SearchFilter(since=1)),
        lambda: cached.search("late", where=SearchFilter(until=1)),
        lambda: cached.search("late", where=SearchFilter(tags=["a", "b"])),
        lambda: cached.search("late", where=SearchFilter(tags=["a", "b"], any_tag=True)),
    ]
    answers = [uncounted(way()) for way in ways]
    assert len(done) == len(ways)
    assert [uncounted(way()) for way in ways] == answers
    assert len(done) == len(ways)
    with pytest.raises(InvalidInput):
        cached.search("late", limit=0)


def test_a_search_finds_stages_created_later(cached: Memoranda) -> None:
    cached._services.background.stop()
    for number in range(6):
        call = {"command": f"pytest tests/test_{number}.py"}
        cached.observe(f"1 failed: zebra {number}", task="one", tool="Bash", input=call)
    wanted = SearchFilter(stages=["verification"])
    for _ in range(2):
        assert cached.search("zebra", where=wanted).hits == ()
    settle(cached)
    assert len(cached.search("zebra", where=wanted).hits) == 6


def test_a_cached_answer_belongs_to_the_agent_that_requested_it(cached: Memoranda) -> None:
    cached._scope = Scope(agent="planner")
    private = cached.remember(NewMemory("the vault is blue", visibility=Visibility.AGENT))
    sql = "update memory set status = 'approved' where team = :team"
    cached._database.write(lambda tx: tx.execute(sql, {"team": "local"}))
    assert [hit.id for hit in cached.search("vault").hits] == [private.id]
    for stranger in (Scope(agent="tester"), Scope(), Scope("other", agent="planner")):
        cached._scope = stranger
        assert cached.search("vault").hits == ()


def test_a_restored_store_does_not_answer_from_what_it_was(
    cached: Memoranda, tmp_path: Path
) -> None:
    cached.observe("first", task="one")
    cached.store.backup(tmp_path / "saved.db")
    lost = cached.observe("the parcel is late", task="one")
    assert [hit.id for hit in cached.search("parcel").hits] == [lost.id]
    cached.store.restore(tmp_path / "saved.db")
    again = cached.observe("the parcel came", task="one")
    assert [hit.id for hit in cached.search("parcel").hits] == [again.id]


@pytest.mark.parametrize(
    "stored", [b"", b"{}", b"[]", b"null", b"\xff", b'{"hits": [1]}', b'{"hits": 1}']
)
def test_an_invalid_cached_answer_is_searched_again(
    memory: Memoranda, clock: FixedClock, monkeypatch: pytest.MonkeyPatch, stored: bytes
) -> None:
    seen = memory.observe("the parcel is late", task="one")
    services = Services(memory.settings, clock)
    monkeypatch.setattr(services.cache, "get", lambda team, key: stored)
    found = Memoranda(services, Scope()).search("parcel")
    assert [hit.id for hit in found.hits] == [seen.id]
    services.close()
