"""Doing the derived work that waits in the outbox."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from memoranda.clock import Clock
from memoranda.store.database import Database
from memoranda.store.tables import jobs
from memoranda.values.job import Job

logger = logging.getLogger(__name__)


class Worker:
    """Leases jobs one at a time. Any number of workers, in any processes, share the outbox."""

    def __init__(
        self,
        database: Database,
        handlers: Mapping[str, Callable[[Job], None]],
        clock: Clock,
        owner: str,
    ) -> None:
        self._database = database
        self._handlers = handlers
        self._clock = clock
        self._owner = owner

    def run(self, limit: int = 100) -> int:
        """Do jobs that are due, at most ``limit``; return how many were tried.

        A job whose handler fails is tried again later, five times in all; its last error stays
        with it. A job interrupted by a crash is taken up again when its lease ends.
        """
        for done in range(limit):
            job = self._database.write(lambda tx: jobs.lease(tx, self._owner, self._clock.now()))
            if job is None:
                return done
            self._do(job)
        return limit

    def _do(self, job: Job) -> None:
        try:
            self._handlers[job.kind](job)
        except Exception as error:
            logger.warning("job failed", extra={"kind": job.kind, "error": type(error).__name__})
            trouble = f"{type(error).__name__}: {error}"[:500]
            self._database.write(
                lambda tx: jobs.fail(tx, job, self._owner, self._clock.now(), trouble)
            )
        else:
            self._database.write(lambda tx: jobs.complete(tx, job, self._owner, self._clock.now()))
