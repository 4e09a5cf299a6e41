"""PostgreSQL connections: their set-up, and the connection pool."""

from __future__ import annotations

import logging
from typing import Any

import psycopg
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg_pool import ConnectionPool

from memoranda.exceptions import StorageUnusable
from memoranda.store.postgres.faults import redacted_address, storage_faults
from memoranda.text import text_lines

# The pool's log messages about broken connections are not printed to the terminal.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

CONNECT_SECONDS = 10
POOL_SIZE = 8
POOL_WAIT_SECONDS = 2.0
"""Maximum seconds that one attempt waits for a connection; the engine makes several attempts."""
STATEMENT_MS = 60_000
"""Timeout of a statement in milliseconds."""
LOCK_MS = 30_000
IDLE_MS = 60_000
"""Idle time in milliseconds after which the server ends a transaction."""
OLDEST_SERVER = 150_000


class _Number(Loader):
    """Loader of NUMERIC, which SUM returns; integers become int, as in SQLite."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdigit() else float(text)


class _Flag(Dumper):
    """Dumper of booleans, which are stored as 0 and 1."""

    def dump(self, obj: bool) -> Buffer:
        return b"1" if obj else b"0"


def connect(url: str) -> psycopg.Connection[Any]:
    """Open one connection, ready for `PostgresTransaction`.

    Raises:
        StorageUnusable: the server cannot be reached or is too old.
    """
    place = redacted_address(url)
    with storage_faults(place):
        try:
            connection: psycopg.Connection[Any] = psycopg.connect(
                url, autocommit=True, connect_timeout=CONNECT_SECONDS,
                cursor_factory=psycopg.ClientCursor, application_name="memoranda",
            )  # fmt: skip
        except psycopg.errors.TooManyConnections:
            raise
        except psycopg.OperationalError as error:
            message = text_lines(str(error))[0].removeprefix("connection failed: ")
            raise StorageUnusable(f"cannot connect to {place}: {message}") from error
    if connection.info.server_version < OLDEST_SERVER:
        version = connection.info.server_version // 10_000
        connection.close()
        raise StorageUnusable(f"{place} is PostgreSQL {version}; Memoranda needs 15 or newer")
    prepare(connection)
    return connection


def prepare(connection: psycopg.Connection[Any]) -> None:
    """Register the conversions of values on a connection."""
    connection.adapters.register_loader("numeric", _Number)
    connection.adapters.register_dumper(bool, _Flag)
    connection.prepare_threshold = None


def pool(
    url: str, size: int, wait_seconds: float = POOL_WAIT_SECONDS
) -> ConnectionPool[psycopg.Connection[Any]]:
    """Create a pool; connections are opened when first needed."""
    return ConnectionPool(
        url,
        kwargs={
            "autocommit": True,
            "cursor_factory": psycopg.ClientCursor,
            "connect_timeout": CONNECT_SECONDS,
            "application_name": "memoranda",
        },
        configure=prepare,
        min_size=0,
        max_size=size,
        timeout=wait_seconds,
        max_idle=300,
        reconnect_timeout=wait_seconds,  # then waiting callers retry without increasing pauses
        open=True,
    )


def abandon(connection: psycopg.Connection[Any]) -> None:
    """Roll back an open transaction; discard the connection if that fails."""
    try:
        connection.execute("rollback")
    except psycopg.Error:
        connection.close()
