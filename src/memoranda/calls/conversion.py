"""Conversion of JSON to the argument and result types of operations.

It is the inverse of `memoranda.json_data.as_json`: names are kept, times are ISO 8601 or
microseconds. A value that does not match its type is refused; the message includes the path of the
value.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set as AbstractSet
from contextlib import suppress
from datetime import UTC
from enum import Enum
from pathlib import Path
from typing import Any

from memoranda.calls.argument_check import LARGEST
from memoranda.calls.type_hints import fields, is_any
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, is_time
from memoranda.local_time import named_by_client, parse_local_time
from memoranda.text import clip, normalise

_SHOWN = 60
_LISTS = (list, Sequence, Collection, Iterator, frozenset, set, AbstractSet, tuple)
_OBJECTS = (dict, Mapping, Counter)


def read(hint: Any, value: JsonValue, place: str = "") -> Any:
    """Convert a JSON value to a type.

    Args:
        place: path of the value, for messages; the last name in it determines whether a number is a
            time.

    Raises:
        InvalidInput: the value is not of that type.
    """
    if is_any(hint):
        return value  # arbitrary JSON is passed unchanged
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _one_of(typing.get_args(hint), value, place)
    if origin is typing.Literal:
        if value not in typing.get_args(hint):
            raise unlike(value, place, " or ".join(map(repr, typing.get_args(hint))))
        return value
    if origin in _LISTS or hint in _LISTS:
        return _list(origin or hint, typing.get_args(hint), value, place)
    if origin in _OBJECTS or hint in _OBJECTS:
        return _object(typing.get_args(hint), value, place)
    kind = origin or hint
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, typing.get_args(hint), value, place)  # type: ignore[arg-type]
    return _plain(kind, value, place)


def _plain(kind: type, value: JsonValue, place: str) -> Any:
    if issubclass(kind, Enum):
        with suppress(ValueError):
            return kind(value)
        raise unlike(value, place, "one of " + ", ".join(str(item.value) for item in kind))
    return _SCALARS[kind](value, place)


def _nothing(value: JsonValue, place: str) -> None:
    if value is not None:
        raise unlike(value, place, "null")


def _truth(value: JsonValue, place: str) -> bool:
    if not isinstance(value, bool):
        raise unlike(value, place, "true or false")
    return value


def _integer(value: JsonValue, place: str) -> int:
    named = place.rpartition(".")[2].partition("[")[0]
    if isinstance(value, str) and is_time(named):
        moment = parse_local_time(value, named_by_client() or UTC)
        if moment is None:
            raise unlike(value, place, "a time such as 2026-01-31T12:00:00Z")
        return moment
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST:
        raise unlike(value, place, "a time" if is_time(named) else "a 64-bit integer")
    return value


def _float(value: JsonValue, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        raise unlike(value, place, "a number")
    return float(value)


def _string(value: JsonValue, place: str) -> str:
    if not isinstance(value, str):
        raise unlike(value, place, "a text")
    return normalise(value)


_SCALARS: Mapping[type, Callable[[JsonValue, str], Any]] = {
    types.NoneType: _nothing,
    bool: _truth,
    int: _integer,
    float: _float,
    str: _string,
    Path: lambda value, place: Path(_string(value, place)),
}


def _one_of(choices: tuple[Any, ...], value: JsonValue, place: str) -> Any:
    """Convert a value to the first matching type.

    If none matches, the error message refers to the most likely type; for a JSON object, to a
    dataclass.
    """
    if value is None and types.NoneType in choices:
        return None
    troubles: list[tuple[bool, InvalidInput]] = []
    # enumerations are tried before plain text
    for choice in sorted(choices, key=lambda one: one is str):
        if choice is not types.NoneType:
            try:
                return read(choice, value, place)
            except InvalidInput as error:
                troubles.append((dataclasses.is_dataclass(choice), error))
    errors = [error for _, error in troubles]
    if not isinstance(value, dict):
        raise errors[0]
    likely = [error for is_object, error in troubles if is_object] or errors
    raise max(likely, key=lambda invalid_input: len(str(invalid_input)))


def _list(kind: Any, arguments: tuple[Any, ...], value: JsonValue, place: str) -> Any:
    if not isinstance(value, list):
        raise unlike(value, place, "a list")
    of_each: Sequence[Any] = arguments or (Any,)
    if kind is tuple and of_each[-1] is not Ellipsis:
        if len(value) != len(of_each):
            raise unlike(value, place, f"a list of {len(of_each)}")
    else:
        of_each = [of_each[0]] * len(value)
    found = [
        read(hint, item, f"{place}[{number}]")
        for number, (hint, item) in enumerate(zip(of_each, value, strict=True))
    ]
    if kind in (frozenset, set, AbstractSet):
        return frozenset(found)
    return iter(found) if kind is Iterator else tuple(found) if kind is tuple else found


def _object(arguments: tuple[Any, ...], value: JsonValue, place: str) -> dict[Any, Any]:
    """Convert an object to a dict; the values of a Counter are integers."""
    if not isinstance(value, dict):
        raise unlike(value, place, "an object")
    name, hint = (*arguments, int)[:2] if arguments else (str, Any)
    return {
        read(name, key, f"{place}.{key}"): read(hint, item, _within(place, key))
        for key, item in value.items()
    }


def _dataclass(kind: type, arguments: tuple[Any, ...], value: JsonValue, place: str) -> Any:
    if not isinstance(value, dict):
        raise unlike(value, place, "an object")
    expected = fields(kind, arguments)
    refuse_strangers(value, expected, place)
    needed = {field.name for field in dataclasses.fields(kind) if _required(field)}
    if missing := sorted(needed - value.keys()):
        raise InvalidInput(f"{place or 'the object'} lacks {', '.join(missing)}")
    return kind(
        **{name: read(expected[name], item, _within(place, name)) for name, item in value.items()}
    )


def refuse_strangers(value: Mapping[str, Any], known: Collection[str], place: str = "") -> None:
    """Refuse unknown names.

    Raises:
        InvalidInput: there are unknown names; the message lists the known ones.
    """
    if strange := sorted(clip(name, _SHOWN) for name in value if name not in known):
        names = ", ".join(known) or "none"
        raise InvalidInput(f"{place or 'it'} has no {', '.join(strange[:5])}; known: {names}")


def _required(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.init and field.default is missing and field.default_factory is missing


def _within(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def unlike(value: object, place: str, wanted: str) -> InvalidInput:
    """Return the error for a value that does not have the expected type."""
    shown = clip(repr(value), _SHOWN)
    return InvalidInput(f"{place or 'the value'} must be {wanted}, not {shown}")
