"""Reader of the output of claude-mem's ``export-memories``.

The output is one document with the rows of claude-mem's tables. They are loaded into in-memory
tables, so that they are read like those of the database and have the same keys: a memory that is
imported both ways is stored once. Sources: claude-mem's ``scripts/export-memories.ts``, and the
column names used before claude-mem 8.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from memoranda.integrations.imports.imported_items import (
    ImportContext,
    fields_of,
    items_of,
    time_of,
)
from memoranda.json_data import dump_json
from memoranda.text import normalise

_TABLES: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "sessions": (
            "sdk_sessions",
            (
                "content_session_id", "memory_session_id", "project", "user_prompt", "status",
                "custom_title", "started_at_epoch", "completed_at_epoch",
            ),
        ),
        "observations": (
            "observations",
            (
                "memory_session_id", "project", "text", "type", "title", "subtitle", "facts",
                "narrative", "concepts", "files_read", "files_modified", "created_at_epoch",
            ),
        ),
        "summaries": (
            "session_summaries",
            (
                "memory_session_id", "project", "request", "investigated", "learned", "completed",
                "next_steps", "notes", "created_at_epoch",
            ),
        ),
        "prompts": (
            "user_prompts", ("content_session_id", "prompt_text", "created_at_epoch"),
        ),
    }
)  # fmt: skip
"""For each list name, the table and the columns read in addition to ``id``."""
_FORMER = {"memory_session_id": "sdk_session_id", "content_session_id": "claude_session_id"}
_DATES = {
    "created_at_epoch": "created_at",
    "started_at_epoch": "started_at",
    "completed_at_epoch": "completed_at",
}


def is_export(value: object) -> bool:
    """Return whether JSON is an export of claude-mem."""
    fields = fields_of(value)
    lists = [isinstance(fields.get(name), list) for name in _TABLES]
    return lists[1] and sum(lists) > 1


@contextmanager
def opened_export(document: Any, reading: ImportContext) -> Iterator[sqlite3.Connection]:
    """Provide the rows of a document as claude-mem tables."""
    database = sqlite3.connect(":memory:")
    try:
        database.row_factory = sqlite3.Row
        for name, (table, columns) in _TABLES.items():
            database.execute(f"create table {table} (id integer primary key, {', '.join(columns)})")
            rows = []
            for row in items_of(fields_of(document).get(name)):
                if isinstance(row, dict):
                    rows.append([_id(row), *(_value(row, column) for column in columns)])
                else:
                    reading.skip("an entry that is not a row")
            marks = ", ".join("?" * (len(columns) + 1))
            database.executemany(f"insert or replace into {table} values ({marks})", rows)
        yield database
    finally:
        database.close()


def _id(row: Mapping[str, Any]) -> int | None:
    id = row.get("id")
    return id if type(id) is int and abs(id) < 1 << 63 else None


def _value(row: Mapping[str, Any], column: str) -> str | int | float | None:
    value = row.get(column)
    if value is None and column in _FORMER:
        value = row.get(_FORMER[column])
    if value is None and column in _DATES:
        value = row.get(_DATES[column])
    if column in _DATES:
        at = time_of(value)
        return None if at is None else at // 1_000
    if value is None:
        return None
    return normalise(value if isinstance(value, str) else dump_json(value))
