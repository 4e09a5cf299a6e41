"""Copy of a team's data from one store to another, with any engines.

The copy is equal row by row, including ids, numbers, journal and vectors. Only the full-text index
and data derived from vectors are rebuilt, since each engine stores them differently. An interrupted
copy is continued by starting it again: existing rows are compared, not written twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from memoranda.capture.analysis.event_subjects import identifiers
from memoranda.capture.event_preparation import indexed_part
from memoranda.capture.observation_builder import text_entry
from memoranda.exceptions import Conflict
from memoranda.memories import table as memories
from memoranda.memories.memory_service import text_entry as memory_entry
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.observations.content import RECALLED_OUTPUT, readable
from memoranda.observations.model import ContentFormat
from memoranda.store.database import Database, Row, TextEntry, Transaction
from memoranda.store.table_catalogue import BLOB, MEMORY, OBSERVATION, TABLES, Table

PAGE = 500
CONTENT_PAGE = 50
"""Number of rows per page of the table of full contents."""

Progress: TypeAlias = Callable[[str, int], None]
"""Callback that receives the name of a table and the number of its rows processed so far."""


@dataclass(frozen=True, slots=True)
class TableCopy:
    """Result of copying one table."""

    table: str
    rows: int
    """Number of rows that are now in both stores."""
    written: int
    """Number of rows written by this copy; the other rows existed already."""
    digest: str
    """SHA-256 of all rows in key order, equal in both stores."""


def copy(
    source: Database, target: Database, team: str, progress: Progress = lambda *_: None
) -> list[TableCopy]:
    """Copy all rows of a team, then read both stores again and compare them.

    Each page is one transaction. Nothing may write to either store during the copy.

    Raises:
        Conflict: the target contains other data of this team, or a program wrote to one of the
            stores during the copy.
        CorruptData: content in the source does not match its hash.
    """
    written = {table.name: _copied(source, target, team, table, progress) for table in TABLES}
    return [_verified(source, target, team, table, written[table.name]) for table in TABLES]


def _copied(source: Database, target: Database, team: str, table: Table, progress: Progress) -> int:
    after: Row | None = None
    written = seen = 0
    size = CONTENT_PAGE if table is BLOB else PAGE
    while True:
        read = partial(table.page, team=team, after=after, limit=size)
        rows, there = source.read(read), target.read(read)
        missing = _missing(table, rows, there, last=len(rows) < size)
        if missing:
            texts = source.read(partial(texts_of, team=team, table=table, rows=missing))
            target.write(partial(_insert, table=table, rows=missing, texts=texts))
        seen, written = seen + len(rows), written + len(missing)
        progress(table.name, seen)
        if len(rows) < size:
            return written
        after = table.key_of(rows[-1])


def _missing(table: Table, rows: list[Row], there: list[Row], *, last: bool) -> list[Row]:
    """Return the rows of a page that the target lacks.

    The target must not have additional rows between them.
    """
    wanted = {table.key_of(row): row for row in rows}
    existing = {table.key_of(row): row for row in there}
    for key, row in existing.items():
        if (last or key <= table.key_of(rows[-1])) and wanted.get(key) != row:
            raise Conflict(
                f"the target contains another {table.name} {'/'.join(map(str, key))} of this team; "
                "copy into an empty store"
            )
    return [row for key, row in wanted.items() if key not in existing]


def _insert(tx: Transaction, table: Table, rows: list[Row], texts: list[TextEntry]) -> None:
    table.insert(tx, rows)
    if texts:
        tx.text(table.name).add(texts)


def texts_of(tx: Transaction, team: str, table: Table, rows: list[Row]) -> list[TextEntry]:
    """Return the full-text entries of rows, except for folded observations."""
    if table is MEMORY:
        named = (dict(zip(table.columns, row, strict=True)) for row in rows)
        return [memory_entry(memories.as_value(row)) for row in named]
    if table is not OBSERVATION:
        return []
    at = OBSERVATION.columns.index
    found = observations.by_ids(tx, team, [row[at("id")] for row in rows])
    entries = []
    for row in rows:
        observation = found[row[at("id")]]
        if observation.repeats is None:
            content = blobs.content(tx, team, observation.content_hash)
            text = readable(content, ContentFormat(row[at("format")]))
            hidden = RECALLED_OUTPUT in text
            entry = text_entry(observation, indexed_part(text), identifiers(text), hidden=hidden)
            entries.append(entry)
    return entries


def _verified(
    source: Database, target: Database, team: str, table: Table, written: int
) -> TableCopy:
    rows, digest = source.read(partial(_digest, team=team, table=table))
    copied, other = target.read(partial(_digest, team=team, table=table))
    if digest != other:
        raise Conflict(
            f"{table.name}: the {rows} rows in the source and"
            f" the {copied} in the target differ; a program wrote to one of the stores during the"
            f" copy: stop the program and start the copy again"
        )
    return TableCopy(table.name, rows, written, digest)


def _digest(tx: Transaction, team: str, table: Table) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    for rows in table.pages(tx, team, CONTENT_PAGE if table is BLOB else PAGE):
        for row in rows:
            digest.update(repr(row).encode("utf-8", "surrogatepass"))
            if table is BLOB:
                _, address, codec, _, data = row
                blobs.checked(address, codec, data)
        count += len(rows)
    return count, digest.hexdigest()
