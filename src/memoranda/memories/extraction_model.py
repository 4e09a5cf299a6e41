"""Types of what is extracted from the text of a memory.

Parts are names, facts, keywords, constraints and outcomes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class EntityType(StrEnum):
    """Type of the thing that a name refers to."""

    PERSON = "person"
    ORGANIZATION = "organization"
    PROJECT = "project"
    PLACE = "place"
    TECHNOLOGY = "technology"
    """Language, product or protocol that software is made with."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Name with its type."""

    name: str
    """Spelling of its first mention, without titles and articles."""
    type: EntityType


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
    """In order of first mention; technologies after the others."""
    facts: tuple[str, ...] = ()
    """Sentences that can be checked.

    They name a number, a date, or what a named thing is.
    """
    keywords: tuple[str, ...] = ()
    """In lower case, the most significant first."""
    constraints: tuple[str, ...] = ()
    outcomes: tuple[ActionOutcome, ...] = ()
