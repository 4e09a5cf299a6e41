"""The reference memory server of MCP: its JSON lines of entities and relations.

Each entity, observation and relation becomes a memory in the form in which ``memoranda mcp
--profile reference-graph`` keeps them, so that the nine tools of that server go on with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memoranda.integrations.importing.json_file import documents
from memoranda.integrations.importing.material import (
    Material,
    Reading,
    fields_of,
    items_of,
    text_of,
)
from memoranda.values.imported import ImportedMemory

KINDS = frozenset({"entity", "relation"})


def is_graph(value: object) -> bool:
    """Tell a line of it from other JSON."""
    line = fields_of(value)
    return line.get("type") in KINDS and ("name" in line or "relationType" in line)


def read(path: Path, reading: Reading) -> Iterator[Material]:
    """Yield entities with what is observed of them, and relations, in the order of the file."""
    for line in map(fields_of, documents(path)):
        if line.get("type") == "entity" and (name := text_of(line.get("name"))):
            yield from _entity(name, line, reading)
        elif line.get("type") == "relation" and (relation := _relation(line, reading)):
            yield relation
        else:
            reading.skip("a line that is neither an entity nor a relation")


def _entity(name: str, line: Any, reading: Reading) -> Iterator[ImportedMemory]:
    type = text_of(line.get("entityType")) or "thing"
    tags = {"name": name, "type": type}
    yield _memory("entity", f"{name} is of type {type}.", tags, reading)
    for said in dict.fromkeys(map(text_of, items_of(line.get("observations")))):
        if said:
            yield _memory("observation", f"{name}: {said}", {"name": name}, reading)


def _relation(line: Any, reading: Reading) -> ImportedMemory | None:
    start, end, type = (text_of(line.get(name)) for name in ("from", "to", "relationType"))
    if not (start and end and type):
        return None
    tags = {"from": start, "to": end, "type": type}
    return _memory("relation", f"{start} -> {type} -> {end}", tags, reading)


def _memory(kind: str, content: str, tags: dict[str, str], reading: Reading) -> ImportedMemory:
    marks = (f"graph:{kind}", *(f"{name}:{tag}" for name, tag in tags.items()))
    key = f"{kind}\0{content}\0{reading.workspace or ''}"
    return ImportedMemory(key=key, content=content, tags=marks, workspace=reading.workspace)
