"""Importer of the reference MCP memory server: entities and relations.

The input is the server's JSON lines. Each entity, observation and relation becomes a memory in the
form in which ``memoranda mcp --profile reference-graph`` stores it, so that the nine tools of that
server can access it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memoranda.archive.other_system_records import ImportedMemory
from memoranda.integrations.imports.imported_items import (
    ImportContext,
    ImportedItem,
    fields_of,
    items_of,
    text_of,
)
from memoranda.integrations.imports.json_file import documents

KINDS = frozenset({"entity", "relation"})


def is_graph(value: object) -> bool:
    """Return whether JSON is an MCP memory graph: lines, list or document."""
    if isinstance(value, list):
        return any(map(_is_line, value[:20]))
    return _is_line(value) or _is_graph(value)


def _is_line(value: object) -> bool:
    line = fields_of(value)
    return text_of(line.get("type")) in KINDS and ("name" in line or "relationType" in line)


def _is_graph(value: object) -> bool:
    """Return whether JSON is a result of the tool ``read_graph``."""
    graph = fields_of(value)
    return all(isinstance(graph.get(name), list) for name in ("entities", "relations"))


def _lines(document: object) -> Iterator[Any]:
    """Yield the lines of a document in any of the three formats."""
    for value in document if isinstance(document, list) else [document]:
        graph = fields_of(value)
        if not _is_graph(graph):
            yield graph
            continue
        for name, kind in (("entities", "entity"), ("relations", "relation")):
            yield from ({**fields_of(item), "type": kind} for item in graph[name])


def read(path: Path, reading: ImportContext) -> Iterator[ImportedItem]:
    """Yield entities with their observations, and relations, in file order."""
    found = (line for document in documents(path, reading.skip) for line in _lines(document))
    for line in found:
        if line.get("type") == "entity" and (name := text_of(line.get("name"))):
            yield from _entity(name, line, reading)
        elif line.get("type") == "relation" and (relation := _relation(line, reading)):
            yield relation
        else:
            reading.skip("something that is neither an entity nor a relation")


def _entity(name: str, line: Any, reading: ImportContext) -> Iterator[ImportedMemory]:
    type = text_of(line.get("entityType")) or "thing"
    tags = {"name": name, "type": type}
    yield _memory("entity", f"{name} is of type {type}.", tags, reading)
    items = line.get("observations")
    observed = [
        _observation_text(item) for item in ([items] if isinstance(items, str) else items_of(items))
    ]
    for _ in range(observed.count("")):
        reading.skip("an observation without a text")
    for text in dict.fromkeys(filter(None, observed)):
        yield _memory("observation", f"{name}: {text}", {"name": name}, reading)


def _observation_text(observation: object) -> str:
    """Return the text of an observation.

    Some servers store the text together with its time.
    """
    fields = fields_of(observation)
    return text_of(observation) or text_of(fields.get("content")) or text_of(fields.get("text"))


def _relation(line: Any, reading: ImportContext) -> ImportedMemory | None:
    start, end, type = (text_of(line.get(name)) for name in ("from", "to", "relationType"))
    if not (start and end and type):
        return None
    tags = {"from": start, "to": end, "type": type}
    return _memory("relation", f"{start} -> {type} -> {end}", tags, reading)


def _memory(
    kind: str, content: str, tags: dict[str, str], reading: ImportContext
) -> ImportedMemory:
    marks = (f"graph:{kind}", *(f"{name}:{tag}" for name, tag in tags.items()))
    key = f"{kind}\0{content}\0{reading.workspace or ''}"
    return ImportedMemory(key=key, content=content, tags=marks, workspace=reading.workspace)
