"""Records of another memory system that are to be imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from memoranda.blocks.model import LIMIT
from memoranda.json_data import JsonValue
from memoranda.memories.model import Category


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerContent:
    """Earlier version of a memory in the source system."""

    content: str
    changed_at: int | None
    """Time of the change, in microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMemory:
    """A memory of another system."""

    key: str
    """Permanent key, unique within the source system.

    A second import recognises the memory by this key.
    """
    former_key: str = ""
    """Key that an earlier version of Memoranda used, if it was a different key."""
    content: str
    title: str = ""
    category: Category = Category.INSIGHT
    tags: tuple[str, ...] = ()
    workspace: str | None = None
    """Name of the memory's workspace; None for the whole team."""
    created_at: int | None = None
    """Time in microseconds; None if unknown."""
    updated_at: int | None = None
    valid_until: int | None = None
    former: tuple[FormerContent, ...] = ()
    """Earlier versions, oldest first."""
    metadata: JsonValue = None
    """Data of a program about the memory, stored as a document with its id; None for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedBlock:
    """A block of another system."""

    key: str
    label: str
    value: str
    description: str = ""
    limit: int = LIMIT
    read_only: bool = False
    workspace: str | None = None
    created_at: int | None = None
    holders: tuple[str, ...] = ()
    """Agents that share the block; if empty, all agents in the block's workspace share it."""


Imported: TypeAlias = ImportedMemory | ImportedBlock
