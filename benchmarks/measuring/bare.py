"""Baseline: the same bytes inserted by the bare driver, synced per commit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw


class BareTable:
    """One table without index or journal: the least cost of durable storage."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.pragma("journal_mode", "wal")
        self._connection.pragma("synchronous", "full")
        self._connection.execute("create table entry (id integer primary key, body text)")

    def insert(self, bodies: Sequence[str]) -> None:
        """Insert rows in one transaction; return when they are on disk."""
        self._connection.execute("begin immediate")
        statement = "insert into entry (body) values (?)"
        self._connection.executemany(statement, [(body,) for body in bodies])
        self._connection.execute("commit")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
