"""Types and lengths of the fields of an archive."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from memoranda.clock import LATEST
from memoranda.json_data import JsonValue
from memoranda.proposals.model import MemoryState

NAME = 100_000
"""Maximum number of characters of a name, a path or a label."""
CONTENT = 1 << 29
"""Maximum number of characters of content."""
LIST = 100_000
"""Maximum number of items of a list."""
MAXIMUM = 1 << 53
"""Largest integer that every JSON parser can read."""

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Field:
    """Type and limits of one field in the rows of an archive member."""

    fits: Callable[[JsonValue], bool]
    says: str
    """Description of the valid values."""


def is_id(value: JsonValue) -> bool:
    """Return whether a value is a canonical UUID in lower case."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def text(most: int = NAME, *, least: int = 0) -> Field:
    """Return a field for a string of limited length."""

    def fits(value: JsonValue) -> bool:
        return isinstance(value, str) and least <= len(value) <= most

    return Field(fits, f"a string of {least} to {most:,} characters")


def integer(least: int = 0, most: int = MAXIMUM) -> Field:
    """Return a field for an integer."""

    def fits(value: JsonValue) -> bool:
        return type(value) is int and least <= value <= most

    return Field(fits, f"a whole number from {least} to {most:,}")


def member(kind: type[StrEnum]) -> Field:
    """Return a field for a value of an enumeration."""
    words = frozenset(map(str, kind))
    return Field(
        lambda value: isinstance(value, str) and value in words, f"one of {', '.join(kind)}"
    )


def optional(field: Field) -> Field:
    """Return a field that also allows null."""
    return Field(lambda value: value is None or field.fits(value), f"{field.says}, or null")


def several(field: Field) -> Field:
    """Return a field for a list of values that fit the given field."""

    def fits(value: JsonValue) -> bool:
        return isinstance(value, list) and len(value) <= LIST and all(map(field.fits, value))

    return Field(fits, f"a list of at most {LIST:,}, each {field.says}")


def rows(fields: Mapping[str, Field]) -> Field:
    """Return a field for a list of objects with exactly the given fields."""

    def fits(value: JsonValue) -> bool:
        return isinstance(value, dict) and value.keys() == fields.keys() and all(
            fields[name].fits(item) for name, item in value.items()
        )  # fmt: skip

    return several(Field(fits, f"an object with {', '.join(fields)}"))


def _is_state(value: JsonValue) -> bool:
    if not isinstance(value, str) or len(value) > NAME:
        return False
    try:
        return isinstance(json.loads(value), dict)
    except (ValueError, RecursionError):
        return False


def _is_share(value: JsonValue) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1  # type: ignore[operator]


def _is_counts(value: JsonValue) -> bool:
    return isinstance(value, dict) and len(value) <= LIST and all(
        len(name) <= NAME and COUNT.fits(count) for name, count in value.items()
    )  # fmt: skip


def _is_memory_state(value: JsonValue) -> bool:
    if not isinstance(value, str) or len(value) > NAME:
        return False
    try:
        state = MemoryState.read(value)
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    texts = (state.title, state.content, *state.tags)
    places = (state.workspace, state.superseded_by)
    return (
        all(isinstance(one, str) for one in texts)
        and all(one is None or is_id(one) for one in places)
        and all(isinstance(item, bool) for item in (state.critical, state.protected))
        and all(one is None or TIME.fits(one) for one in (state.valid_from, state.valid_until))
    )


ID = Field(is_id, "a UUID in lower case")
FLAG = Field(lambda value: isinstance(value, bool), "true or false")
SHARE = Field(_is_share, "a number from 0 to 1")
MEMORY_STATE = Field(_is_memory_state, "a string with the state of a memory as JSON")
STATE = Field(_is_state, "a string with a JSON object")
COUNT = integer()
ORDINAL = integer(1)
COUNTS = Field(_is_counts, "an object whose values are whole numbers")
TIME = integer(0, LATEST)
"""Time in microseconds since the epoch."""
