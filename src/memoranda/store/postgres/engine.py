"""PostgreSQL as a `Database`: row-level security, a pool, replicas, and no acknowledged write lost.

Writes of one team take turns, as in the embedded store: its journal is a chain, its numbers have
no gaps. Teams do not wait for each other, nor do reads for anything.
"""

from __future__ import annotations

import copy
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from psycopg_pool import ConnectionPool, PoolClosed

from memoranda.errors import StorageError, StorageUnusable
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
from memoranda.store.postgres.faults import Lost, shown, storage_faults
from memoranda.store.postgres.migrations import check_version
from memoranda.store.postgres.replica import Replica
from memoranda.store.postgres.transaction import PostgresTransaction
from memoranda.values.scope import LOCAL_TEAM

T = TypeVar("T")

RECOVERY_SECONDS = 30.0
"""How long a call waits for a server that went away to come back."""
PAUSE_SECONDS = 0.05

# One round trip each. Everything is local to the transaction, so that a pooler may hand the
# connection to another team next; the team is set here and nowhere else.
_SETTINGS = f"""
select set_config('memoranda.team', %(team)s, true),
  set_config('search_path', 'memoranda, public', true),
  set_config('statement_timeout', '{STATEMENT_MS}', true),
  set_config('lock_timeout', '{LOCK_MS}', true),
  set_config('idle_in_transaction_session_timeout', '{IDLE_MS}', true)"""
_READ = f"begin isolation level repeatable read read only; {_SETTINGS}"
_WRITE = f"""begin; {_SETTINGS}, pg_current_xact_id()::text,
  pg_advisory_xact_lock(hashtextextended('memoranda ' || %(team)s, 0))"""
_STATUS = "select pg_xact_status(%(id)s::xid8)"


class _Unknown(Exception):
    """The connection broke while a transaction was being committed."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.id = id


class PostgresDatabase:
    """A database on a server, as one team sees it.

    A server that restarts is waited for. When a connection breaks while a commit is under way,
    the server is asked afterwards what became of it, so that the write is neither lost nor done
    twice; work that certainly left no trace is done again, which is why it must be a function of
    the transaction alone.
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
        """Check the server and its schema, then keep a pool of connections.

        ``read_url`` names a streaming replica: reads go there when it has seen what this process
        wrote, to the primary otherwise.

        Raises:
            StorageUnusable: no connection, no schema, or too old a server.
            SchemaTooNew: a newer Memoranda made the schema; nothing was touched.
        """
        self.place = shown(url)
        self.team = team
        with connect(url) as connection, self._faults():
            check_version(connection, self.place)
        self._pid = os.getpid()
        self._recovery = recovery_seconds
        self._pool: ConnectionPool[psycopg.Connection[Any]] = pool(url, pool_size)
        self._replica = Replica(read_url, pool_size) if read_url else None
        self._mine = threading.local()

    def of(self, team: str) -> PostgresDatabase:
        """Return the same database as another team sees it; both share the connections."""
        other = copy.copy(self)
        other.team = team
        return other

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run a piece of work on one snapshot of the database."""
        self._refuse_misuse()
        if self._replica is not None:
            answer = self._replica.read(_READ, {"team": self.team}, work)
            if answer is not None:
                return answer[0]
        return self._persistently(lambda: self._read(work))

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run a piece of work atomically; return once it is on the server's disk."""
        self._refuse_misuse()
        if getattr(self._mine, "writing", False):
            raise RuntimeError("a write inside a write would wait for itself; pass the transaction")
        self._mine.writing = True
        try:
            return self._persistently(lambda: self._write(work))
        finally:
            self._mine.writing = False

    def close(self) -> None:
        """Let go of every connection. Idempotent."""
        if os.getpid() == self._pid:
            self._pool.close()
            if self._replica is not None:
                self._replica.close()

    def reclaim(self) -> bool:
        """True: the server gives space back by itself (autovacuum)."""
        return True

    def _read(self, work: Callable[[Transaction], T]) -> T:
        with self._connection() as connection:
            connection.execute(_READ, {"team": self.team})
            result = work(PostgresTransaction(connection))
            connection.execute("commit")
            return result

    def _write(self, work: Callable[[Transaction], T]) -> T:
        result: list[T] = []
        try:
            with self._connection() as connection:
                begun = connection.execute(_WRITE, {"team": self.team})
                begun.nextset()
                row = begun.fetchone()
                result.append(work(PostgresTransaction(connection)))
                self._commit(connection, row[5] if row else "")
        except _Unknown as unknown:
            if self._status(unknown.id) == "committed":
                return result[0]
            raise Lost("the transaction left no trace") from unknown
        return result[0]

    def _commit(self, connection: psycopg.Connection[Any], id: str) -> None:
        try:
            if self._replica is None:
                connection.execute("commit")
                return
            ended = connection.execute("commit; select pg_current_wal_insert_lsn()::text")
            ended.nextset()
            row = ended.fetchone()
            if row:
                self._replica.expect(row[0])
        except psycopg.OperationalError as error:
            if connection.closed or connection.broken:
                raise _Unknown(id) from error
            raise

    def _status(self, id: str) -> str:
        """Ask what became of a transaction; one still in progress ends, as its client is gone."""

        def ask() -> str:
            with self._connection() as connection:
                row = connection.execute(_STATUS, {"id": id}).fetchone()
                return str(row[0]) if row else "aborted"

        while True:
            status = self._persistently(ask)
            if status != "in progress":
                return status
            time.sleep(PAUSE_SECONDS)

    def _persistently(self, attempt: Callable[[], T]) -> T:
        """Try again while the server is away, as long as the time for recovery lasts."""
        give_up = time.monotonic() + self._recovery
        while True:
            try:
                return attempt()
            except Lost as lost:
                if time.monotonic() > give_up:
                    raise StorageUnusable(f"{self.place} does not answer: {lost}") from lost
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
