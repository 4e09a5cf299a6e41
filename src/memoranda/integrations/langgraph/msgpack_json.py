"""Reversible conversion of LangGraph's serialised values to JSON.

The serialiser writes msgpack in which objects are extensions that themselves contain msgpack. Here
an extension is ``{"$ext": code, "of": ...}``. A value without a JSON equivalent is an object with a
single name that begins with ``$``. The JSON is readable and converts back to the identical bytes.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Any

import ormsgpack

from memoranda.exceptions import CorruptData
from memoranda.json_data import JsonValue

_OPTION = ormsgpack.OPT_NON_STR_KEYS
_EXACT = "msgpack"
"""The serialiser's format name; other formats are stored as bytes."""


@dataclass(frozen=True, slots=True)
class _Extension:
    code: int
    data: bytes


def tree_of(kind: str, data: bytes) -> JsonValue:
    """Return serialised data as JSON.

    If JSON could not reproduce the data, the result contains the encoded bytes.
    """
    if kind == _EXACT:
        tree = _tree(_unpacked(data))
        if typed_of(tree) == (kind, data):
            return tree
    return {"$bytes": _text(data), "kind": kind}


def typed_of(tree: JsonValue) -> tuple[str, bytes]:
    """Return the serialised data of a tree; the inverse of `tree_of`.

    Raises:
        CorruptData: the tree was not created by `tree_of`.
    """
    if isinstance(tree, dict) and "$bytes" in tree and "kind" in tree:
        return str(tree["kind"]), _bytes(tree["$bytes"])
    try:
        return _EXACT, _packed(_value(tree))
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptData(f"a state cannot be read: {error}") from error


def _tree(value: Any, *, ordered: bool = True) -> JsonValue:
    match value:
        case None | bool() | str() | int():
            return value
        case float():
            return value if math.isfinite(value) else {"$float": str(value)}
        case bytes():
            return {"$bytes": _text(value)}
        case list():
            return [_tree(item) for item in value]
        case tuple():  # a tuple stands for a list that is used as a key
            return {"$tuple": [_tree(item) for item in value]}
        case _Extension():
            return _extension(value)
    return _object(value, ordered=ordered)


def _object(value: dict[Any, Any], *, ordered: bool) -> JsonValue:
    """Convert a dict; keep text keys as names, for readability.

    JSON is stored without the order of names, so that the order is recorded separately where it
    matters.
    """
    names = list(value)
    if not all(isinstance(name, str) for name in names):
        return {"$pairs": [[_tree(name), _tree(item)] for name, item in value.items()]}
    items: dict[str, JsonValue] = {name: _tree(item) for name, item in value.items()}
    if any(name.startswith("$") for name in names) or (ordered and names != sorted(names)):
        return {"$names": names, "of": items}
    return items


def _extension(value: _Extension) -> JsonValue:
    try:
        inner = _unpacked(value.data)
        if _packed(inner) == value.data:
            return {"$ext": value.code, "of": _arguments(inner)}
    except ValueError:
        pass
    return {"$ext": value.code, "$bytes": _text(value.data)}


def _arguments(inner: Any) -> JsonValue:
    """Convert arguments; the order of an object's field names is irrelevant."""
    if isinstance(inner, list):
        return [_tree(item, ordered=False) for item in inner]
    return _tree(inner)


def _value(tree: JsonValue) -> Any:
    if isinstance(tree, list):
        return [_value(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    made: Any = tree
    if "$ext" in tree:
        data = _bytes(tree["$bytes"]) if "$bytes" in tree else _packed(_value(tree["of"]))
        return ormsgpack.Ext(made["$ext"], data)
    if "$float" in tree:
        return float(made["$float"])
    if "$bytes" in tree:
        return _bytes(tree["$bytes"])
    if "$tuple" in tree:
        return tuple(_value(item) for item in made["$tuple"])
    if "$pairs" in tree:
        return {_value(name): _value(item) for name, item in made["$pairs"]}
    if "$names" in tree:
        content = made["of"]
        names = [*(name for name in made["$names"] if name in content)]
        names += [name for name in content if name not in names]  # added by a redaction
        return {name: _value(content[name]) for name in names}
    return {name: _value(item) for name, item in tree.items()}


def _unpacked(data: bytes) -> Any:
    return ormsgpack.unpackb(data, ext_hook=_Extension, option=_OPTION)


def _packed(value: Any) -> bytes:
    return ormsgpack.packb(value, default=_again, option=_OPTION)


def _again(value: object) -> object:
    if isinstance(value, _Extension):
        return ormsgpack.Ext(value.code, value.data)
    raise TypeError(f"{type(value).__name__} is not part of a state")


def _text(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def _bytes(text: object) -> bytes:
    return b64decode(str(text), validate=True)
