"""Types of memory links, external references and a memory's details."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.memories.extraction_model import Encoding
from memoranda.memories.model import Memory, PatternParts


class LinkKind(StrEnum):
    """Relation of a memory to another one."""

    RELATED = "related"
    PARENT = "parent"
    """The other memory contains this one as a part."""
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    """This memory replaces the other one."""


class ReferenceKind(StrEnum):
    """Kind of external object that a memory refers to."""

    FILE = "file"
    EXECUTION = "execution"
    """A task."""
    URL = "url"
    DOC = "doc"


@dataclass(frozen=True, slots=True)
class Reference:
    """External object that a memory refers to."""

    kind: ReferenceKind
    value: str


@dataclass(frozen=True, slots=True)
class LinkTo:
    """Relation to an existing memory."""

    kind: LinkKind
    other: str
    """Id of the existing memory."""


@dataclass(frozen=True, slots=True)
class MemoryLink:
    """Relation of one memory to another."""

    team: str
    memory: str
    kind: LinkKind
    other: str
    reason: str
    """Short reason that contains no text from a memory."""
    actor: str
    """Creator of the link: an agent, a person or this program."""
    created_at: int


@dataclass(frozen=True, slots=True)
class LinkedMemory:
    """Link as seen from one of its ends."""

    kind: LinkKind
    outward: bool
    """Whether the link leads from the given memory to the other one."""
    memory: Memory
    """Memory at the other end."""
    reason: str
    actor: str
    taken_back: bool
    """Whether the other memory was superseded and is now valid again."""


@dataclass(frozen=True, slots=True)
class MemoryDetail:
    """A memory with all its details."""

    memory: Memory
    holds: bool
    """Whether the memory is currently valid."""
    trust: str
    """Trust level, derived from the author."""
    evidence: tuple[str, ...]
    """Ids of observations, oldest first."""
    references: tuple[Reference, ...]
    links: tuple[LinkedMemory, ...]
    encoding: Encoding
    parts: PatternParts
    """Reason, alternative, applicability and examples, as stated in the content."""


@dataclass(frozen=True, slots=True)
class MemoryConflict:
    """Two memories that contradict each other."""

    older: Memory
    newer: Memory
    reason: str
    created_at: int
    """Time of detection."""
