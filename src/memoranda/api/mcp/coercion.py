"""Coercion of tool arguments to the types of the tool's schema.

Some hosts send lists, objects, numbers and booleans as JSON strings, a single string where a list
of strings is required, and an empty string for an optional argument without a value. A value that
matches no form of the schema is left unchanged and refused by the operation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memoranda.json_data import JsonValue

_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "array": list,
    "object": dict,
    "integer": (int, float),
    "number": (int, float),
    "boolean": bool,
}
"""Types that a string may be parsed as, by JSON Schema name."""


def coerced(schema: Mapping[str, Any], arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return arguments with each value converted to the type of the schema.

    ``schema`` describes an object with ``properties``. Idempotent.

    Example:
        >>> tags = {"properties": {"tags": {"type": "array", "items": {"type": "string"}}}}
        >>> coerced(tags, {"tags": '["deploy"]'})
        {'tags': ['deploy']}
    """
    properties, required = schema.get("properties", {}), schema.get("required", ())
    return {
        name: _value(properties.get(name, {}), value)
        for name, value in arguments.items()
        if value != "" or name in required or not _closed(properties.get(name, {}))
    }


def _closed(schema: Mapping[str, Any]) -> bool:
    """Return whether an empty string can never be a value of a schema."""
    listed = "enum" in schema and "" not in schema["enum"]
    return listed or schema.get("type") in _KINDS or "format" in schema


def _value(schema: Mapping[str, Any], value: JsonValue) -> JsonValue:
    kind = schema.get("type")
    if isinstance(value, str) and kind in _KINDS:
        value = _read(str(kind), value)
    if kind == "array":
        items = schema.get("items", {})
        if isinstance(value, str) and items.get("type") == "string":
            value = [value]
        return [_value(items, item) for item in value] if isinstance(value, list) else value
    if kind == "object" and isinstance(value, dict) and "properties" in schema:
        return coerced(schema, value)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _read(kind: str, text: str) -> JsonValue:
    """Parse a JSON string; return it unchanged if its type is unexpected."""
    source = text.strip()
    if kind == "boolean":
        source = source.lower()  # Python's True
    try:
        found: JsonValue = json.loads(source)
    except (ValueError, RecursionError):
        return text
    wrong = isinstance(found, bool) and kind != "boolean"
    return found if isinstance(found, _KINDS[kind]) and not wrong else text
