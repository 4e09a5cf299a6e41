"""Schema of new files, and numbered upgrades.

Each file is applied in one transaction together with the record of the step.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import cast

import apsw

from memoranda.exceptions import SchemaTooNew, StorageUnusable

APPLICATION_ID = 0x4D454D4F
"""'MEMO': application id in the file header of a Memoranda database."""

BASELINE = Path(__file__).with_name("schema.sql")
BASELINE_VERSION = 27
"""Version of the initial schema; a new file also gets the later upgrades."""
UPGRADES = Path(__file__).with_name("upgrades")
SHARED_UPGRADES = Path(__file__).parents[1] / "upgrades"
"""Upgrades for both engines, in the dialect of SQLite: columns only."""


def known_migrations() -> list[tuple[int, Path]]:
    """Return (version, file) of this program's upgrades, oldest first."""
    files = (*UPGRADES.glob("*.sql"), *SHARED_UPGRADES.glob("*.sql"))
    return sorted((int(file.name.split("_")[0]), file) for file in files)


def check_version(connection: apsw.Connection, path: Path) -> int:
    """Return the schema version of an open file; 0 for an empty file.

    The file is not changed.

    Raises:
        StorageUnusable: the file is a database of another program.
        SchemaTooNew: this program does not support the file's schema.
    """
    empty = not connection.execute("select 1 from sqlite_master limit 1").fetchall()
    if empty:
        return 0
    if connection.pragma("application_id") != APPLICATION_ID:
        raise StorageUnusable(f"{path} is not a Memoranda database; choose another --data-dir")
    version = _current(connection)
    newest = known_migrations()[-1][0]
    if version > newest:
        raise SchemaTooNew(
            f"{path} has schema {version}, this version supports up to {newest}; update Memoranda"
            f" (the file was not changed)"
        )
    return version


def is_current(connection: apsw.Connection) -> bool:
    """Return whether a file has the newest schema, so `migrate` does nothing."""
    return _next_step(connection) is None


def migrate(connection: apsw.Connection) -> None:
    """Create the schema, or upgrade it to the newest version.

    Safe to run concurrently from several processes. Each step and its record are committed
    together, so that a process killed in between leaves a schema from which the next process
    continues.
    """
    while _next_step(connection):
        connection.execute("begin immediate")
        try:
            if step := _next_step(connection):  # unless another process was faster
                version, file = step
                connection.execute(file.read_text("utf-8"))
                connection.execute(
                    "insert into migration (version, name, applied_at) values (?, ?, ?)",
                    (version, file.stem, time.time_ns() // 1000),
                )
            connection.execute("commit")
        finally:
            if connection.in_transaction:
                connection.execute("rollback")


def _next_step(connection: apsw.Connection) -> tuple[int, Path] | None:
    current, known = _current(connection), known_migrations()
    if current == 0:
        return BASELINE_VERSION, BASELINE
    return next((step for step in known if step[0] > current), None)


def _current(connection: apsw.Connection) -> int:
    migrated = connection.execute("select 1 from sqlite_master where name = 'migration'").fetchall()
    if not migrated:
        return 0
    newest = connection.execute("select coalesce(max(version), 0) from migration").fetchall()
    return cast("int", newest[0][0])
