"""Accessors for untrusted JSON; values of a wrong type count as missing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TypeAlias

from memoranda.clock import MICROSECONDS
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, parse_iso_time, parse_json

Payload: TypeAlias = Mapping[str, JsonValue]
"""Decoded JSON object as a host wrote it."""

_EPOCH_UNITS = ((MICROSECONDS, 1e11), (1_000, 1e14), (1, 1e17))
"""Microseconds per unit, and the number from which the next smaller unit is assumed."""
LARGEST = 2**53
"""Upper limit of counts, which every database engine can store."""


def string(payload: Payload, *names: str) -> str | None:
    """Return the first of the fields that has text; format integers as digits."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
        if type(value) is int:
            return str(value)
    return None


def count(value: JsonValue) -> int | None:
    """Parse an integer from 0 to 2**53; return None for anything else.

    Floats and strings are accepted as well.
    """
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Infinity and NaN are out of range as well.
    return round(value) if 0 <= value < LARGEST else None


def mapping(value: JsonValue) -> Payload:
    """Return the value if it is an object, else an empty object."""
    return value if isinstance(value, dict) else {}


def moment(value: JsonValue) -> int | None:
    """Parse an ISO 8601 time as microseconds since the epoch, else None."""
    return parse_iso_time(value) if isinstance(value, str) else None


def written_moment(value: JsonValue) -> int | None:
    """Parse a time from a host or converter, as ISO 8601 or a number.

    A number is in seconds, milliseconds or microseconds since the epoch, depending on its size.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return moment(value)
    unit = next((unit for unit, limit in _EPOCH_UNITS if abs(value) < limit), None)
    return round(value * unit) if unit and value > 0 else None


def decoded(value: JsonValue) -> JsonValue:
    """Decode a string that contains JSON; return anything else unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value)
    except InvalidInput:
        return value


def fingerprint(text: str) -> str:
    """Return a hash of a text for use in keys, 16 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
