"""What a memory says, taken apart: names, facts, keywords, constraints, outcomes, its type."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.memories.model import Category


class EntityType(StrEnum):
    """What a name stands for."""

    PERSON = "person"
    ORGANIZATION = "organization"
    PROJECT = "project"
    PLACE = "place"
    TECHNOLOGY = "technology"
    """A language, a product or a protocol that software is made with."""


class MemoryType(StrEnum):
    """What a statement does: tells, settles, promises, likes or judges."""

    FACT = "fact"
    DECISION = "decision"
    COMMITMENT = "commitment"
    PREFERENCE = "preference"
    OPINION = "opinion"


@dataclass(frozen=True, slots=True)
class Entity:
    """A name and what it stands for."""

    name: str
    """As it is written at its first mention, without titles and articles."""
    type: EntityType


@dataclass(frozen=True, slots=True)
class TypedSentence:
    """A sentence of a text and the type of memory that it makes."""

    type: MemoryType
    sentence: str


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """Something that was done, and what came of it; both in the words of the text."""

    action: str
    result: str
    worked: bool


@dataclass(frozen=True, slots=True)
class Encoding:
    """A text taken apart without a model. Every part is quoted from the text."""

    entities: tuple[Entity, ...] = ()
    """In the order of their first mention; technologies after the others."""
    facts: tuple[str, ...] = ()
    """Sentences that can be checked: they name a number, a date, or what a named thing is."""
    keywords: tuple[str, ...] = ()
    """Lower-case, the most telling first."""
    constraints: tuple[str, ...] = ()
    outcomes: tuple[ActionOutcome, ...] = ()
    type: MemoryType | None = None
    """Of what the text says first of all; None for a text that says nothing."""
    category: Category = Category.INSIGHT
    """Where it would stand in the memory bank; a suggestion."""
    summary: str = ""
    """The sentence that says first of all what the text is about; at most 240 characters."""
