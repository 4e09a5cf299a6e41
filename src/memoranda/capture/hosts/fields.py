"""Reading fields out of JSON that nobody promised: wrong types are absent, never an error."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TypeAlias

from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, parse_iso_time, parse_json

Payload: TypeAlias = Mapping[str, JsonValue]
"""A decoded JSON object as a host wrote it."""

LARGEST = 2**53
"""Numbers from here on are damage, not a count, and do not fit every engine."""


def string(payload: Payload, *names: str) -> str | None:
    """Return the first of the named fields that holds words; a whole number gives its digits."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
        if type(value) is int:
            return str(value)
    return None


def count(value: JsonValue) -> int | None:
    """Read a whole number from 0 to 2**53, also from a float or a string; else None."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Infinity and NaN are in no range either.
    return round(value) if 0 <= value < LARGEST else None


def mapping(value: JsonValue) -> Payload:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def moment(value: JsonValue) -> int | None:
    """Read an ISO 8601 time as microseconds since the epoch; None when it is no time."""
    return parse_iso_time(value) if isinstance(value, str) else None


def decoded(value: JsonValue) -> JsonValue:
    """Decode JSON that a host wrote into a string; anything that is not JSON stays as it came."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value)
    except InvalidInput:
        return value


def fingerprint(text: str) -> str:
    """Return 16 hexadecimal digits that stand for the text in a key."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
