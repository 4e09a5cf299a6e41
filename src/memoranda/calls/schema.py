"""JSON Schema (2020-12) of arguments and results, from their types."""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
import typing
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set as AbstractSet
from enum import Enum
from pathlib import Path
from typing import Any

from memoranda.calls.type_hints import field_descriptions, fields, is_any
from memoranda.json_data import as_json, is_time

Schema = dict[str, Any]
_LISTS = (list, Sequence, Collection, Iterator, frozenset, set, AbstractSet, tuple)
_PLAIN: Mapping[Any, Schema] = {
    types.NoneType: {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
    float: {"type": "number"},
    str: {"type": "string"},
    Path: {"type": "string"},
}
MOMENT: Schema = {"type": "string", "format": "date-time"}
_UNIT = re.compile(
    r"(?:[.;] (?:[Tt]imes(?: are|:)|The time is in) microseconds|,? in microseconds)"
    r"(?: since the epoch)?"
)


def without_unit(text: str) -> str:
    """Return a description without a time unit, since JSON uses ISO 8601."""
    return _UNIT.sub("", text)


class Schemas:
    """Schemas that define each dataclass once, under ``definitions``."""

    def __init__(self, prefix: str = "#/$defs/", *, described: bool = False) -> None:
        """Create an empty set of schemas.

        ``prefix`` is the path of the definitions in the document; with ``described``, each field
        has its description.
        """
        self._prefix = prefix
        self._described = described
        self.definitions: dict[str, Schema] = {}
        self._kinds: dict[str, type] = {}

    def of(self, hint: Any, name: str = "") -> Schema:
        """Return the schema of a type.

        ``name`` is the name of the value; it shows whether the value is a time.
        """
        if is_any(hint):
            return {}
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Union, types.UnionType):
            return self._one_of(arguments, name)
        if origin is typing.Literal:
            return {"enum": list(arguments)}
        if origin in _LISTS or hint in _LISTS:
            return self._list(origin or hint, arguments, name)
        if origin in (dict, Mapping, Counter):
            values = (*arguments, int)[1]
            return {"type": "object", "additionalProperties": self.of(values)}
        kind = origin or hint
        if dataclasses.is_dataclass(kind):
            return self._dataclass(kind, arguments)  # type: ignore[arg-type]
        if issubclass(kind, Enum):
            return {"type": "string", "enum": [item.value for item in kind]}
        return dict(MOMENT) if kind is int and is_time(name) else dict(_PLAIN[kind])

    def _one_of(self, choices: Sequence[Any], name: str) -> Schema:
        """Return the schema of a union.

        For a union of an enumeration and any text, only the values of the enumeration are listed.
        """
        texts = [
            choice for choice in choices if isinstance(choice, type) and issubclass(choice, Enum)
        ]
        if str in choices and texts:
            values_schema = {"type": "string", "enum": [text.value for text in texts[0]]}
            others = [self.of(item, name) for item in choices if item not in (str, Path, *texts)]
            return {"anyOf": [values_schema, *others]} if others else values_schema
        found = [self.of(one, name) for one in choices if not (one is Path and str in choices)]
        return {"anyOf": found} if len(found) > 1 else found[0]

    def _list(self, kind: Any, arguments: Sequence[Any], name: str) -> Schema:
        if kind is tuple and arguments and arguments[-1] is not Ellipsis:
            size = len(arguments)
            parts = [self.of(argument, name) for argument in arguments]
            return {"type": "array", "prefixItems": parts, "minItems": size, "maxItems": size}
        return {"type": "array", "items": self.of(arguments[0], name) if arguments else {}}

    def _dataclass(self, kind: type, arguments: tuple[Any, ...]) -> Schema:
        named = self._name(kind, arguments)
        if named not in self.definitions:
            # registered before its fields, since the type may be recursive
            self.definitions[named] = {}
            self.definitions[named] = self._object(kind, arguments)
        return {"$ref": f"{self._prefix}{named}"}

    def _name(self, kind: type, arguments: tuple[Any, ...]) -> str:
        """Return the name of a dataclass in the definitions.

        If two dataclasses have the same name, the second name is prefixed with the package name.
        """
        named = "".join(
            [kind.__name__, *(getattr(argument, "__name__", "") for argument in arguments)]
        )
        if self._kinds.setdefault(named, kind) is kind:
            return named
        noun = kind.__module__.split(".")[1]
        return "".join(part.capitalize() for part in noun.split("_")) + named

    def _object(self, kind: type, arguments: tuple[Any, ...]) -> Schema:
        schema: Schema = {"type": "object", "additionalProperties": False, "properties": {}}
        if about := inspect.getdoc(kind):
            schema["description"] = without_unit(about.partition("\n\n")[0].replace("\n", " "))
        needed = []
        types_of = fields(kind, arguments)
        texts = field_descriptions(kind) if self._described else {}
        for field in dataclasses.fields(kind):
            if not field.init:
                continue
            title = "" if field.metadata.get("verbatim") else field.name
            part = self.of(types_of[field.name], title)
            if field.default is not dataclasses.MISSING and "$ref" not in part:
                part["default"] = as_json({field.name: field.default})[field.name]  # type: ignore[index,call-overload]
            elif field.default_factory is dataclasses.MISSING:
                needed.append(field.name)
            if field.name in texts and "$ref" not in part:
                text = texts[field.name]
                part["description"] = without_unit(text) if is_time(field.name) else text
            schema["properties"][field.name] = part
        return schema | ({"required": needed} if needed else {})
