"""Empty stores on a real PostgreSQL server, one server for all tests of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql

from memoranda.store.postgres.connections import connect
from memoranda.store.postgres.engine import PostgresDatabase
from memoranda.store.postgres.migrations import migrate
from servers import PostgresServer

DATABASE = "memoranda"
APP = "tester"
PARTITIONS = 3
_TABLES = (
    "select relname from pg_class where relkind in ('r', 'p') and not relispartition "
    "and relnamespace = 'memoranda'::regnamespace and relname <> 'migration'"
)


class EmptyStores:
    """Gives one store after another, each empty when it is given."""

    def __init__(self, server: PostgresServer) -> None:
        """Make the database, its schema, and a role as programs have one."""
        self.server = server
        self._sweeper: psycopg.Connection[Any] | None = None
        server.execute(f"create database {DATABASE}")
        with owner(server) as connection:
            migrate(connection, server.url(DATABASE), partitions=PARTITIONS)
            found = connection.execute(_TABLES).fetchall()
        self._tables = [row[0] for row in found]
        server.execute(f"create role {APP} login in role memoranda_app")

    @property
    def url(self) -> str:
        """The address that programs use."""
        return self.server.url(DATABASE, APP)

    @contextmanager
    def opened(self, **options: Any) -> Iterator[PostgresDatabase]:
        """Give an open store and empty it afterwards."""
        database = PostgresDatabase(self.url, **options)
        try:
            yield database
        finally:
            database.close()
            self.empty()

    def empty(self) -> None:
        """Delete every row, whatever a trigger or a policy says."""
        try:
            self._sweep()
        except psycopg.OperationalError:  # a test took the server away and brought it back
            self._sweeper = None
            self._sweep()

    def close(self) -> None:
        """Let go of the server."""
        if self._sweeper is not None:
            self._sweeper.close()

    def _sweep(self) -> None:
        """Keep one connection: what the server must look up of a table it looks up once. Many
        vectors are cut off as a whole: deleted ones would stay in the graphs and slow down every
        test that follows."""
        if self._sweeper is None:
            self._sweeper = owner(self.server)
            self._sweeper.execute("set session_replication_role = replica")
            self._sweeper.execute(_sweeping(self._tables))
        if self._sweeper.execute("select from memoranda.passage offset 200 limit 1").fetchone():
            self._sweeper.execute("truncate memoranda.passage, memoranda.entry")
        self._sweeper.execute("select pg_temp.sweep()")


class KeptOpen:
    """One open store for many tests: connections cost more than what most tests do with them."""

    def __init__(self, stores: EmptyStores, **options: Any) -> None:
        """Open it when it is first asked for."""
        self._stores, self._options = stores, options
        self._database: PostgresDatabase | None = None

    @contextmanager
    def emptied_afterwards(self) -> Iterator[PostgresDatabase]:
        """Give the store, opened again if the last test closed it, and empty it afterwards."""
        if self._database is None or self._database._pool.closed:
            self._database = PostgresDatabase(self._stores.url, **self._options)
        try:
            yield self._database
        finally:
            self._stores.empty()

    def close(self) -> None:
        """Let go of its connections."""
        if self._database is not None:
            self._database.close()


def _sweeping(tables: list[str]) -> sql.Composed:
    """Deletes as a function of the session, which plans them once."""
    deletes = [sql.SQL("delete from memoranda.{}").format(sql.Identifier(name)) for name in tables]
    return sql.SQL(
        "create function pg_temp.sweep() returns void language plpgsql as $$begin {}; end$$"
    ).format(sql.SQL("; ").join(deletes))


def owner(server: PostgresServer, database: str = DATABASE) -> psycopg.Connection[Any]:
    """Connect as the owner of a database."""
    return connect(server.url(database))
