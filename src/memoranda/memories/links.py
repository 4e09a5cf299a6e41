"""How memories relate to one another, what they refer to, and all that is known of one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.memories.encoding_model import Encoding
from memoranda.memories.model import Memory


class LinkKind(StrEnum):
    """How a memory stands to another one."""

    RELATED = "related"
    PARENT = "parent"
    """The other is what this one is a part of."""
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    """It says what holds instead of the other."""


class ReferenceKind(StrEnum):
    """What a memory refers to outside of itself."""

    FILE = "file"
    EXECUTION = "execution"
    """A task."""
    URL = "url"
    DOC = "doc"


@dataclass(frozen=True, slots=True)
class Reference:
    """Something that a memory refers to."""

    kind: ReferenceKind
    value: str


@dataclass(frozen=True, slots=True)
class LinkTo:
    """A relation to a memory that is there."""

    kind: LinkKind
    other: str
    """Its id."""


@dataclass(frozen=True, slots=True)
class MemoryLink:
    """A relation of one memory to another."""

    team: str
    memory: str
    kind: LinkKind
    other: str
    reason: str
    """In a word; no text of a memory."""
    actor: str
    """Who made it: an agent, a person, or this program."""
    created_at: int


@dataclass(frozen=True, slots=True)
class LinkedMemory:
    """A link as seen from one of its ends."""

    kind: LinkKind
    outward: bool
    """Whether it is the memory that is looked at that stands so to the other."""
    memory: Memory
    """At the other end."""
    reason: str
    actor: str
    taken_back: bool
    """Whether the other was superseded once and holds again."""


@dataclass(frozen=True, slots=True)
class MemoryDetail:
    """All that is known of one memory."""

    memory: Memory
    holds: bool
    """At the moment."""
    trust: str
    """Whose word it is."""
    evidence: tuple[str, ...]
    """Ids of observations, oldest first."""
    references: tuple[Reference, ...]
    links: tuple[LinkedMemory, ...]
    encoding: Encoding


@dataclass(frozen=True, slots=True)
class MemoryConflict:
    """Two memories that cannot both hold as they stand."""

    older: Memory
    newer: Memory
    reason: str
    created_at: int
    """When it was noticed."""
