"""JSON values: their type, parsing of untrusted text, and serialisation."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import Enum
from functools import cache, lru_cache
from math import isfinite
from typing import Any, NoReturn, TypeAlias

from memoranda.clock import LATEST, MICROSECONDS
from memoranda.exceptions import InvalidInput
from memoranda.local_time import parse_local_time

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None

MAX_DEPTH = 64

VERBATIM: Mapping[str, Any] = {"verbatim": True}
"""Metadata of a dataclass field that contains JSON from outside, which is passed on unchanged."""

_MARK = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
"""A string or a bracket in JSON."""
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_COMPACT = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def parse_json(data: str | bytes, *, strict: bool = True) -> JsonValue:
    """Decode JSON from an external source.

    NaN, infinities and numbers beyond the range of a float become null, as JSON has none of them.
    Nesting beyond 64 levels, integers that Python refuses and bytes that are not UTF-8 are input
    errors like any other; so are control characters in a text, unless ``strict`` is false.

    Raises:
        InvalidInput: the data is not JSON, or is nested deeper than 64 levels.
    """
    try:
        value: JsonValue = json.loads(
            data, strict=strict, parse_constant=_nothing, parse_float=_finite
        )
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InvalidInput(f"not valid JSON: {reason}") from error
    if deeper_than(value, MAX_DEPTH):
        raise InvalidInput(f"JSON not supported: nested deeper than {MAX_DEPTH} levels")
    return value


def parse_exact_json(data: str | bytes) -> JsonValue:
    """Decode a caller's JSON; raise an error if it cannot be stored exactly.

    A name that occurs twice in an object is refused, because parsers differ in which of the two
    values they use; NaN, infinities, numbers beyond the range of a float, and bytes that are not
    UTF-8 are also refused.

    Raises:
        InvalidInput: the data is not JSON, or is nested deeper than 64 levels.
    """
    try:
        value: JsonValue = json.loads(
            data.decode("utf-8") if isinstance(data, bytes) else data,
            parse_constant=_no_number,
            parse_float=_exact_number,
            object_pairs_hook=_unique,
        )
    except UnicodeDecodeError as error:
        raise _not_json(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise _not_json(f"{error.msg} at character {error.pos}") from None
    except ValueError:  # of Python itself
        raise _not_json("a number has too many digits") from None
    except RecursionError:
        raise _not_json("nested too deeply") from None
    if deeper_than(value, MAX_DEPTH):
        raise _not_json(f"nested deeper than {MAX_DEPTH} levels")
    return value


def _not_json(reason: str) -> InvalidInput:
    return InvalidInput(f"not valid JSON: {reason}")


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise _not_json("a name occurs twice in one object")
    return result


def _no_number(name: str) -> NoReturn:
    raise _not_json(f"{name} is not a JSON number")


def _exact_number(digits: str) -> float:
    if (number := _finite(digits)) is None:
        raise _not_json("a number is too large")
    return number


def parse_captured_json(text: str, *, strict: bool = True) -> JsonValue:
    """Decode a host's JSON like `parse_json`, but keep deep levels as text.

    Raises:
        InvalidInput: the text is not JSON.
    """
    try:
        return parse_json(text, strict=strict)
    except InvalidInput:
        shallow = _shallow(text)
        if shallow == text:
            raise
        return parse_json(shallow, strict=strict)


def _shallow(text: str) -> str:
    """Return JSON in which values below 64 levels are strings."""
    parts, depth, start, end = [], 0, 0, 0
    for mark in _MARK.finditer(text):
        if mark[0] in ("[", "{"):
            depth += 1
            start = mark.start() if depth == MAX_DEPTH + 1 else start
        elif mark[0] in ("]", "}"):
            if depth == MAX_DEPTH + 1:
                parts += [text[end:start], dump_json(text[start : mark.end()])]
                end = mark.end()
            depth -= 1
    return "".join([*parts, text[end:]])


def _nothing(_: str) -> None:
    return None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if isfinite(number) else None


def deeper_than(value: JsonValue, limit: int) -> bool:
    """Return whether objects and lists are nested deeper than a limit."""
    level: list[JsonValue] = [value]
    for _ in range(limit + 1):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return True


def dump_json(value: JsonValue, *, indent: int | None = None) -> str:
    """Serialise JSON with sorted keys, so that equal values give equal bytes.

    The text can always be encoded as UTF-8, because lone surrogates are escaped.
    """
    if indent is None:
        text = _COMPACT.encode(value)
    else:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=indent)
    if text.isascii():
        return text
    return _HALF_PAIR.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def checked_json(value: object) -> JsonValue:
    """Return a copy of a Python value as pure JSON.

    Tuples become lists; numeric keys become strings.

    Raises:
        InvalidInput: the value is not JSON (NaN and infinities are not), or is nested deeper than
            64 levels.
    """
    try:
        text = json.dumps(value, allow_nan=False, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InvalidInput(f"not a JSON value: {reason}") from error
    return parse_json(text)


def map_texts(value: JsonValue, change: Callable[[str], str]) -> JsonValue:
    """Apply a function to every string in a JSON value, including keys.

    The depth was limited when the JSON was parsed.
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {change(key): map_texts(item, change) for key, item in value.items()}
    return value


def iso_time(microseconds: int) -> str:
    """Format microseconds since the epoch as ISO 8601 in UTC with a Z.

    All six decimal places are written; times are limited to the last time that the calendar can
    express.
    """
    seconds, rest = divmod(min(microseconds, LATEST), MICROSECONDS)
    moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest)
    precision = "microseconds" if rest % 1_000 else "milliseconds"
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")


def parse_iso_time(text: str) -> int | None:
    """Parse ISO 8601 into microseconds since the epoch; None if invalid.

    A time without a zone is UTC.
    """
    return parse_local_time(text, UTC)


@lru_cache(maxsize=4_096)
def texts_of(listed: str) -> tuple[str, ...]:
    """Parse a list of texts stored as JSON.

    Results are cached, as lists of one workspace are often equal.
    """
    return tuple(json.loads(listed)) if listed != "[]" else ()


TIMES = ("_at", "_from", "_until", "last_used")
"""Suffixes in the names of fields that contain times in microseconds."""
_PLAIN = frozenset({bool, int, float, str})
_MOMENTS = frozenset({"since", "until", "as_of", "known_by"})


def is_time(name: str) -> bool:
    """Return whether a field with this name is a time in microseconds."""
    return name.endswith(TIMES) or name in _MOMENTS


def as_json(value: Any) -> JsonValue:
    """Convert a value of this package to JSON.

    The field names are the same in every interface. Integers in fields whose names denote times
    (`is_time`) are converted to ISO 8601.
    """
    kind: Any = type(value)
    if value is None or kind in _PLAIN:
        return value  # type: ignore[no-any-return]
    if (parts := _parts(kind)) is not None:
        return {
            name: getattr(value, name) if verbatim else _field(name, getattr(value, name))
            for name, verbatim in parts
        }
    if isinstance(value, Enum):
        return as_json(value.value)
    if isinstance(value, Mapping):
        return {str(key): _field(str(key), item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(item) for item in value]
    return value if isinstance(value, bool | int | float | str) else str(value)


@cache
def _parts(kind: type) -> tuple[tuple[str, bool], ...] | None:
    """Return the fields of a dataclass, each with whether it is plain JSON."""
    if not dataclasses.is_dataclass(kind):
        return None
    found = dataclasses.fields(kind)
    return tuple((field.name, bool(field.metadata.get("verbatim"))) for field in found)


def _field(name: str, value: Any) -> JsonValue:
    return iso_time(value) if type(value) is int and is_time(name) else as_json(value)
