"""Puts Memoranda's saver and store in the place of LangGraph's own, for LangGraph's own tests.

A plug-in of pytest; scripts/suites loads it. What is a database to a test is a space here. The
connections are real and lead to databases without LangGraph's tables, so that a test that reads
those tables fails.
"""

from __future__ import annotations

import hashlib
import itertools
import sqlite3
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, ClassVar

import langgraph.checkpoint.postgres
import langgraph.checkpoint.postgres.aio
import langgraph.checkpoint.sqlite
import langgraph.checkpoint.sqlite.aio
import langgraph.store.postgres
import langgraph.store.postgres.aio
import langgraph.store.sqlite
import langgraph.store.sqlite.aio
import psycopg
import pytest
from psycopg.rows import dict_row
from upstream_reasons import SUBSTITUTED, Substituted, opened

from memoranda.integrations.document_keys import below, parted
from memoranda.integrations.langgraph import MemorandaSaver, MemorandaStore

_numbers = itertools.count()
_test = ""


def _space(database: str) -> str:
    """Return the space of a database; those in memory are new ones each time."""
    if database in ("", ":memory:"):
        return f"memory-{next(_numbers)}"
    return f"{_test}-{hashlib.sha256(database.encode()).hexdigest()[:16]}"


def _database(connection: Any) -> str:
    """Return the name of the database that a connection or pool leads to."""
    if isinstance(connection, psycopg.Connection | psycopg.AsyncConnection):
        return connection.info.dbname
    if hasattr(connection, "conninfo"):
        return str(psycopg.conninfo.conninfo_to_dict(connection.conninfo)["dbname"])
    if isinstance(connection, sqlite3.Connection):
        return str(connection.execute("pragma database_list").fetchone()[2])
    return f"connection-{id(connection)}"


def _connect(address: str) -> Any:
    if "://" in address:
        return psycopg.connect(address, autocommit=True, row_factory=dict_row)
    return sqlite3.connect(address, check_same_thread=False)


async def _aconnect(address: str) -> Any:
    if "://" in address:
        return await psycopg.AsyncConnection.connect(address, autocommit=True, row_factory=dict_row)
    return sqlite3.connect(address, check_same_thread=False)


class _Saver(Substituted, MemorandaSaver):
    def __init__(self, conn: Any = None, pipe: Any = None, serde: Any = None) -> None:
        Substituted.__init__(self)
        self.conn = conn
        MemorandaSaver.__init__(self, opened(), space=_space(_database(conn)), serde=serde)


class Saver(_Saver):
    """In the place of those without ``async``."""

    MIGRATIONS: ClassVar[tuple[str, ...]] = ()

    @classmethod
    @contextmanager
    def from_conn_string(cls, address: str, *, pipeline: bool = False) -> Iterator[Saver]:
        """As LangGraph's."""
        connection = _connect(address)
        try:
            yield cls(connection)
        finally:
            connection.close()

    def setup(self) -> None:
        """There is nothing to make."""

    @contextmanager
    def _cursor(self, **_: Any) -> Iterator[Any]:
        with self.conn.cursor() as cursor:
            yield cursor


class AsyncSaver(_Saver):
    """In the place of those with ``async``."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, address: str, *, pipeline: bool = False, serde: Any = None
    ) -> AsyncIterator[AsyncSaver]:
        """As LangGraph's."""
        connection = await _aconnect(address)
        try:
            yield cls(connection, serde=serde)
        finally:
            if (closing := connection.close()) is not None:
                await closing

    async def setup(self) -> None:
        """There is nothing to make."""

    @asynccontextmanager
    async def _cursor(self, **_: Any) -> AsyncIterator[Any]:
        async with self.conn.cursor() as cursor:
            yield cursor


class _Store(Substituted, MemorandaStore):
    MIGRATIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, conn: Any, *, pipe: Any = None, deserializer: Any = None, index: Any = None,
        ttl: Any = None,
    ) -> None:  # fmt: skip
        Substituted.__init__(self)
        self.conn = conn
        space = _space(_database(conn))
        MemorandaStore.__init__(self, opened(), space=space, index=index, ttl=ttl)


class Store(_Store):
    """In the place of those without ``async``."""

    @classmethod
    @contextmanager
    def from_conn_string(
        cls, address: str, *, pipeline: bool = False, pool_config: Any = None, index: Any = None,
        ttl: Any = None,
    ) -> Iterator[Store]:  # fmt: skip
        """As LangGraph's."""
        connection = _connect(address)
        try:
            yield cls(connection, index=index, ttl=ttl)
        finally:
            connection.close()

    def setup(self) -> None:
        """There is nothing to make."""

    def sweep_ttl(self) -> int:
        """What has expired is not there, swept or not."""
        return 0

    def start_ttl_sweeper(self, *_: Any, **__: Any) -> None:
        """As `sweep_ttl`."""

    def stop_ttl_sweeper(self, *_: Any, **__: Any) -> bool:
        """As LangGraph's."""
        return True

    @contextmanager
    def _cursor(self, **_: Any) -> Iterator[Any]:
        with self.conn.cursor() as cursor:
            yield cursor


class AsyncStore(_Store):
    """In the place of those with ``async``."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(
        cls, address: str, *, pipeline: bool = False, pool_config: Any = None, index: Any = None,
        ttl: Any = None,
    ) -> AsyncIterator[AsyncStore]:  # fmt: skip
        """As LangGraph's."""
        connection = await _aconnect(address)
        try:
            yield cls(connection, index=index, ttl=ttl)
        finally:
            if (closing := connection.close()) is not None:
                await closing

    async def setup(self) -> None:
        """There is nothing to make."""

    async def sweep_ttl(self) -> int:
        """What has expired is not there, swept or not."""
        return 0

    async def start_ttl_sweeper(self, *_: Any, **__: Any) -> None:
        """As `sweep_ttl`."""

    async def stop_ttl_sweeper(self, *_: Any, **__: Any) -> bool:
        """As LangGraph's."""
        return True

    @asynccontextmanager
    async def _cursor(self, **_: Any) -> AsyncIterator[Any]:
        async with self.conn.cursor() as cursor:
            yield cursor

    async def __aenter__(self) -> AsyncStore:
        """As LangGraph's."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """As LangGraph's."""


_PLACES: Mapping[Any, Mapping[str, type]] = {
    langgraph.checkpoint.postgres: {"PostgresSaver": Saver},
    langgraph.checkpoint.postgres.aio: {"AsyncPostgresSaver": AsyncSaver},
    langgraph.checkpoint.sqlite: {"SqliteSaver": Saver},
    langgraph.checkpoint.sqlite.aio: {"AsyncSqliteSaver": AsyncSaver},
    langgraph.store.postgres: {"PostgresStore": Store, "AsyncPostgresStore": AsyncStore},
    langgraph.store.postgres.aio: {"AsyncPostgresStore": AsyncStore},
    langgraph.store.sqlite: {"SqliteStore": Store, "AsyncSqliteStore": AsyncStore},
    langgraph.store.sqlite.aio: {"AsyncSqliteStore": AsyncStore},
}
for _module, _classes in _PLACES.items() if SUBSTITUTED else ():
    for _name, _class in _classes.items():
        setattr(_module, _name, _class)


def _keys(saver: _Saver, kind: str, thread: str) -> list[list[str]]:
    return [parted(key)[2:] for key in saver._shelf.keys(below([kind, thread]))]


async def _rows(saver: _Saver, thread_id: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return what LangGraph's tests of ``prune`` read from tables: names, no values."""
    writes = [(*rest, int(number)) for *rest, number in _keys(saver, "w", thread_id)]
    return {
        "checkpoints": sorted(tuple(one) for one in _keys(saver, "c", thread_id)),
        "writes": sorted(tuple(one) for one in writes),
        "blobs": sorted(tuple(one) for one in _keys(saver, "v", thread_id)),
    }


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the tests of ``prune`` read keys where they read LangGraph's tables."""
    for module in {getattr(item, "module", None) for item in items}:
        if SUBSTITUTED and module is not None and module.__name__.endswith("test_prune"):
            module._rows = _rows


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let each test begin with empty databases."""
    global _test
    _test = str(next(_numbers))
