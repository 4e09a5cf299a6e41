"""Alerts for operations that exceed their time limit.

The server's metrics count each of them; the journal gets at most one entry per minute for an
operation of a team.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from memoranda.clock import Clock
from memoranda.exceptions import MemorandaError
from memoranda.journal import table as journal
from memoranda.journal.model import SLOW_ALERT
from memoranda.journal.table import NewJournalEntry
from memoranda.json_data import JsonValue
from memoranda.ports import Calls
from memoranda.store.database import Database, Transaction

PAUSE = 60.0
"""Seconds in which a team's operation is journaled only once.

This keeps a slow store from receiving a further write for each call.
"""

logger = logging.getLogger(__name__)


class SlowOperations:
    """Reports slow operations. Thread-safe."""

    def __init__(
        self,
        calls: Calls,
        clock: Clock,
        milliseconds: int,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create the reporter.

        ``milliseconds`` is the time that an operation may take; 0: no limit.
        """
        self._calls = calls
        self._clock = clock
        self._most = milliseconds
        self._elapsed = elapsed
        self._last_warning: dict[tuple[str, str], float] = {}
        self._telling = threading.Lock()

    def look(self, database: Database | None, team: str, operation: str, seconds: float) -> None:
        """Report an operation if it took too long.

        The server's metrics count each; the team's journal gets at most one per minute. The
        operation does not fail if the journal cannot be written. Without a database only the
        metrics count it.
        """
        if not self._most or seconds * 1_000 < self._most:
            return
        self._calls.slow(operation, seconds)
        if database is None or not self._due(team, operation):
            return
        detail: dict[str, JsonValue]
        detail = {"milliseconds": round(seconds * 1_000), "allowed": self._most}
        note = NewJournalEntry(self._clock.now(), "system", SLOW_ALERT, operation, detail)

        def work(tx: Transaction) -> None:
            journal.append(tx, team, note)

        try:
            database.of(team).write(work)
        except MemorandaError as error:
            logger.warning("an alert was not recorded", extra={"code": error.code})

    def _due(self, team: str, operation: str) -> bool:
        now = self._elapsed()
        with self._telling:
            last = self._last_warning.get((team, operation))
            if last is not None and now - last < PAUSE:
                return False
            self._last_warning[team, operation] = now
            return True
