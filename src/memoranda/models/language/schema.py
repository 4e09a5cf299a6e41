"""Validation of answers against the used subset of JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memoranda.json_data import JsonValue

_KINDS: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
_FORMS = frozenset({"type", "properties", "required", "additionalProperties", "items", "enum"})
"""Keywords that every provider supports.

All other limits are checked only in this module.
"""


def schema_errors(
    value: JsonValue, schema: Mapping[str, Any], place: str = "answer"
) -> Iterator[str]:
    """Yield a value's violations of a schema, each with its location.

    Supported keywords are type, enum, properties, required, additionalProperties, items, minItems,
    maxItems, minLength, maxLength, minimum and maximum.
    """
    kind = schema["type"]
    truth = isinstance(value, bool)
    if not isinstance(value, _KINDS[kind]) or truth != (kind == "boolean"):
        yield f"{place} is no {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place} is none of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, dict):
        yield from _in_object(value, schema, place)
    elif isinstance(value, list):
        yield from _beyond(len(value), schema, "Items", place)
        for number, item in enumerate(value):
            yield from schema_errors(item, schema["items"], f"{place}[{number}]")
    elif isinstance(value, str):
        yield from _beyond(len(value), schema, "Length", place)
    elif isinstance(value, int | float):
        yield from _beyond(value, schema, "imum", place)


def provider_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a schema that every provider supports."""
    supported = {name: value for name, value in schema.items() if name in _FORMS}
    if "properties" in supported:
        supported["properties"] = {
            name: provider_schema(part) for name, part in supported["properties"].items()
        }
    if "items" in supported:
        supported["items"] = provider_schema(supported["items"])
    return supported


def _in_object(
    value: Mapping[str, JsonValue], schema: Mapping[str, Any], place: str
) -> Iterator[str]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place} has no {name}"
    for name, part in value.items():
        if name in properties:
            yield from schema_errors(part, properties[name], f"{place}.{name}")
        elif not schema.get("additionalProperties", True):
            yield f"{place} has a field that was not requested"


def _beyond(size: float, schema: Mapping[str, Any], limit: str, place: str) -> Iterator[str]:
    if size < schema.get(f"min{limit}", size):
        yield f"{place} is less than {schema[f'min{limit}']}"
    if size > schema.get(f"max{limit}", size):
        yield f"{place} is more than {schema[f'max{limit}']}"
