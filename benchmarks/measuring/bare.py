"""The floor: the same bytes inserted through the bare driver, each commit synced to the disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw


class BareTable:
    """One table, no index, no journal of operations: what durable storage costs at the least."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.pragma("journal_mode", "wal")
        self._connection.pragma("synchronous", "full")
        self._connection.execute("create table entry (id integer primary key, body text)")

    def insert(self, bodies: Sequence[str]) -> None:
        """Insert rows in one transaction; return when they are on the disk."""
        self._connection.execute("begin immediate")
        statement = "insert into entry (body) values (?)"
        self._connection.executemany(statement, [(body,) for body in bodies])
        self._connection.execute("commit")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
