"""Importer of mem0: its history database, or the output of ``get_all``.

The output of ``get_all`` is a JSON or JSONL file. The history has all earlier values of a memory
but no owners; the export has owners and tags but no history. Sources: ``mem0/memory/storage.py``
and the responses of mem0ai 2.2.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from memoranda.archive.other_system_records import FormerContent, ImportedMemory
from memoranda.exceptions import InvalidInput
from memoranda.integrations.imports.imported_items import (
    TAG,
    TAGS,
    ImportContext,
    ImportedItem,
    fields_of,
    items_of,
    parts,
    tags_of,
    text_of,
    time_of,
)
from memoranda.integrations.imports.json_file import documents
from memoranda.integrations.imports.sqlite_file import columns, is_sqlite, opened, require
from memoranda.integrations.mem0.filters import OWNERS
from memoranda.integrations.mem0.stored_records import Mem0Record
from memoranda.text import clip, one_line

KNOWN = "mem0ai 0.1 to 2"
NEEDED = {
    "history": ("memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at"),
}
MARK = "mem0"
SOURCE_ID = "mem0-id"
"""Name of the tag with the id of a memory in mem0."""
_OWNERS = {"user_id": "user", "agent_id": "agent", "run_id": "run", "actor_id": "actor"}


def is_mem0(connection: sqlite3.Connection) -> bool:
    """Return whether a database is a mem0 history."""
    return {"memory_id", "new_memory"} <= columns(connection, "history")


def is_export(value: object) -> bool:
    """Return whether JSON is a result of mem0's ``get_all``.

    An id and a text alone are not sufficient.
    """
    items = _items(value)
    first = fields_of(items[0]) if items else {}
    content = first.get("memory") or fields_of(first.get("payload")).get("data")
    return "id" in first and bool(text_of(content))


def read(path: Path, reading: ImportContext) -> Iterator[ImportedItem]:
    """Yield memories.

    Memories of a history are in the order in which they were first stored.
    """
    if is_sqlite(path):
        with opened(path) as database:
            require(database, NEEDED, KNOWN)
            yield from _history(database, reading)
        return
    found: list[Any] = []
    for document in documents(path, reading.skip):
        found += _items(document)
        for _ in items_of(fields_of(document).get("relations")):
            reading.skip("a relation of mem0's graph")
    if not found:
        raise InvalidInput(f"{path} contains no memories of mem0")
    for item in found:
        memory = _exported(fields_of(item), reading)
        if memory is None:
            reading.skip("an item without an id or a text")
        else:
            yield from parts(memory)


def _history(database: sqlite3.Connection, reading: ImportContext) -> Iterator[ImportedMemory]:
    rows = database.execute(
        "select h.* from history h join "
        "(select memory_id, min(rowid) as first from history group by memory_id) f "
        "on f.memory_id = h.memory_id order by f.first, h.rowid"
    )
    for id, versions in groupby(rows, key=lambda row: row["memory_id"]):
        changes = list(versions)
        last = changes[-1]
        if last["event"] == "DELETE" or ("is_deleted" in last.keys() and last["is_deleted"]):  # noqa: SIM118 - a row is no mapping
            reading.skip("deleted there")
        elif not (id and text_of(last["new_memory"])):
            reading.skip("an item without an id or a text")
        else:
            yield from parts(_remembered(str(id), changes, reading))


def _remembered(id: str, changes: Sequence[sqlite3.Row], reading: ImportContext) -> ImportedMemory:
    first, last = changes[0], changes[-1]
    times = [time_of(row["updated_at"]) or time_of(row["created_at"]) for row in changes]
    olds = [
        FormerContent(content=text, changed_at=at)
        for row, at in zip(changes[1:], times[1:], strict=True)
        if (text := text_of(row["old_memory"])) and text != text_of(row["new_memory"])
    ]
    return ImportedMemory(
        key=id,
        content=text_of(last["new_memory"]),
        tags=_source_tags(id),
        workspace=reading.workspace,
        created_at=time_of(first["created_at"]),
        updated_at=times[-1],
        former=tuple(olds),
    )


def _exported(item: dict[str, Any] | Any, reading: ImportContext) -> ImportedMemory | None:
    id, text = text_of(item.get("id")), text_of(_content(item))
    if not (id and text):
        return None
    metadata = fields_of(item.get("metadata"))
    owners = {tag: item.get(name) or metadata.get(name) for name, tag in _OWNERS.items()}
    others = {name: one for name, one in metadata.items() if name not in {*_OWNERS, "data", "hash"}}
    categories = {"category": items_of(item.get("categories"))}
    first = next(iter(tags_of(owners)), None)
    kept = {name: one for name, one in metadata.items() if name not in {*OWNERS, "data", "hash"}}
    record = Mem0Record(_names(item, metadata), kept)
    memory = ImportedMemory(
        key=id,
        content=text,
        tags=_source_tags(id),
        workspace=reading.place(first),
        created_at=time_of(item.get("created_at")),
        updated_at=time_of(item.get("updated_at")) or time_of(item.get("created_at")),
        valid_until=time_of(item.get("expiration_date")),
        metadata=record.value,
    )
    tags = (*memory.tags, *tags_of({**owners, **categories, **others}))
    return replace(memory, tags=tags[:TAGS])


def _source_tags(id: str) -> tuple[str, str]:
    """Return the tags that name the source of a memory and its id there."""
    return MARK, clip(f"{SOURCE_ID}:{one_line(id)}", TAG)


def _names(item: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the owners of an exported memory by field."""
    found = {name: text_of(item.get(name) or metadata.get(name)) for name in OWNERS}
    return {name: (owner,) for name, owner in found.items() if owner}


def _items(value: object) -> list[Any]:
    """Return the memories in a response or list.

    A single memory is treated as a list of one.
    """
    if isinstance(value, list):
        return value
    answer = fields_of(value)
    for name in ("results", "memories"):
        if isinstance(answer.get(name), list):
            return items_of(answer[name])
    return [answer] if "id" in answer and _content(answer) else []


def _content(item: Any) -> object:
    """Return the text of a memory.

    In a response the text is the field memory; in the payload of a vector store it is the field
    data.
    """
    payload = fields_of(item.get("payload"))
    return item.get("memory") or item.get("text") or payload.get("data") or item.get("data")
