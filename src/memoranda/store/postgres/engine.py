"""PostgreSQL as a `Database`: row-level security, pool and replicas.

No acknowledged write is lost. Writes of one team are serialised, as in the embedded store, because
the team's journal is a chain and its numbers have no gaps. Teams do not wait for each other, and
reads do not wait.
"""

from __future__ import annotations

import copy
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID, uuid4

import psycopg
from psycopg_pool import ConnectionPool, PoolClosed

from memoranda.exceptions import StorageError, StorageUnusable
from memoranda.scope import LOCAL_TEAM
from memoranda.store.database import Transaction
from memoranda.store.postgres.connections import (
    IDLE_MS,
    LOCK_MS,
    POOL_SIZE,
    STATEMENT_MS,
    abandon,
    connect,
    pool,
)
from memoranda.store.postgres.counts import CachedCounts
from memoranda.store.postgres.faults import ConnectionLost, redacted_address, storage_faults
from memoranda.store.postgres.migrations import check_version
from memoranda.store.postgres.replica import Replica
from memoranda.store.postgres.transaction import PostgresTransaction

T = TypeVar("T")

RECOVERY_SECONDS = 30.0
"""Maximum seconds that a call waits for an unavailable server to recover."""
PAUSE_SECONDS = 0.05

# Each takes one round trip. All settings are local to the transaction, so that a pooler may reuse
# the connection for another team; the team is set only here.
_SETTINGS = f"""
select set_config('memoranda.team', %(team)s, true),
  set_config('search_path', 'memoranda, public', true),
  set_config('statement_timeout', '{STATEMENT_MS}', true),
  set_config('lock_timeout', '{LOCK_MS}', true),
  set_config('idle_in_transaction_session_timeout', '{IDLE_MS}', true)"""
_READ = f"begin isolation level repeatable read read only; {_SETTINGS}"
# The lock serialises a team's writes, and makes a retry wait for the end of the first attempt.
_WRITE = f"""begin; {_SETTINGS},
  pg_advisory_xact_lock(hashtextextended('memoranda ' || %(team)s, 0));
insert into committed (team, id) values (%(team)s, %(id)s) on conflict do nothing"""
_FORGET = "delete from committed where team = %(team)s and at < now() - interval '1 hour'"
_FORGET_EVERY = 256


@dataclass(frozen=True, slots=True)
class _Try(Generic[T]):
    """A write in progress: its id on the server, and its result."""

    id: UUID
    result: list[T]


class PostgresDatabase:
    """A database on a server, as seen by one team.

    While a server restarts, calls wait for it. Each write stores its id with its data, so that a
    write whose response was lost is neither lost nor repeated when the call is retried. The passed
    function may run more than once; it must therefore depend on the transaction alone.
    """

    dialect = "postgres"

    def __init__(
        self,
        url: str,
        *,
        team: str = LOCAL_TEAM,
        read_url: str | None = None,
        pool_size: int = POOL_SIZE,
        recovery_seconds: float = RECOVERY_SECONDS,
    ) -> None:
        """Check the server and its schema, then create a pool of connections.

        ``read_url`` names a streaming replica: reads use the replica if it has received what this
        process wrote, and otherwise the primary.

        Raises:
            StorageUnusable: there is no connection or no schema, or the server is too old.
            SchemaTooNew: a newer Memoranda created the schema; nothing was changed.
        """
        self.place = redacted_address(url)
        self.team = team
        with connect(url) as connection, self._faults():
            check_version(connection, self.place)
        self._pid = os.getpid()
        self._recovery = recovery_seconds
        self._pool: ConnectionPool[psycopg.Connection[Any]] = pool(url, pool_size)
        self._counts = CachedCounts()
        self._replica = Replica(read_url, pool_size, self._counts) if read_url else None
        self._mine = threading.local()

    def of(self, team: str) -> PostgresDatabase:
        """Return the same database as seen by another team, sharing connections."""
        other = copy.copy(self)
        other.team = team
        return other

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run a function on one snapshot of the database."""
        self._refuse_misuse()
        if self._replica is not None:
            answer = self._replica.read(_READ, {"team": self.team}, work)
            if answer is not None:
                return answer[0]
        return self._persistently(lambda: self._read(work))

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run a function atomically; return when it is on the server's disk."""
        self._refuse_misuse()
        if getattr(self._mine, "writing", False):
            raise RuntimeError("a write inside a write would wait for itself; pass the transaction")
        self._mine.writing = True
        try:
            tried: _Try[T] = _Try(uuid4(), [])
            return self._persistently(lambda: self._write(work, tried))
        finally:
            self._mine.writing = False

    def close(self) -> None:
        """Close every connection. Idempotent."""
        if os.getpid() == self._pid:
            self._pool.close()
            if self._replica is not None:
                self._replica.close()

    def reclaim(self) -> str | None:
        """Return what only the server can reclaim, at a time of its choice."""
        return "dead rows until the server's next vacuum, and its write-ahead log and backups"

    def _read(self, work: Callable[[Transaction], T]) -> T:
        with self._connection() as connection:
            connection.execute(_READ, {"team": self.team})
            result = work(PostgresTransaction(connection, self._counts))
            connection.execute("commit")
            return result

    def _write(self, work: Callable[[Transaction], T], tried: _Try[T]) -> T:
        with self._connection() as connection:
            begun = connection.execute(_WRITE, {"team": self.team, "id": tried.id})
            while begun.nextset():
                pass
            if not begun.rowcount:  # the commit succeeded although its response was lost
                connection.execute("rollback")
                return tried.result[0]
            transaction = PostgresTransaction(connection, self._counts)
            tried.result[:] = [work(transaction)]
            if not transaction.changed:  # an empty commit also waits for the disk
                connection.execute("rollback")
                return tried.result[0]
            if tried.id.int % _FORGET_EVERY == 0:
                connection.execute(_FORGET, {"team": self.team})
            self._commit(connection)
        return tried.result[0]

    def _commit(self, connection: psycopg.Connection[Any]) -> None:
        if self._replica is None:
            connection.execute("commit")
            return
        ended = connection.execute("commit; select pg_current_wal_insert_lsn()::text")
        ended.nextset()
        row = ended.fetchone()
        if row:
            self._replica.expect(row[0])

    def _persistently(self, attempt: Callable[[], T]) -> T:
        """Retry while the server is unavailable, up to the recovery time."""
        give_up = time.monotonic() + self._recovery
        while True:
            try:
                return attempt()
            except ConnectionLost as lost:
                if time.monotonic() > give_up:
                    raise lost.unusable(self.place) from lost
                time.sleep(PAUSE_SECONDS)

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        with self._faults():
            try:
                connection = self._pool.getconn()
            except PoolClosed as error:
                raise StorageUnusable("the store is closed; open it again") from error
            try:
                yield connection
            except BaseException:
                abandon(connection)
                raise
            finally:
                self._pool.putconn(connection)

    @contextmanager
    def _faults(self) -> Iterator[None]:
        with storage_faults(self.place):
            yield

    def _refuse_misuse(self) -> None:
        if os.getpid() != self._pid:
            raise StorageUnusable("the store was opened before a fork; open it in this process")
        if self._pool.closed:
            raise StorageError("the store is closed; open it again")
