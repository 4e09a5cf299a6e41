"""Read-only access to another system's SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memoranda.exceptions import CorruptData, InvalidInput

MAGIC = b"SQLite format 3\0"


def is_sqlite(path: Path) -> bool:
    """Return whether a file starts with the header of an SQLite database."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a read-only connection that returns columns by name.

    If the database is not in use, no file is left behind next to it: SQLite would otherwise create
    an index of its write-ahead log.

    Raises:
        CorruptData: the file is damaged; also raised while the context is in use.
    """
    place = path.resolve()
    in_use = any(place.with_name(place.name + end).exists() for end in ("-wal", "-shm", "-journal"))
    how = "mode=ro" if in_use else "mode=ro&immutable=1"
    connection = sqlite3.connect(f"{place.as_uri()}?{how}", uri=True)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("pragma query_only = 1")
        found = connection.execute("pragma quick_check(1)").fetchone()[0]
        if found != "ok":
            raise CorruptData(f"{path} is damaged ({found}); nothing was imported")
        yield connection
    except sqlite3.DatabaseError as error:
        raise CorruptData(f"{path} cannot be read: {error}") from error
    finally:
        connection.close()


def tables(connection: sqlite3.Connection) -> set[str]:
    """Return the names of all tables."""
    found = connection.execute("select name from sqlite_master where type = 'table'")
    return {row[0] for row in found}


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the column names of a table; empty if it does not exist."""
    return {row[1] for row in connection.execute(f'pragma table_info("{table}")')}


def require(
    connection: sqlite3.Connection, needed: Mapping[str, tuple[str, ...]], expected: str
) -> None:
    """Refuse a database that lacks required tables or columns.

    Raises:
        InvalidInput: tables or columns are missing; the message names them and the ``expected``
            versions.
    """
    for table, wanted in needed.items():
        missing = sorted(set(wanted) - columns(connection, table))
        if missing:
            raise InvalidInput(
                f"the database has no {table}.{missing[0]}; supported are {expected}: "
                "update Memoranda, or open the database once with such a version"
            )
