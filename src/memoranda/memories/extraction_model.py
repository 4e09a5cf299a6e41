"""Types of the data extracted from a memory's text.

The data consists of names, facts, keywords, constraints and outcomes.
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
    """Language, product or protocol used to build software."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Name with the type of the named thing."""

    name: str
    """Spelling at the first mention, without titles and articles."""
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
    """Names in order of first mention; technologies follow the others."""
    facts: tuple[str, ...] = ()
    """Sentences that can be checked.

    They contain a number or a date, or say what a named thing is.
    """
    keywords: tuple[str, ...] = ()
    """Keywords in lower case, most significant first."""
    constraints: tuple[str, ...] = ()
    outcomes: tuple[ActionOutcome, ...] = ()
