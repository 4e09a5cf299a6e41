"""Alerts for slow operations and lost facts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import apsw
import pytest

from contract.clock import FixedClock
from memoranda.api.server.access_log import ObservedRequest, RequestObserver
from memoranda.api.server.base_guard import ADMITTED
from memoranda.exceptions import NotFound, StorageFull
from memoranda.instrumentation import FinishedCall, recording_calls
from memoranda.journal import table as journal
from memoranda.journal.model import SLOW_ALERT
from memoranda.store.database import Database
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.telemetry.server_metrics import SHARED, ServerMetrics, lives, shared_figures
from memoranda.upkeep.slow_operations import PAUSE, SlowOperations

TEAM = "local"


class Listening:
    """Records the calls of a listener."""

    def __init__(self) -> None:
        self.calls: list[FinishedCall] = []
        self.slowly: list[tuple[str, float]] = []

    def ended(self, call: FinishedCall) -> None:
        self.calls.append(call)

    def slow(self, operation: str, seconds: float) -> None:
        self.slowly.append((operation, seconds))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = SqliteDatabase(tmp_path / "memoranda.db")
    yield opened
    opened.close()


def alerts(database: Database, team: str = TEAM) -> list[tuple[str, dict[str, object]]]:
    found = database.of(team).read(lambda tx: journal.listed(tx, team, operation=SLOW_ALERT))
    return [(one.subject, dict(one.detail)) for one in reversed(found)]


class TestSlowness:
    """An operation that takes longer than the settings allow."""

    def test_only_slow_operations_are_reported(self, database: Database) -> None:
        listening = Listening()
        slowness = SlowOperations(listening, FixedClock(), 2_000)
        slowness.look(database, TEAM, "search", 1.999)
        slowness.look(database, TEAM, "search", 2.0)
        slowness.close()
        assert listening.slowly == [("search", 2.0)]
        assert alerts(database) == [("search", {"milliseconds": 2_000, "allowed": 2_000})]

    def test_one_of_a_kind_is_written_down_in_a_minute(self, database: Database) -> None:
        listening, now = Listening(), [0.0]
        slowness = SlowOperations(listening, FixedClock(), 100, elapsed=lambda: now[0])
        for at in (0.0, PAUSE - 1, PAUSE, PAUSE + 1):
            now[0] = at
            slowness.look(database, TEAM, "search", 1.0)
        slowness.look(database, TEAM, "context", 1.0)
        slowness.look(database, "barn", "search", 1.0)
        slowness.close()
        assert len(listening.slowly) == 6
        assert [subject for subject, _ in alerts(database)] == ["search", "search", "context"]
        assert [subject for subject, _ in alerts(database, "barn")] == ["search"]

    def test_zero_allows_everything(self, database: Database) -> None:
        listening = Listening()
        slowness = SlowOperations(listening, FixedClock(), 0)
        slowness.look(database, TEAM, "search", 1e6)
        slowness.close()
        assert not listening.slowly
        assert not alerts(database)

    def test_an_answer_does_not_wait_for_a_store_that_is_still_locked(
        self, database: Database, tmp_path: Path
    ) -> None:
        other = apsw.Connection(str(tmp_path / "memoranda.db"))
        other.execute("begin immediate")
        slowness = SlowOperations(Listening(), FixedClock(), 100)
        slowness.look(database, TEAM, "memories.add", 30.0)
        assert not alerts(database)
        other.execute("rollback")  # reached only if the call did not wait for the lock
        slowness.close()
        assert [subject for subject, _ in alerts(database)] == ["memories.add"]
        slowness.close()

    def test_a_store_that_takes_nothing_fails_nobody(
        self, database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def full(self: object, work: object) -> NoReturn:
            raise StorageFull("no room in /home/ada")

        monkeypatch.setattr(SqliteDatabase, "write", full)
        listening = Listening()
        slowness = SlowOperations(listening, FixedClock(), 1)
        slowness.look(database, TEAM, "search", 1.0)
        slowness.close()
        assert len(listening.slowly) == 1
        assert [vars(one)["code"] for one in caplog.records] == ["storage_full"]


class TestHeard:
    """Every finished call is reported with its outcome."""

    @pytest.mark.parametrize(
        ("error", "outcome"),
        [(None, "ok"), (NotFound("zebra"), "not_found"), (ValueError("zebra"), "internal")],
    )
    def test_it_is_reported_once(self, error: Exception | None, outcome: str) -> None:
        listening = Listening()
        try:
            with recording_calls(listening, "rest", "search"):
                if error:
                    raise error
        except Exception as raised:
            assert raised is error
        (call,) = listening.calls
        assert (call.door, call.operation, call.outcome) == ("rest", "search", outcome)
        assert call.seconds >= 0


class TestWatching:
    """Monitoring never disturbs the monitored calls."""

    def test_a_failing_counter_is_reported_once_and_the_call_continues(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        def fail(*_: object) -> NoReturn:
            raise OSError("no room in /home/ada")

        figures = ServerMetrics()
        monkeypatch.setattr(figures, "called", fail)
        watching = RequestObserver(figures)
        for _ in range(3):
            with recording_calls(watching, "rest", "search"):
                pass
        assert [one.getMessage() for one in caplog.records] == ["counting fails"]

    @pytest.mark.parametrize(
        ("door", "status", "admitted", "refused"),
        [
            ("rest", 401, False, True),
            ("rest", 403, True, False),
            ("rest", 200, False, False),
            ("health", 503, False, False),
            ("health", 401, False, True),
        ],
    )
    def test_a_guards_refusal_differs_from_an_interfaces(
        self, door: str, status: int, admitted: bool, refused: bool
    ) -> None:
        request = ObservedRequest(door, 0.0, {ADMITTED: admitted}, status)
        assert request.refused is refused


class TestSharing:
    """The directory in which several processes share their metrics."""

    def test_it_is_empty_at_first_and_gone_afterwards(self, tmp_path: Path) -> None:
        own = tmp_path / str(os.getpid())
        own.mkdir()
        (own / "counter_1.db").touch()
        before = os.environ.get(SHARED)
        with shared_figures(tmp_path):
            assert os.environ[SHARED] == str(own)
            assert not [*own.iterdir()]
            assert own.stat().st_mode & 0o077 == 0
        assert os.environ.get(SHARED) == before
        assert not own.exists()

    def test_only_what_the_killed_left_goes(self, tmp_path: Path) -> None:
        gone = next(number for number in range(4_000_000, 5_000_000) if not lives(number))
        kept = [tmp_path / str(os.getppid()), tmp_path / "notes"]
        for folder in (tmp_path / str(gone), *kept):
            folder.mkdir()
        with shared_figures(tmp_path):
            pass
        assert sorted(tmp_path.iterdir()) == sorted(kept)
