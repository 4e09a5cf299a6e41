"""Counts of retrievals, buffered so that most searches need no write."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from dataclasses import replace
from functools import partial

from memoranda.clock import MICROSECONDS, Clock
from memoranda.exceptions import MemorandaError
from memoranda.search import retrieval_table as retrievals
from memoranda.search.model import Hit, SearchResult
from memoranda.search.retrieval_table import RetrievalCount
from memoranda.store.database import Database, Transaction

WAITING = 30 * MICROSECONDS
"""Time in microseconds after which the next search stores the counts."""
MANY = 1_000
"""Number of records above which counts are stored immediately."""

logger = logging.getLogger(__name__)


class RetrievalRecorder:
    """Counts how often searches return each record.

    Thread-safe. If the process is killed, the counts of up to the last half minute are lost.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._counts: dict[str, Counter[str]] = {}
        self._last: dict[tuple[str, str], int] = {}
        self._since = 0

    def counted(self, team: str, found: SearchResult) -> SearchResult:
        """Return a result with the previous counts of its hits; then count it."""
        ids = [hit.id for hit in (*found.hits, *found.nearest)]
        if not ids:
            return found
        stored = self._stored_counts(team, ids)
        self._note(team, [hit.id for hit in found.hits])
        return replace(
            found,
            hits=tuple(_with_count(hit, stored.get(hit.id)) for hit in found.hits),
            nearest=tuple(_with_count(hit, stored.get(hit.id)) for hit in found.nearest),
        )

    def store(self) -> None:
        """Store the buffered counts; they are lost if storing fails."""
        with self._lock:
            counts, self._counts, self._since = self._counts, {}, 0
            self._last.clear()
        try:
            for team, stored in counts.items():
                self._database.write(partial(_add, team, stored, self._clock.now()))
        except MemorandaError as error:
            logger.warning("retrievals are not counted", extra={"reason": str(error)})

    def _stored_counts(self, team: str, ids: list[str]) -> dict[str, RetrievalCount]:
        stored = self._database.read(lambda tx: retrievals.of_sources(tx, team, ids))
        with self._lock:
            waiting = self._counts.get(team, Counter())
            for id in ids:
                if waiting[id]:
                    before = stored[id].accesses if id in stored else 0
                    last = self._last[team, id]
                    stored[id] = RetrievalCount(before + waiting[id], last)
        return stored

    def _note(self, team: str, ids: list[str]) -> None:
        now = self._clock.now()
        with self._lock:
            counts = self._counts.setdefault(team, Counter())
            counts.update(ids)
            self._last |= {(team, id): now for id in ids}
            self._since = self._since or now
            due = now - self._since > WAITING or len(counts) > MANY
        if due:
            self.store()


def _with_count(hit: Hit, stored: RetrievalCount | None) -> Hit:
    if stored is None:
        return hit
    return replace(hit, access_count=stored.accesses, last_accessed_at=stored.accessed_at)


def _add(team: str, counts: Counter[str], now: int, tx: Transaction) -> None:
    retrievals.add(tx, team, counts, now)
