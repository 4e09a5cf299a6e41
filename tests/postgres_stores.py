"""Empty stores on a real PostgreSQL server, one server for all tests of a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

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
        """Delete every row, whatever a trigger or a policy says. Many vectors are cut off as a
        whole: deleted ones would stay in the graphs and slow down every test that follows."""
        deletes = "; ".join(f"delete from memoranda.{table}" for table in self._tables)
        with owner(self.server) as connection:
            if connection.execute("select from memoranda.passage offset 200 limit 1").fetchone():
                connection.execute("truncate memoranda.passage, memoranda.entry")
            connection.execute(f"set session_replication_role = replica; {deletes}")  # type: ignore[arg-type]


def owner(server: PostgresServer, database: str = DATABASE) -> psycopg.Connection[Any]:
    """Connect as the owner of a database."""
    return connect(server.url(database))
