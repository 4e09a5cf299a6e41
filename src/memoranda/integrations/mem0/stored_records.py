"""mem0's stored data about a memory: owners, metadata and time.

A record is a document whose key is the memory's id. Memories from an earlier version have no
record; their data is read from their tags.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memoranda.documents.model import MEMORY_METADATA
from memoranda.integrations.mem0.filters import OWNERS
from memoranda.json_data import JsonValue
from memoranda.text import normalise, one_line

TAG_CHARACTERS = 80


def owner_tag(field: str, name: str) -> str:
    """Return the tag of an owner.

    The tag of a long name contains a hash; the record contains the name itself.
    """
    tag = f"{OWNERS[field]}:{one_line(normalise(name))}"
    return tag if len(tag) <= TAG_CHARACTERS else f"{OWNERS[field]}:{_digest(name)}"


def owner_tags(owners: Mapping[str, str]) -> list[str]:
    """Return the tags of owners, in the order of the owners."""
    return [owner_tag(field, name) for field, name in owners.items()]


def owner_of(tag: str) -> tuple[str, str] | None:
    """Return the field and name in an owner's tag; None for other tags."""
    kind, colon, name = tag.partition(":")
    field = next((item for item, prefix in OWNERS.items() if prefix == kind), None)
    return (field, name) if colon and field else None


def workspace_of(owners: Mapping[str, str]) -> str | None:
    """Return the workspace for memories of the given owners.

    The first named field determines the workspace. The same text about two people thus becomes two
    memories.
    """
    field = next((item for item in OWNERS if item in owners), None)
    return owner_tag(field, owners[field]) if field else None


def workspace_with(owners: Mapping[str, str]) -> str | None:
    """Return the workspace with all memories of owners; None if several."""
    first = next(iter(OWNERS))
    return workspace_of(owners) if first in owners else None


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()


CATEGORY = "category"
AT_ONCE = 500

Call = Callable[[str, Mapping[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class Mem0Record:
    """Owners, metadata and time of one memory."""

    owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the owner by field, such as ``user_id``, newest last."""
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    timestamp: int | None = None
    """Time of the statement in microseconds, if the caller stated one."""

    def with_(
        self, owners: Mapping[str, str], metadata: Mapping[str, JsonValue], timestamp: int | None
    ) -> Mem0Record:
        """Return the record of a memory that is added again with the given values."""
        joined = dict(self.owners)
        for name, owner in owners.items():
            others = tuple(item for item in joined.get(name, ()) if item != owner)
            joined[name] = (*others, owner)
        return Mem0Record(joined, {**self.metadata, **metadata}, timestamp or self.timestamp)

    @property
    def value(self) -> JsonValue:
        """The record serialised as JSON."""
        owners: JsonValue = {name: [*names] for name, names in self.owners.items()}
        return {"owners": owners, "metadata": {**self.metadata}, "timestamp": self.timestamp}


class Mem0Records:
    """The records of the memories that are visible to a caller."""

    def __init__(self, call: Call) -> None:
        """Read and write records with ``call``, which runs a named operation."""
        self._call = call

    def of(self, memories: Iterable[Mapping[str, Any]]) -> dict[str, Mem0Record]:
        """Return a record for every memory, by memory id."""
        found = list(memories)
        kept = self.kept([item["id"] for item in found])
        return {one["id"]: kept.get(one["id"]) or _from_tags(one["tags"]) for one in found}

    def kept(self, ids: Sequence[str]) -> dict[str, Mem0Record]:
        """Return the stored records of memories by memory id."""
        kept: dict[str, Mem0Record] = {}
        for at in range(0, len(ids), AT_ONCE):
            keys = ids[at : at + AT_ONCE]
            for item in self._call("document.get", {"space": MEMORY_METADATA, "keys": keys}):
                kept[item["key"]] = _record(item["value"])
        return kept

    def put(self, id: str, record: Mem0Record) -> None:
        """Store a record, replacing the memory's previous one."""
        documents = [{"key": id, "value": record.value}]
        self._call("document.put", {"space": MEMORY_METADATA, "documents": documents})


def _record(value: Any) -> Mem0Record:
    owners = {name: tuple(names) for name, names in value["owners"].items()}
    return Mem0Record(owners, value["metadata"], value["timestamp"])


def _from_tags(tags: Iterable[str]) -> Mem0Record:
    owners: dict[str, tuple[str, ...]] = {}
    metadata: dict[str, JsonValue] = {}
    for tag in tags:
        name, colon, value = tag.partition(":")
        if owner := owner_of(tag):
            owners[owner[0]] = (owner[1],)
        elif colon and name != CATEGORY:
            metadata[name] = value
    return Mem0Record(owners, metadata)
