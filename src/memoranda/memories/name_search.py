"""Searches all rows of all tables for a name, including full contents."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memoranda.memories.name_pattern import NamePattern
from memoranda.observations import blob_table as blobs
from memoranda.store.database import Row, Transaction
from memoranda.store.table_catalogue import BLOB, PASSAGE, TABLES, Table
from memoranda.text import clip

PAGE = 500
"""Number of rows per batch."""
MAX_LINE_LENGTH = 160
"""Maximum number of characters shown of a line that mentions the name."""
DERIVED = frozenset({"entry", "job", "mirror_file"})
"""Tables that are derived from others, or contain no text written by people."""
SUBJECTS = {
    "observation": ("observation", "id"),
    "observation_ref": ("observation", "observation"),
    "quarantine": ("observation", "observation"),
    "memory": ("memory", "id"),
    "memory_encoding": ("memory", "memory"),
    "memory_reference": ("memory", "memory"),
    "memory_version": ("memory", "memory"),
    "proposal": ("memory", "memory"),
    "block_version": ("block", "block"),
    "checkpoint": ("checkpoint", "id"),
    "task_state": ("task", "task"),
}
"""Kind of record that a table's rows belong to, and the column that contains the record's id.

By default, the row is itself the record.
"""


@dataclass(frozen=True, slots=True)
class MentionedRow:
    """One row that mentions the name."""

    table: Table
    row: Row
    columns: tuple[str, ...]
    """Columns that mention the name, directly or in a content that they refer to."""
    line: str
    opening: str = ""
    """First line of the text, if the name is mentioned in another line."""

    @property
    def kind(self) -> str:
        """Kind of record that the row belongs to."""
        return SUBJECTS.get(self.table.name, (self.table.name, ""))[0]

    @property
    def subject(self) -> str:
        """Id of the record that the row belongs to."""
        column = SUBJECTS.get(self.table.name, ("", ""))[1]
        return str(self.value(column)) if column else "/".join(map(str, self.key))

    @property
    def key(self) -> Row:
        """Key of the row within its team."""
        return self.table.key_of(self.row)

    def value(self, column: str) -> Any:
        """Return the value of a column."""
        return self.row[self.table.columns.index(column)]


def mentioned_rows(
    tx: Transaction, team: str, name: NamePattern, similar: Counter[str] | None = None
) -> Iterator[MentionedRow]:
    """Return every row of a team that mentions a name.

    Forms that may refer to the same person are counted in ``similar`` if nothing contains the exact
    name.
    """
    similar = Counter() if similar is None else similar
    contents = _contents(tx, team, name, similar)
    for table in TABLES:
        if table in (BLOB, PASSAGE) or table.name in DERIVED:
            continue
        for rows in table.pages(tx, team, PAGE):
            for row in rows:
                found = _columns(table, row, name, contents)
                if found:
                    line, opening = next(iter(found.values()))
                    yield MentionedRow(table, row, tuple(found), line, opening)
                else:
                    similar.update(_similar(row, name))


def _contents(
    tx: Transaction, team: str, name: NamePattern, similar: Counter[str]
) -> dict[str, tuple[str, str]]:
    """Return the first mention and the opening of each full content, by hash."""
    result = {}
    for rows in BLOB.pages(tx, team, PAGE):
        for _, digest, codec, _, data in rows:
            text = blobs.checked(digest, codec, data)
            if name.mentioned_in(text):
                result[digest] = _lines(text, name)
            else:
                similar.update(name.similar_in(text))
    return result


def _columns(
    table: Table, row: Row, name: NamePattern, contents: dict[str, tuple[str, str]]
) -> dict[str, tuple[str, str]]:
    """Return the first mention and the opening of each matching column."""
    result = {}
    for column, value in zip(table.columns[1:], row[1:], strict=True):
        if isinstance(value, str) and column.endswith("hash"):
            if value in contents and table.name != "memory":
                result[column] = contents[value]
            continue
        text = value if isinstance(value, str) else _unpacked(value)
        if text and name.mentioned_in(text):
            result[column] = _lines(text, name)
    return result


def _lines(text: str, name: NamePattern) -> tuple[str, str]:
    """Return the first line with the name, and the first line if different."""
    line = name.first_line(text, MAX_LINE_LENGTH)
    opening = clip(text.strip().partition("\n")[0].strip(), MAX_LINE_LENGTH)
    return line, "" if name.mentioned_in(opening) or opening[:1] in ("{", "[") else opening


def _similar(row: Row, name: NamePattern) -> set[str]:
    """Return the forms in a row's texts that may refer to the same person."""
    return {form for item in row[1:] if isinstance(item, str) for form in name.similar_in(item)}


def _unpacked(value: object) -> str:
    """Return the text of a compressed value; empty for any other value."""
    if not isinstance(value, (bytes, memoryview)):
        return ""
    try:
        return zlib.decompress(value).decode(errors="replace")
    except zlib.error:
        return bytes(value).decode(errors="replace")
