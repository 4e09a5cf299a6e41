"""Workers that run the queued jobs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

from memoranda.clock import MICROSECONDS, Clock
from memoranda.exceptions import MemorandaError
from memoranda.jobs import table as jobs
from memoranda.jobs.model import HEAVY, Backlog, Job
from memoranda.store.database import Database, Transaction
from memoranda.working import table as working
from memoranda.working.model import MAX_MICROSECONDS

KEEP = 7 * 24 * 3_600 * MICROSECONDS
"""Age up to which finished jobs are kept."""

logger = logging.getLogger(__name__)


IsOver = Callable[[], bool]
"""Function that returns whether a job with several steps should end after the current step."""


def never() -> bool:
    """Return False, so that a job with several steps never ends early."""
    return False


def after(seconds: float) -> IsOver:
    """Return a function that ends a job with several steps after some seconds."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


class Worker:
    """Worker that leases the jobs of a team one at a time.

    Any number of workers may share a queue.
    """

    def __init__(
        self,
        database: Database,
        team: str,
        handlers: Mapping[str, Callable[[Job], None]],
        clock: Clock,
        owner: str,
    ) -> None:
        self._database = database
        self._team = team
        self._handlers = handlers
        self._clock = clock
        self._owner = owner
        self._running = threading.local()

    def run(
        self,
        limit: int = 100,
        *,
        light: bool = False,
        without: Collection[str] = frozenset(),
        is_over: IsOver = never,
    ) -> int:
        """Run at most ``limit`` due jobs; return how many were run.

        With ``light``, heavy jobs are skipped; jobs of the kinds ``without`` are never run.

        A job whose handler fails is retried later, up to five attempts; its last error is stored
        with it. A job interrupted by a crash is resumed when its lease ends. Jobs that become due
        during the run wait for the next run, so that a steady stream of events is processed in
        batches. After each job, and within long jobs, ``is_over`` is called; if it returns true,
        the remaining work is left to the next run.
        """
        self._running.is_over = is_over
        due = self._clock.now()
        without = {*without, *HEAVY} if light else without
        for done in range(limit):
            job = self._leased(due, without)
            if job is None:
                return done
            self._do(job)
            if is_over():
                return done + 1
        return limit

    def is_over(self) -> bool:
        """Return whether this thread's job should leave the rest to another run."""
        is_over: IsOver = getattr(self._running, "is_over", never)
        return is_over()

    def backlog(self) -> Backlog:
        """Return the unfinished jobs of the team, for all workers."""
        return self._database.read(lambda tx: jobs.backlog(tx, self._team, self._clock.now()))

    def _leased(self, due: int, without: Collection[str]) -> Job | None:
        """Lease a job that was due at a time; the lease starts now."""

        def work(tx: Transaction) -> Job | None:
            now = self._clock.now()
            return jobs.lease(tx, self._team, self._owner, now, due=due, without=without)

        return self._database.write(work)

    def _do(self, job: Job) -> None:
        try:
            self._handlers[job.kind](job)
        except Exception as error:
            trouble = f"{type(error).__name__}: {error}"[:500]
            named = {"kind": job.kind, "error": type(error).__name__}
            logger.warning("job failed: %s", f"{job.kind}, {trouble}", extra=named)
            self._database.write(
                lambda tx: jobs.fail(tx, job, self._owner, self._clock.now(), trouble)
            )
        else:
            self._database.write(lambda tx: self._complete(tx, job))

    def _complete(self, tx: Transaction, job: Job) -> None:
        now = self._clock.now()
        if jobs.complete(tx, job, self._owner, now):
            jobs.sweep(tx, job.team, now - KEEP)
            working.sweep(tx, job.team, now - MAX_MICROSECONDS)


SETTLE_SECONDS = 0.5
"""Seconds between a burst of writes and the start of derived work."""
CLOSING_SECONDS = 1.0
"""Seconds for light jobs when the worker is stopped; the next process runs the others."""
POLL_SECONDS = 30.0
"""Seconds between an idle thread's checks for jobs of other processes."""


class BackgroundWorker:
    """Background thread that runs jobs, so that no caller has to wait.

    The thread starts when `wake` is first called, and ends when `stop` is called.
    """

    def __init__(self, worker: Worker, settle_seconds: float = SETTLE_SECONDS) -> None:
        self._worker = worker
        self._settle = settle_seconds
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        self._busy = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closing: IsOver = never

    @property
    def is_running(self) -> bool:
        """Whether the thread was started and thus runs all jobs."""
        return self._thread is not None

    def wake(self) -> None:
        """Signal that jobs may be due."""
        with self._starting:
            if self._thread is None and not self._stopping.is_set():
                self._thread = threading.Thread(
                    target=self._loop, name="memoranda-worker", daemon=True
                )
                self._thread.start()
        self._woken.set()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Pause the thread after its current job."""
        with self._busy:
            yield

    def stop(self) -> None:
        """Run due light jobs for at most a second, then end the thread. Idempotent."""
        self._closing = after(CLOSING_SECONDS)
        self._stopping.set()
        self._woken.set()
        with self._starting:  # a thread that is still starting cannot be joined
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _loop(self) -> None:
        while True:
            self._woken.wait(POLL_SECONDS)
            self._stopping.wait(self._settle)
            self._woken.clear()
            try:
                with self._busy:
                    self._work()
            except Exception as error:  # if this thread ended, no jobs would run any more
                code = error.code if isinstance(error, MemorandaError) else type(error).__name__
                logger.warning("jobs wait", extra={"error": code})
            if self._stopping.is_set() and (self._closing() or not self._woken.is_set()):
                return

    def _work(self) -> None:
        while self._worker.run(light=self._stopping.is_set(), is_over=self._is_over):
            if self._is_over():
                return

    def _is_over(self) -> bool:
        return self._stopping.is_set() and self._closing()
