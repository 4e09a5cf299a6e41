"""Types of what is extracted from a memory's text.

Parts are names, facts, keywords, constraints, outcomes and the type of memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.memories.model import Category


class EntityType(StrEnum):
    """Type of the thing that a name refers to."""

    PERSON = "person"
    ORGANIZATION = "organization"
    PROJECT = "project"
    PLACE = "place"
    TECHNOLOGY = "technology"
    """Language, product or protocol used to build software."""


class MemoryType(StrEnum):
    """Function of a statement: report, decide, promise, prefer or judge."""

    FACT = "fact"
    DECISION = "decision"
    COMMITMENT = "commitment"
    PREFERENCE = "preference"
    OPINION = "opinion"


@dataclass(frozen=True, slots=True)
class Entity:
    """Name with its type."""

    name: str
    """Spelling at its first mention, without titles and articles."""
    type: EntityType


@dataclass(frozen=True, slots=True)
class TypedSentence:
    """Sentence of a text with the type of memory that it contains."""

    type: MemoryType
    sentence: str


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """Action with its result, both quoted from the text."""

    action: str
    result: str
    worked: bool


@dataclass(frozen=True, slots=True)
class Encoding:
    """Analysis of a text without a model; every part is quoted from the text."""

    entities: tuple[Entity, ...] = ()
    """Names in order of first mention; technologies follow the others."""
    facts: tuple[str, ...] = ()
    """Sentences that can be checked.

    They name a number, a date, or what a named thing is.
    """
    keywords: tuple[str, ...] = ()
    """Keywords in lower case, most significant first."""
    constraints: tuple[str, ...] = ()
    outcomes: tuple[ActionOutcome, ...] = ()
    type: MemoryType | None = None
    """Type of the main statement; None for a text without one."""
    category: Category = Category.INSIGHT
    """Suggested category in the memory bank."""
    summary: str = ""
    """Main sentence of the text, of at most 240 characters."""
