"""A PostgreSQL transaction with the portable interface."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, cast

import psycopg
from psycopg.adapt import Transformer

from memoranda.store.database import Parameters, Row, TextIndex, VectorIndex
from memoranda.store.postgres.bulk import WORTH_IT, copy_in, plain_insert
from memoranda.store.postgres.counts import CachedCounts
from memoranda.store.postgres.fulltext import PostgresFullText

_LIST = re.compile(r"(not )?in :(\w+)\[(int)?\]")
_TOKEN = re.compile(r"'(?:[^']|'')*'|\\?:\\?:|:(\w+)")
_VALUES = re.compile(
    r"(insert into [^()]*\([^()]*\)\s*values )(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))(.*)",
    re.DOTALL,
)
_PLACE = re.compile(rb"%\((\w+)\)s")
_WRITING = re.compile(r"\b(insert|update|delete|merge)\b", re.IGNORECASE)
_CHANGES = ("INSERT", "UPDATE", "DELETE")
PAGE, COPIED = 500, 10_000
"""Maximum number of rows of one insert, and of one COPY."""
FEW, FEW_CHARS = 10, 500
"""Maximum number of values of a list, and maximum number of characters of its JSON, up to which the
planner sees the values.

A plan can depend on a few values, such as categories. Many values, such as ids, are looked up one
by one in any plan.
"""


@lru_cache(maxsize=1024)
def in_dialect(text: str, few: frozenset[str] = frozenset()) -> str:
    """Convert a portable statement to the driver's dialect.

    List parameters are read from JSON arrays; lists in ``few`` are passed as SQL arrays.
    """

    def unfolded(found: re.Match[str]) -> str:
        return _array(found) if found[2] in few else _unfolded(found)

    def parameter(found: re.Match[str]) -> str:
        return f"%({found[1]})s" if found[1] else found[0].replace("\\", "")

    return _TOKEN.sub(parameter, _LIST.sub(unfolded, text.replace("%", "%%")))


def _unfolded(found: re.Match[str]) -> str:
    compared = "<> all" if found[1] else "= any"
    number = "::bigint" if found[3] else ""
    return f"{compared}(array(select jsonb_array_elements_text(:{found[2]}::jsonb){number}))"


def _array(found: re.Match[str]) -> str:
    compared = "<> all" if found[1] else "= any"
    return f"{compared}(%({found[2]}[])s::{'bigint' if found[3] else 'text'}[])"


@lru_cache(maxsize=512)
def _lists(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(match[2] for match in _LIST.finditer(text)))


def _few(text: str, parameters: Parameters) -> dict[str, list[str | int]]:
    """Return the values of the short lists, by parameter."""
    return {name: values for name in _lists(text) if (values := _read_few(parameters[name]))}


def _read_few(listed: str) -> list[str | int] | None:
    # the server determines how characters are escaped
    if len(listed) > FEW_CHARS or "\\" in listed:
        return None
    values: list[str | int] = json.loads(listed)
    return values if len(values) <= FEW else None


def _changed(cursor: psycopg.Cursor[Any], text: str) -> bool:
    """Return whether a statement may have written something."""
    status = cursor.statusmessage or ""
    return cursor.rowcount > 0 if status.startswith(_CHANGES) else _may_write(text)


@lru_cache(maxsize=1024)
def _may_write(text: str) -> bool:
    return not text.lstrip().lower().startswith(("select", "with")) or bool(_WRITING.search(text))


class PostgresTransaction:
    """Statements on one connection, in a transaction that the caller ends.

    The driver inserts the values into the statement, so that a NULL has the type that its position
    requires, the planner sees the values, and connection poolers need not support prepared
    statements.
    """

    def __init__(self, connection: psycopg.Connection[Any], counts: CachedCounts) -> None:
        self._connection = connection
        self._counts = counts
        self.changed = False
        """Whether anything was written that must be committed."""

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run one statement; return the number of changed rows."""
        cursor = self._run(sql, parameters)
        return cursor.rowcount if (cursor.statusmessage or "").startswith(_CHANGES) else 0

    def many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement for every row, in order; batch inserts."""
        plain = plain_insert(sql)
        if plain is not None:
            for page in _pages(rows, COPIED):
                self.changed = True
                if len(page) >= WORTH_IT:
                    copy_in(self._connection, plain, page)
                else:
                    self._insert(sql, page)
            return
        self._insert(sql, rows)

    def _insert(self, sql: str, rows: Iterable[Parameters]) -> None:
        match = _VALUES.match(in_dialect(sql))
        if match is None:
            for row in rows:
                self._run(sql, row)
            return
        head, item, tail = (part.encode() for part in match.groups())
        literal = Transformer(self._connection).as_literal
        item = _PLACE.sub(rb"%(\1)b", item)
        for page in _pages(rows, PAGE):
            self.changed = True
            values = [
                item % {name.encode(): literal(value) for name, value in row.items()}
                for row in page
            ]
            if b"do update" in tail:  # one statement cannot update a row twice
                sent = b";".join(head + each + tail for each in values)
            else:
                sent = head + b", ".join(values) + tail
            self._connection.execute(sent)

    def fetch(self, sql: str, parameters: Parameters) -> list[Row]:
        """Run one query; return its rows."""
        return self._run(sql, parameters).fetchall()

    def first(self, sql: str, parameters: Parameters) -> Row | None:
        """Run one query; return its first row, or None."""
        return cast("Row | None", self._run(sql, parameters).fetchone())

    def text(self, table: str) -> TextIndex:
        """Return the full-text index of a searchable table."""
        return PostgresFullText(self, table, self._counts)

    def vectors(self) -> VectorIndex:
        """Return the index of the passages' vectors."""
        from memoranda.store.postgres.vectors import PassageVectors  # needs numpy

        return PassageVectors(self, self._counts)

    def _run(self, statement: str, parameters: Parameters) -> psycopg.Cursor[Any]:
        if few := _few(statement, parameters):
            parameters = {**parameters, **{f"{name}[]": values for name, values in few.items()}}
        text = in_dialect(statement, frozenset(few))
        cursor = self._connection.execute(cast("Any", text), parameters)
        self.changed = self.changed or _changed(cursor, text)
        return cursor


def _pages(rows: Iterable[Parameters], size: int) -> Iterator[list[Parameters]]:
    remaining = iter(rows)
    while page := list(islice(remaining, size)):
        yield page
