"""A SQLite transaction with the portable interface."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, cast

import apsw

from memoranda.store.database import Parameters, Row, TextIndex, VectorIndex
from memoranda.store.sqlite.fulltext import SqliteFullText

if TYPE_CHECKING:
    from memoranda.store.sqlite.sign_blocks import VectorBlockCache

_LIST = re.compile(r":(\w+)\[(?:int)?\]")


@lru_cache(maxsize=512)
def in_dialect(sql: str) -> str:
    """Expand list parameters: ``in :ids[]`` reads a JSON array."""
    return _LIST.sub(r"(select value from json_each(:\1))", sql)


class SqliteTransaction:
    """Statements on one connection, in a transaction that the caller ends."""

    def __init__(self, connection: apsw.Connection, blocks: LazyBlockCache | None = None) -> None:
        self._connection = connection
        self._blocks = blocks
        self._texts: dict[str, SqliteFullText] = {}

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run one statement; return the number of changed rows."""
        before = self._connection.total_changes()
        self._connection.execute(in_dialect(sql), parameters).fetchall()
        # The total includes rows deleted by foreign keys; the last count is still set after a
        # query.
        changed = self._connection.total_changes() > before
        return self._connection.changes() if changed else 0

    def many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement for every row, in order."""
        self._connection.executemany(in_dialect(sql), rows)

    def fetch(self, sql: str, parameters: Parameters) -> list[Row]:
        """Run one query; return its rows."""
        return cast("list[Row]", self._connection.execute(in_dialect(sql), parameters).fetchall())

    def first(self, sql: str, parameters: Parameters) -> Row | None:
        """Run one query; return its first row, or None."""
        return cast("Row | None", self._connection.execute(in_dialect(sql), parameters).fetchone())

    def text(self, table: str) -> TextIndex:
        """Return the full-text index of a searchable table."""
        if table not in self._texts:  # each index caches the frequencies that it has read
            self._texts[table] = SqliteFullText(self._connection, table)
        return self._texts[table]

    def vectors(self) -> VectorIndex:
        """Return the index of the passages' vectors."""
        from memoranda.store.sqlite.vectors import VectorScan  # loads numpy

        shelf = self._blocks or LazyBlockCache()
        return VectorScan(self._connection, shelf.cache)


class LazyBlockCache:
    """Provides the block cache to the transactions of one open database."""

    @cached_property
    def cache(self) -> VectorBlockCache:
        """The cache of blocks."""
        from memoranda.store.sqlite.sign_blocks import VectorBlockCache  # loads numpy

        return VectorBlockCache()
