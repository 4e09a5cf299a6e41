"""Reads from a streaming replica that has this process's writes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import psycopg
from psycopg_pool import PoolTimeout

from memoranda.store.database import Transaction
from memoranda.store.postgres.connections import abandon, pool
from memoranda.store.postgres.counts import CachedCounts
from memoranda.store.postgres.faults import redacted_address
from memoranda.store.postgres.transaction import PostgresTransaction

T = TypeVar("T")

REST_SECONDS = 5.0
"""Seconds for which a replica is not used after a failure."""
WAIT_SECONDS = 1.0
# Queried before the snapshot is taken, so that the snapshot contains everything replayed until
# then.
_CAUGHT_UP = "select coalesce(pg_last_wal_replay_lsn() >= %(lsn)s::pg_lsn, not pg_is_in_recovery())"


class Replica:
    """A second server for reads; if it fails, the primary is used."""

    def __init__(self, url: str, size: int, counts: CachedCounts) -> None:
        self.place = redacted_address(url)
        self._counts = counts
        self.answered = 0
        """Approximate number of reads that used the replica."""
        self._pool = pool(url, size, WAIT_SECONDS)
        self._lock = threading.Lock()
        self._expected = "0/0"
        self._resting_until = 0.0

    def expect(self, position: str) -> None:
        """Set the primary's log position that later reads must include."""
        with self._lock:
            if _offset(position) > _offset(self._expected):
                self._expected = position

    def read(
        self, begin: str, parameters: Mapping[str, Any], work: Callable[[Transaction], T]
    ) -> tuple[T] | None:
        """Return the result in a tuple, or None if the primary must be used."""
        if time.monotonic() < self._resting_until:
            return None
        try:
            connection = self._pool.getconn()
        except PoolTimeout:
            self._rest()
            return None
        try:
            answer = self._answer(connection, begin, parameters, work)
        except psycopg.Error:  # if the fault is not limited to the replica, the primary reports it
            self._rest()
            abandon(connection)
            return None
        except BaseException:
            abandon(connection)
            raise
        finally:
            self._pool.putconn(connection)
        return answer

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    def _answer(
        self,
        connection: psycopg.Connection[Any],
        begin: str,
        parameters: Mapping[str, Any],
        work: Callable[[Transaction], T],
    ) -> tuple[T] | None:
        row = connection.execute(_CAUGHT_UP, {"lsn": self._expected}).fetchone()
        if not (row and row[0]):
            return None
        connection.execute(cast("Any", begin), parameters)
        result = work(PostgresTransaction(connection, self._counts))
        connection.execute("commit")
        self.answered += 1
        return (result,)

    def _rest(self) -> None:
        self._resting_until = time.monotonic() + REST_SECONDS


def _offset(position: str) -> int:
    """Parse a log position, ``16/B374D848``, as a number."""
    high, low = position.split("/")
    return int(high, 16) << 32 | int(low, 16)
