"""Background jobs run once, are retried, and never block their cause."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from happenings import message_event, ran

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.clock import MICROSECONDS, Clock
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobState
from memoranda.jobs.worker import BackgroundWorker, Worker
from memoranda.memories.removal import RemovalSelection
from memoranda.store.sqlite.engine import SqliteDatabase

pytestmark = pytest.mark.integration


def waiting_job(database: SqliteDatabase, kind: str, subject: str = "s") -> Job:
    job = Job("local", f"id-{kind}-{subject}", kind, subject, JobState.PENDING, 0, 0, None)
    database.write(lambda tx: jobs.enqueue(tx, job, 0))
    return job


def counts(database: SqliteDatabase) -> dict[str, int]:
    return database.read(lambda tx: jobs.counts(tx, "local"))


@pytest.fixture
def database(tmp_path: Path) -> SqliteDatabase:
    return SqliteDatabase(tmp_path / "memoranda.db")


def one_of(
    database: SqliteDatabase, handlers: dict[str, Callable[[Job], None]], clock: Clock | None = None
) -> Worker:
    return Worker(database, "local", handlers, clock or FixedClock(), "me")


def test_a_job_is_done_once(database: SqliteDatabase) -> None:
    seen: list[str] = []
    worker = Worker(
        database, "local", {"note": lambda job: seen.append(job.subject)}, FixedClock(), "me"
    )
    waiting_job(database, "note")
    assert (worker.run(), worker.run()) == (1, 0)
    assert seen == ["s"]
    assert counts(database) == {"done": 1}


def test_a_failing_job_is_tried_five_times_with_growing_pauses_and_stores_its_error(
    database: SqliteDatabase,
) -> None:
    clock = FixedClock()
    tries: list[int] = []

    def fail(job: Job) -> None:
        tries.append(clock.now())
        raise ValueError("no such luck")

    worker = one_of(database, {"note": fail}, clock)
    waiting_job(database, "note")
    for _ in range(200):
        worker.run()
        clock.advance(MICROSECONDS)
    pauses = [later - earlier for earlier, later in pairwise(tries)]
    assert len(tries) == 5
    assert pauses == sorted(pauses) and pauses[-1] >= 2 * pauses[0]
    assert counts(database) == {"failed": 1}
    (failed,) = database.read(lambda tx: jobs.failed(tx, "local"))
    assert "no such luck" in (failed.error or "")


def test_a_job_of_an_unknown_kind_fails_and_stops_nothing(database: SqliteDatabase) -> None:
    seen: list[str] = []
    worker = Worker(
        database, "local", {"note": lambda job: seen.append(job.id)}, FixedClock(), "me"
    )
    waiting_job(database, "mystery")
    waiting_job(database, "note")
    worker.run()
    assert seen == ["id-note-s"]


def test_a_lease_lasts_from_when_it_was_taken(database: SqliteDatabase) -> None:
    clock, done = FixedClock(), list[tuple[str, str]]()
    other = Worker(
        database, "local", {"note": lambda job: done.append(("other", job.subject))}, clock, "other"
    )

    def slow(job: Job) -> None:
        done.append(("me", job.subject))
        clock.advance(40 * MICROSECONDS)
        if job.subject == "two":
            other.run()

    for subject in ("one", "two"):
        waiting_job(database, "note", subject)
    worker = one_of(database, {"note": slow}, clock)
    worker.run()
    assert done == [("me", "one"), ("me", "two")]


def test_the_background_thread_goes_on_whatever_fails(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = threading.Event()
    worker = one_of(database, {"note": lambda job: seen.set()})
    works, failed = worker.run, threading.Event()

    def fails_once(*args: Any, **named: Any) -> int:
        if failed.is_set():
            return works(*args, **named)
        failed.set()
        raise RuntimeError("of a library")

    monkeypatch.setattr(worker, "run", fails_once)
    background = BackgroundWorker(worker, settle_seconds=0)
    waiting_job(database, "note")
    background.wake()
    assert failed.wait(30)
    background.wake()
    assert seen.wait(30)
    background.stop()


def test_the_background_thread_ends_with_stop_and_does_what_was_due(
    database: SqliteDatabase,
) -> None:
    seen: list[str] = []
    worker = Worker(
        database, "local", {"note": lambda job: seen.append(job.subject)}, FixedClock(), "me"
    )
    background = BackgroundWorker(worker, settle_seconds=60)
    waiting_job(database, "note")
    before = set(threading.enumerate())  # other tests' threads may be ending
    background.wake()
    background.stop()
    assert seen == ["s"]
    started = set(threading.enumerate()) - before
    assert "memoranda-worker" not in {thread.name for thread in started}


def test_a_stop_while_another_thread_starts_the_worker_waits_for_it(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    background = BackgroundWorker(
        one_of(database, {"note": lambda job: seen.append(job.subject)}), settle_seconds=0
    )
    waiting_job(database, "note")
    starting, starts = threading.Event(), threading.Thread.start

    def starts_late(thread: threading.Thread) -> None:
        starting.set()
        threading.Event().wait(0.1)
        starts(thread)

    patched = threading.Event()
    waker = threading.Thread(target=lambda: patched.wait(30) and background.wake())
    waker.start()
    monkeypatch.setattr(threading.Thread, "start", starts_late)
    patched.set()
    assert starting.wait(30)
    background.stop()
    assert seen == ["s"]
    waker.join()


def test_a_context_is_prepared_for_the_folder_after_something_happened(data_dir: Path) -> None:
    with Memoranda.open(data_dir) as memory:
        memory.capture.take(
            [message_event("1", "Never touch the migrations", cwd="/srv/shop"), ran("2", "ls")]
        )
    (prepared,) = (data_dir / "context").glob("*.json")
    assert "Never touch the migrations" in prepared.read_text("utf-8")


def test_a_job_whose_workers_all_died_is_given_up(database: SqliteDatabase) -> None:
    clock = FixedClock()
    waiting_job(database, "note")
    for _ in range(5):
        assert database.write(lambda tx: jobs.lease(tx, "local", "dies", clock.now()))
        clock.advance(jobs.LEASE)
    assert database.write(lambda tx: jobs.lease(tx, "local", "dies", clock.now())) is None
    assert counts(database) == {"failed": 1}


def test_finished_jobs_are_swept_after_a_week(database: SqliteDatabase) -> None:
    clock = FixedClock()
    worker = one_of(database, {"note": lambda job: None}, clock)
    waiting_job(database, "note", "old")
    worker.run()
    clock.advance(8 * 24 * 3_600 * MICROSECONDS)
    waiting_job(database, "note", "new")
    worker.run()
    assert counts(database) == {"done": 1}


def test_a_write_inside_a_write_is_refused_at_once(database: SqliteDatabase) -> None:
    with pytest.raises(RuntimeError, match="inside a write"):
        database.write(lambda tx: database.write(lambda inner: None))
    assert database.write(lambda tx: 1) == 1


def test_traces_of_forgotten_text_go_even_if_the_one_who_forgot_was_killed(
    data_dir: Path,
) -> None:
    with Memoranda.open(data_dir) as memory:
        memory.capture.take([message_event("1", "the zyzzyva project")])
        (entry,) = memory.observations.index()
        services = memory._services
        services.forgetting._afterwards = lambda _: (_ for _ in ()).throw(KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt):
            memory.forget(RemovalSelection(ids=[entry.id]), confirm=True)
        services.worker.run()
        services.database.reclaim()
        assert b"zyzzyva" not in (data_dir / "memoranda.db").read_bytes()


def test_nothing_is_rendered_without_content(data_dir: Path) -> None:
    with Memoranda.open(data_dir) as memory:
        memory.capture.take([message_event("1", "Never touch the migrations", cwd="/srv/shop")])
        (entry,) = memory.observations.index()
        memory.forget(RemovalSelection(ids=[entry.id]), confirm=True)
    assert not list((data_dir / "context").glob("*.json"))


def test_who_has_it_rest_waits_for_what_it_is_at(database: SqliteDatabase) -> None:
    begun, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def slow(job: Job) -> None:
        begun.set()
        go_on.wait(30)
        done.append(job.subject)

    background = BackgroundWorker(one_of(database, {"note": slow}), settle_seconds=0)
    waiting_job(database, "note")
    background.wake()
    assert begun.wait(30)
    threading.Timer(0.05, go_on.set).start()
    with background.resting():
        assert done == ["s"]
    background.stop()


def test_a_long_job_ends_soon_after_the_thread_is_stopped(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoranda.jobs.worker.CLOSING_SECONDS", 0.05)
    begun = threading.Event()
    workers: list[Worker] = []

    def endless(job: Job) -> None:
        begun.set()
        while not workers[0].is_over():
            time.sleep(0.001)

    workers.append(one_of(database, {"note": endless}))
    background = BackgroundWorker(workers[0], settle_seconds=0)
    waiting_job(database, "note")
    background.wake()
    assert begun.wait(30)
    background.stop()  # would not return
    assert not background._thread or not background._thread.is_alive()
