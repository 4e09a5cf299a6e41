"""Schema of new databases, and numbered upgrades.

The owner of the database applies the upgrades in order, under a lock.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import psycopg
from psycopg.pq import TransactionStatus

from memoranda.exceptions import InvalidInput, SchemaTooNew, StorageUnusable
from memoranda.store.postgres.faults import redacted_address, storage_faults

BASELINE = Path(__file__).with_name("schema.sql")
BASELINE_VERSION = 27
"""Version of the initial schema; a new database also gets the later upgrades."""
UPGRADES = Path(__file__).with_name("upgrades")
SHARED_UPGRADES = Path(__file__).parents[1] / "upgrades"
"""Upgrades for both engines, in the dialect of SQLite: columns only."""
TYPES = {"text": "plain", "integer": "bigint", "real": "double precision", "blob": "bytea"}
"""PostgreSQL column types by SQLite type."""
PARTITIONS = 16
"""Number of partitions of each large table, by team hash.

The number is fixed when the database is created.
"""
EXTENSIONS = ("vector", "pg_trgm")
ROLES = ("memoranda_app", "memoranda_search")
"""Role of which programs are members, and role that owns the search functions.

Neither role can log in.
"""

_LOCK = "select pg_advisory_lock(hashtextextended('memoranda schema', 0))"
_NEW_COLUMN = re.compile(rf"(?<=add column )(\w+) ({'|'.join(TYPES)})\b")
_STATEMENT = re.compile(r"(?:\$\$.*?\$\$|--[^\n]*|'(?:[^']|'')*'|[^;$'-]|[$-])+;", re.DOTALL)


def known_migrations() -> list[tuple[int, Path]]:
    """Return (version, file) of this program's upgrades, oldest first."""
    files = (*UPGRADES.glob("*.sql"), *SHARED_UPGRADES.glob("*.sql"))
    return sorted((int(file.name.split("_")[0]), file) for file in files)


def statements(file: Path) -> Iterator[str]:
    """Split a schema file into statements, using PostgreSQL's types."""
    text = file.read_text("utf-8")
    if file.parent == SHARED_UPGRADES:
        text = _NEW_COLUMN.sub(lambda match: f"{match[1]} {TYPES[match[2]]}", text)
    for found in _STATEMENT.finditer(text):
        yield found[0].strip()


def current_version(connection: psycopg.Connection[Any]) -> int:
    """Return the version of the schema; 0 if there is none."""
    row = connection.execute("select to_regclass('memoranda.migration') is not null").fetchone()
    if not (row and row[0]):
        return 0
    newest = connection.execute("select coalesce(max(version), 0) from memoranda.migration")
    return int(cast("tuple[int]", newest.fetchone())[0])


def check_version(connection: psycopg.Connection[Any], place: str) -> None:
    """Check that this program supports the schema.

    Raises:
        StorageUnusable: the database has no schema, or an older one.
        SchemaTooNew: a newer Memoranda created the schema.
    """
    version, newest = current_version(connection), known_migrations()[-1][0]
    if version > newest:
        raise SchemaTooNew(
            f"{place} has schema {version}, this version supports up to {newest}; update Memoranda"
            f" (the database was not changed)"
        )
    if version < newest:
        found = f"schema {version} of {newest}" if version else "no Memoranda tables"
        raise StorageUnusable(
            f"{place} has {found}; run `memoranda db migrate` as the owner of the database"
        )


def migrate(
    connection: psycopg.Connection[Any],
    url: str,
    *,
    partitions: int = PARTITIONS,
    before_each: Callable[[str], None] = lambda statement: None,
) -> list[str]:
    """Create the schema or upgrade it to the newest version; return the steps.

    If several migrations are started concurrently, one runs and the others wait for it. Each step
    is one transaction that includes the record of the step, so that an interruption leaves the
    previous step in effect.

    Args:
        connection: a connection as the owner of the database, in autocommit mode.
        before_each: called with every statement before the statement runs.

    Raises:
        StorageUnusable: an extension or a privilege is missing.
        SchemaTooNew: a newer Memoranda created the schema; nothing was changed.
    """
    if not 1 <= partitions <= 1024:
        raise InvalidInput("partitions must be between 1 and 1024")
    place = redacted_address(url)
    with storage_faults(place):
        connection.execute(_LOCK)
        try:
            if current_version(connection) > known_migrations()[-1][0]:
                check_version(connection, place)
            return _migrate(connection, place, partitions, before_each)
        except psycopg.errors.OutOfMemory as error:
            raise StorageUnusable(
                f"{place} cannot hold the locks of {partitions} partitions; use fewer, or "
                "raise max_locks_per_transaction of the server"
            ) from error
        finally:
            # Otherwise the lock ends with the connection, and the original error is reported.
            if connection.info.transaction_status is TransactionStatus.IDLE:
                connection.execute("select pg_advisory_unlock_all()")


def _migrate(
    connection: psycopg.Connection[Any],
    place: str,
    partitions: int,
    before_each: Callable[[str], None],
) -> list[str]:
    for name in EXTENSIONS:
        _require_extension(connection, place, name)
    for role in ROLES:
        _make_role(connection, role)
    done = []
    while step := _next_step(connection):
        version, file = step
        with connection.transaction():
            connection.execute("set local search_path = memoranda, public")
            connection.execute(cast("Any", f"set local memoranda.partitions = {partitions:d}"))
            for statement in statements(file):
                before_each(statement)
                connection.execute(cast("Any", statement))
            connection.execute(
                "insert into migration (version, name, applied_at) values (%s, %s, %s)",
                (version, file.stem, time.time_ns() // 1000),
            )
        done.append(file.stem)
    return done


def _next_step(connection: psycopg.Connection[Any]) -> tuple[int, Path] | None:
    current, known = current_version(connection), known_migrations()
    if current == 0:
        return BASELINE_VERSION, BASELINE
    return next((step for step in known if step[0] > current), None)


def _require_extension(connection: psycopg.Connection[Any], place: str, name: str) -> None:
    try:
        connection.execute(cast("Any", f"create extension if not exists {name} schema public"))
    except (psycopg.errors.UndefinedFile, psycopg.errors.FeatureNotSupported) as error:
        raise StorageUnusable(
            f"{place} has no extension {name}; install it on the server "
            f"(package postgresql-*-pgvector for vector, postgresql-contrib for pg_trgm)"
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise StorageUnusable(
            f"{place} does not let this role create the extension {name}; have an administrator "
            f"run: create extension {name}"
        ) from error


def _make_role(connection: psycopg.Connection[Any], role: str) -> None:
    existing = connection.execute("select 1 from pg_roles where rolname = %s", (role,)).fetchone()
    if existing is None:
        try:
            connection.execute(cast("Any", f"create role {role} nologin"))
        except psycopg.errors.DuplicateObject:
            return  # another database of this server is being created concurrently
