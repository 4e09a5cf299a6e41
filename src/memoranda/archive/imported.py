"""What another system remembered, on its way in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from memoranda.blocks.model import LIMIT
from memoranda.memories.model import Category


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerContent:
    """What a memory said before it was changed there."""

    content: str
    changed_at: int | None
    """When it was changed, in microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedMemory:
    """A memory of another system."""

    key: str
    """Tells it from all others of its source, for good; by it a second import knows it."""
    content: str
    title: str = ""
    category: Category = Category.INSIGHT
    tags: tuple[str, ...] = ()
    workspace: str | None = None
    """The name of its workspace; None for the whole team's."""
    created_at: int | None = None
    """In microseconds; None where nobody wrote it down."""
    updated_at: int | None = None
    valid_until: int | None = None
    former: tuple[FormerContent, ...] = ()
    """Oldest first."""


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
    """The agents that share it; none: it is everybody's who sees its workspace."""


Imported: TypeAlias = ImportedMemory | ImportedBlock
