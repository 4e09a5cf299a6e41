"""Alerts for operations that exceed their time limit.

The server's metrics count each of them; the journal gets at most one entry per minute for an
operation of a team. A thread writes the entries, because a store that made an operation slow would
delay its answer once more.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from memoranda.clock import Clock
from memoranda.exceptions import MemorandaError
from memoranda.journal import table as journal
from memoranda.journal.model import SLOW_ALERT
from memoranda.journal.table import NewJournalEntry
from memoranda.json_data import JsonValue
from memoranda.ports import Calls
from memoranda.store.database import Database, Transaction

PAUSE = 60.0
"""Period in seconds in which slow runs of an operation of a team are journaled only once.

Otherwise, a slow store would receive a further write for each call.
"""

WAITING = 100
"""Maximum number of entries that wait to be written; any other is only logged."""
CLOSING_SECONDS = 2.0
"""Maximum seconds that `close` waits for them."""

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

        ``milliseconds`` is the maximum duration of an operation; 0: no limit.
        """
        self._calls = calls
        self._clock = clock
        self._most = milliseconds
        self._elapsed = elapsed
        self._last_warning: dict[tuple[str, str], float] = {}
        self._telling = threading.Lock()
        self._notes: queue.Queue[tuple[Database, str, NewJournalEntry] | None]
        self._notes = queue.Queue(WAITING)
        self._thread: threading.Thread | None = None

    def look(self, database: Database | None, team: str, operation: str, seconds: float) -> None:
        """Report an operation if it took too long.

        The server's metrics count each; the team's journal gets at most one per minute, after this
        call. An entry that cannot be written is logged. Without a database only the metrics count
        it.
        """
        if not self._most or seconds * 1_000 < self._most:
            return
        self._calls.slow(operation, seconds)
        if database is None or not self._due(team, operation):
            return
        detail: dict[str, JsonValue]
        detail = {"milliseconds": round(seconds * 1_000), "allowed": self._most}
        note = NewJournalEntry(self._clock.now(), "system", SLOW_ALERT, operation, detail)
        try:
            self._notes.put_nowait((database, team, note))
        except queue.Full:
            _not_recorded("queue_full")
        self._start()

    def close(self) -> None:
        """Wait at most two seconds until the entries are written. Idempotent."""
        with self._telling:
            thread, self._thread = self._thread, None
        if thread is None:
            return
        with suppress(queue.Full):
            self._notes.put_nowait(None)
        thread.join(CLOSING_SECONDS)
        if thread.is_alive():
            _not_recorded("closed")

    def _start(self) -> None:
        with self._telling:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._write_notes, name="memoranda-alerts", daemon=True
                )
                self._thread.start()

    def _write_notes(self) -> None:
        while waiting := self._notes.get():
            database, team, note = waiting
            try:
                database.of(team).write(partial(_append, team, note))
            except MemorandaError as error:
                _not_recorded(error.code)

    def _due(self, team: str, operation: str) -> bool:
        now = self._elapsed()
        with self._telling:
            last = self._last_warning.get((team, operation))
            if last is not None and now - last < PAUSE:
                return False
            self._last_warning[team, operation] = now
            return True


def _append(team: str, note: NewJournalEntry, tx: Transaction) -> None:
    journal.append(tx, team, note)


def _not_recorded(code: str) -> None:
    logger.warning("an alert was not recorded", extra={"code": code})
