"""JSON Schemas of a tool's input and output, reduced for a model."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

from memoranda.api.mcp.tools import CHOICE, LIMIT, MAXIMUM, MINIMUM, McpTool, ToolOperation
from memoranda.calls.schema import Schema, Schemas
from memoranda.calls.signature import Signature
from memoranda.calls.type_hints import fields
from memoranda.memory import Memoranda
from memoranda.operations import OPERATIONS

Tree = dict[str, "Tree"]
"""Selected parts of a value.

The tree maps names to the selected parts within them; an empty tree selects everything.
"""


def input_schema(tool: McpTool) -> Schema:
    """Return the schema of a tool's arguments."""
    properties: dict[str, Schema] = {}
    if tool.chooses:
        properties[CHOICE] = {
            "type": "string",
            "enum": [operation.when for operation in tool.calls],
        }
    for call in tool.calls:
        for name in call.takes:
            if name not in properties:
                properties[name] = _parameter(tool, call, name)
    if tool.bounded:
        properties[LIMIT] = limit_schema(tool.tokens)
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    needed = required(tool)
    return schema | ({"required": needed} if needed else {})


def limit_schema(tokens: int) -> Schema:
    """Return the schema of the parameter that limits the response length."""
    return {"type": "integer", "default": tokens, "minimum": MINIMUM, "maximum": MAXIMUM}


def required(tool: McpTool) -> list[str]:
    """Return the parameters that every operation of a tool requires."""
    always = [CHOICE] if tool.chooses else []
    for name in dict.fromkeys(name for call in tool.calls for name in call.takes):
        takers = [call for call in tool.calls if name in call.takes]
        if len(takers) == len(tool.calls) and all(needs(call, name) for call in takers):
            always.append(name)
    return always


def needs(call: ToolOperation, name: str) -> bool:
    """Return whether an operation requires a parameter."""
    return place_of(call, name)[1] is dataclasses.MISSING


def output_schema(tool: McpTool) -> Schema:
    """Return the schema of a tool's structured content."""
    merged: dict[str, tuple[Any, Tree]] = {}
    for call in tool.calls:
        hint = _signature(call).result
        _, wanted = merged.setdefault(str(hint), (hint, {}))
        for path in call.gives:
            add_path(wanted, path)
    schemas = Schemas()
    found = [_part(hint, wanted, schemas, "") for hint, wanted in merged.values()]
    result = found[0] if len(found) == 1 else {"anyOf": found}
    whole: Schema = {
        "type": "object",
        "properties": {"result": result, "more": {"type": "string"}},
        "required": ["result"],
    }
    return whole | ({"$defs": schemas.definitions} if schemas.definitions else {})


def add_path(tree: Tree, path: str) -> None:
    """Add the nodes along a dotted path to a tree."""
    for step in path.split("."):
        tree = tree.setdefault(step, {})


def tree_of(paths: Iterable[str]) -> Tree:
    """Return the tree that contains several dotted paths."""
    tree: Tree = {}
    for path in paths:
        add_path(tree, path)
    return tree


@cache
def _named(operation: str) -> Signature:
    return OPERATIONS[operation].signature(Memoranda)


def _signature(call: ToolOperation) -> Signature:
    return _named(call.operation)


def parts_of_required(call: ToolOperation) -> list[list[str]]:
    """Return the parameters that fill each required object of an operation.

    Each of them is optional by itself, but at least one is required.
    """
    return [
        [name for name, place in call.takes.items() if place.startswith(f"{argument.name}.")]
        for argument in _signature(call).arguments
        if argument.required and argument.name not in call.takes.values()
    ]


def place_of(call: ToolOperation, name: str) -> tuple[Any, Any]:
    """Return the type and default of the argument that a parameter fills.

    The default is MISSING if there is none.
    """
    first, *rest = call.takes[name].split(".")
    argument = next(item for item in _signature(call).arguments if item.name == first)
    hint = argument.type
    default = dataclasses.MISSING if argument.required else argument.default
    for step in rest:
        kind, arguments = _dataclass_in(hint)
        hint = fields(kind, arguments)[step]
        field = next(one for one in dataclasses.fields(kind) if one.name == step)
        made = field.default_factory
        default = field.default if made is dataclasses.MISSING else made()
    return hint, default


def _parameter(tool: McpTool, call: ToolOperation, name: str) -> Schema:
    hint, default = place_of(call, name)
    properties = tool.parameters.get(name, {})
    schema = _lean(Schemas().of(hint, call.takes[name].rpartition(".")[2]))
    if isinstance(default, int | float) and not isinstance(default, bool):
        schema["default"] = default
    limits = {
        item: properties[item] for item in ("default", "minimum", "maximum") if item in properties
    }
    about = properties.get("about", "")
    return schema | limits | ({"description": about} if about else {})


def _lean(schema: Schema) -> Schema:
    """Return a schema without null and 64-bit limits, useless to models."""
    choices = [item for item in schema.get("anyOf", ()) if item != {"type": "null"}]
    if len(choices) == 1:
        return _lean(choices[0])
    rest = {key: value for key, value in schema.items() if key not in ("minimum", "maximum")}
    if "items" in rest:
        rest["items"] = _lean(rest["items"])
    return rest


def _part(hint: Any, wanted: Tree, schemas: Schemas, name: str) -> Schema:
    """Return the schema of the selected parts of a type.

    Fields that may be missing are not required.
    """
    if not wanted:
        leaf = _lean(schemas.of(hint, name))
        return {"type": "string"} if leaf.get("type") == "string" else leaf
    container, within = _container(hint)
    if container:
        return {"type": "array", "items": _part(within, wanted, schemas, name)}
    kind, arguments = _dataclass_in(hint)
    types = fields(kind, arguments)
    parts = {item: _part(types[item], deeper, schemas, item) for item, deeper in wanted.items()}
    return {"type": "object", "properties": parts}


def _container(hint: Any) -> tuple[bool, Any]:
    """Return whether a type is a list, and the type of its items."""
    for item in (hint, *typing.get_args(hint)):
        origin = typing.get_origin(item)
        lists = isinstance(origin, type) and issubclass(origin, Collection)
        if lists and not issubclass(origin, Mapping):
            return True, typing.get_args(item)[0]
    return False, None


def _dataclass_in(hint: Any) -> tuple[type, tuple[Any, ...]]:
    for item in (hint, *typing.get_args(hint)):
        kind = typing.get_origin(item) or item
        if dataclasses.is_dataclass(kind):
            return typing.cast("type", kind), typing.get_args(item)
    raise TypeError(f"{hint} has no fields")
