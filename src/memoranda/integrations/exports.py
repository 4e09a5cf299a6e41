"""Exports memories and blocks as MCP memory server JSON or Markdown."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from memoranda.blocks.model import Block
from memoranda.exceptions import Conflict, NotFound, StorageUnusable
from memoranda.json_data import iso_time
from memoranda.memories.model import Category, Memory, MemoryStatus
from memoranda.memory import Memoranda
from memoranda.page import every
from memoranda.text import one_line

GRAPH = "graph:"
"""Prefix of the tag for a memory's role in a graph."""
PAGE = 500


def export_mcp_memory(
    memory: Memoranda, path: Path, *, workspace: str | None = None, force: bool = False
) -> int:
    """Export approved memories as JSON lines of the MCP memory server.

    Return the number of lines. Memories of a graph become its entities and relations again. Any
    other memory becomes an entity named by its title, and a block becomes an entity named by its
    label.

    Raises:
        Conflict: a file of this name exists, and ``force`` is not set.
        NotFound: the file's folder does not exist.
    """
    _require_free(path, force)
    lines = [json.dumps(line, ensure_ascii=False) for line in _graph(memory, workspace)]
    _write(path, "".join(f"{line}\n" for line in lines))
    return len(lines)


def export_markdown(
    memory: Memoranda, folder: Path, *, workspace: str | None = None, force: bool = False
) -> int:
    """Export approved memories as Markdown; return the number of files.

    There is a file for each category and one for each block.

    Raises:
        Conflict: the folder exists and is not empty, and ``force`` is not set.
        NotFound: the parent folder does not exist.
    """
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not force)):
        raise Conflict(f"{folder} exists; choose another name, or pass --force")
    if not folder.parent.is_dir():
        raise NotFound(f"no folder {folder.parent}; create it first")
    texts = dict(_pages(memory, workspace))
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(path, text)
    return len(texts)


def _graph(memory: Memoranda, workspace: str | None) -> Iterator[Mapping[str, object]]:
    entities: dict[str, tuple[str, list[str]]] = {}
    relations: list[Mapping[str, object]] = []
    for item in _memories(memory, workspace):
        kind = next((tag.removeprefix(GRAPH) for tag in item.tags if tag.startswith(GRAPH)), "")
        tags = dict(tag.split(":", 1) for tag in item.tags if ":" in tag)
        if kind == "relation" and {"from", "to", "type"} <= tags.keys():
            relations.append(
                {"type": "relation", "from": tags["from"], "to": tags["to"],
                 "relationType": tags["type"]}
            )  # fmt: skip
        elif kind == "entity" and {"name", "type"} <= tags.keys():
            entities[tags["name"]] = (tags["type"], _observed(entities, tags["name"]))
        elif kind == "observation" and "name" in tags:
            entity = entities.setdefault(tags["name"], ("thing", []))
            entity[1].append(item.content.removeprefix(f"{tags['name']}: "))
        else:
            entities.setdefault(item.title, (item.category.value, []))[1].append(item.content)
    for block in _blocks(memory, workspace):
        entities.setdefault(block.label, ("block", []))[1].append(block.value)
    for name, (type, observations) in entities.items():
        yield {
            "type": "entity", "name": name, "entityType": type, "observations": observations,
        }  # fmt: skip
    yield from relations


def _observed(entities: Mapping[str, tuple[str, list[str]]], name: str) -> list[str]:
    return entities[name][1] if name in entities else []


def _pages(memory: Memoranda, workspace: str | None) -> Iterator[tuple[str, str]]:
    by_category: dict[Category, list[Memory]] = {}
    for item in _memories(memory, workspace):
        by_category.setdefault(item.category, []).append(item)
    for category, memories in by_category.items():
        sections = "\n".join(map(_section, memories))
        yield f"{category.value}.md", f"# {category.value.replace('_', ' ')}\n\n{sections}"
    taken: dict[str, int] = {}
    for block in _blocks(memory, workspace):
        safe = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in block.label)
        name = safe.strip("-.") or "block"
        taken[name] = taken.get(name, 0) + 1
        number = f"-{taken[name]}" if taken[name] > 1 else ""
        yield f"blocks/{name}{number}.md", f"# {one_line(block.label)}\n\n{block.value}\n"


def _section(one: Memory) -> str:
    """Render a memory; demote the headings in its text by one level."""
    tags = f"  \ntags: {', '.join(one.tags)}" if one.tags else ""
    text = "\n".join(
        f"##{line}" if line.startswith("#") else line for line in one.content.split("\n")
    )
    note = f"<!-- {one.id}, {iso_time(one.created_at)}{tags} -->"
    return f"## {one_line(one.title)}\n\n{text}\n\n{note}\n"


def _memories(memory: Memoranda, workspace: str | None) -> Iterable[Memory]:
    """Return approved memories, oldest first."""
    status = MemoryStatus.APPROVED
    return reversed(
        list(every(memory.memories.list, workspace=workspace, status=status, limit=PAGE))
    )


def _blocks(memory: Memoranda, workspace: str | None) -> Iterator[Block]:
    """Yield blocks in the order of labels, without those of tasks."""
    blocks = every(memory.blocks.list, workspace=workspace, limit=PAGE)
    return (block for block in blocks if block.place.task is None)


def _require_free(path: Path, force: bool) -> None:
    if path.is_dir() or (path.exists() and not force):
        raise Conflict(f"{path} exists; choose another name, or pass --force")
    if not path.parent.is_dir():
        raise NotFound(f"no folder {path.parent}; create it first")


def _write(path: Path, text: str) -> None:
    """Write a file atomically, readable only by its owner."""
    draft = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        file = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(file, "wb") as out:
            out.write(text.encode())
        draft.replace(path)
    except OSError as error:
        raise StorageUnusable(f"cannot write {path}: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)
