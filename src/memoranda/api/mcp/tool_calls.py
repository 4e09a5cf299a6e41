"""Execution of MCP tools as service calls with the caller's permissions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from memoranda.api.mcp.coercion import coerced
from memoranda.api.mcp.schemas import input_schema, needs, output_schema, parts_of_required
from memoranda.api.mcp.tool_results import ToolAnswer, ToolAnswers, value_at
from memoranda.api.mcp.tools import (
    CHOICE,
    LIMIT,
    MAXIMUM,
    MINIMUM,
    McpTool,
    ToolOperation,
    ToolProfile,
    tools,
)
from memoranda.api.service import Service
from memoranda.calls.conversion import refuse_strangers
from memoranda.calls.schema import Schema
from memoranda.exceptions import InvalidInput, NotFound, TooLarge
from memoranda.identity.principal import Principal
from memoranda.json_data import JsonValue, checked_json, dump_json
from memoranda.operations import operation
from memoranda.text import clip

LARGEST = 1_000_000
"""Maximum number of characters of the arguments of one call, as JSON."""

NAMED = 100
"""Maximum number of short names in one call."""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool in its list format."""

    name: str
    title: str
    description: str
    input: Schema
    output: Schema
    reads: bool
    destructive: bool = False
    idempotent: bool = False


class Toolbox(Protocol):
    """Tools that can be listed and called."""

    @property
    def names(self) -> Collection[str]:
        """Names of the tools."""
        ...

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Return the definitions for the tool list."""
        ...

    def call(
        self,
        service: Service,
        principal: Principal,
        name: str,
        tool_arguments: Mapping[str, JsonValue],
    ) -> ToolAnswer:
        """Call a tool for a caller.

        Raises:
            MemorandaError: an error of the operation.
        """
        ...


class TableTools:
    """The tools of a profile, as defined by the table. Thread-safe."""

    def __init__(self, profile: ToolProfile) -> None:
        self._tools = {tool.name: tool for tool in tools(profile)}
        self._schema = cache(lambda name: input_schema(self._tools[name]))

    @property
    def names(self) -> Collection[str]:
        """Names of the tools."""
        return self._tools

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Return the definitions for the tool list."""
        return tuple(
            ToolDefinition(
                tool.name,
                tool.title,
                tool.description,
                input_schema(tool),
                output_schema(tool),
                tool.reads,
                tool.destructive,
                tool.idempotent,
            )
            for tool in self._tools.values()
        )

    def call(
        self,
        service: Service,
        principal: Principal,
        name: str,
        tool_arguments: Mapping[str, JsonValue],
    ) -> ToolAnswer:
        """Call a tool for a caller. Raises the same errors as `Toolbox.call`."""
        arguments = coerced(self._schema(name), checked_arguments(tool_arguments))
        return carried_out(service, principal, self._tools[name], arguments)


def checked_arguments(tool_arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the arguments without the empty ones.

    Raises:
        TooLarge: the arguments are longer than a call may be.
        InvalidInput: they are nested too deeply.
    """
    checked = checked_json(dict(tool_arguments))
    if len(dump_json(checked)) > LARGEST:
        raise TooLarge(f"the arguments of a call may have at most {LARGEST:,} characters")
    found = checked if isinstance(checked, dict) else {}
    return {name: value for name, value in found.items() if value is not None}


def carried_out(
    service: Service, principal: Principal, tool: McpTool, tool_arguments: Mapping[str, JsonValue]
) -> ToolAnswer:
    """Call the chosen operation, or the first of several that has a result."""
    limit = _limit(tool, tool_arguments)
    missed: list[str] = []
    for call in (_chosen(tool, tool_arguments),) if tool.chooses else tool.calls:
        try:
            return _answered(service, principal, tool, call, tool_arguments, limit)
        except NotFound as error:
            missed.append(str(error))
    raise NotFound("; ".join(missed))


def _answered(
    service: Service,
    principal: Principal,
    tool: McpTool,
    call: ToolOperation,
    tool_arguments: Mapping[str, JsonValue],
    limit: int,
) -> ToolAnswer:
    operation(call.operation, principal.role)  # permission is checked first, as in every interface
    arguments = operation_arguments(tool, call, tool_arguments)
    for name in call.takes:
        if tool.parameters.get(name, {}).get("refs") and name in tool_arguments:
            _put(arguments, call.takes[name], _ids(service, principal, tool_arguments[name]))
    answering = ToolAnswers(service.home.counter)
    spared = 0
    while True:
        result = service.call(principal, call.operation, arguments)
        answer = answering.answer(call, result, limit)
        rows = value_at(result, call.rows) if call.rows else None
        if not (call.paged and isinstance(rows, list) and 0 < answer.shown < len(rows)):
            return answer
        # A list limited to the rows that fit has another cursor, which may be longer than the
        # previous one. Each further attempt therefore leaves space for one more row.
        arguments["limit"] = max(1, answer.shown - spared)
        spared += 1


def operation_arguments(
    tool: McpTool, call: ToolOperation, tool_arguments: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Convert a tool's arguments to those of an operation.

    Raises:
        InvalidInput: an argument is missing or unknown.
    """
    own = [CHOICE] if tool.chooses else []
    own += [LIMIT] if tool.bounded else []
    named = f"{tool.name} {call.when}".strip()
    refuse_strangers(
        tool_arguments, (*call.takes, *(item for item in own if item not in call.takes)), named
    )
    if missing := [take for take in call.takes if take not in tool_arguments and needs(call, take)]:
        raise InvalidInput(f"{named} lacks {', '.join(missing)}")
    for parts in parts_of_required(call):
        if not any(name in tool_arguments for name in parts):
            raise InvalidInput(f"{named} needs at least one of {', '.join(parts)}")
    arguments: dict[str, JsonValue] = {}
    for name, place in call.takes.items():
        usual = tool.parameters.get(name, {})
        if name in tool_arguments:
            _check_range(name, tool_arguments[name], usual)
            _put(arguments, place, tool_arguments[name])
        elif "default" in usual:
            _put(arguments, place, usual["default"])
    return arguments


def _check_range(name: str, value: JsonValue, schema: Mapping[str, Any]) -> None:
    """Refuse a number outside the range in the schema.

    A value that is not a number is refused later, by the operation.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    least, most = schema.get("minimum", value), schema.get("maximum", value)
    if not least <= value <= most:
        raise InvalidInput(f"{name} must be between {least} and {most}, not {value:g}")


def _put(arguments: dict[str, JsonValue], place: str, value: JsonValue) -> None:
    target: Any = arguments
    *steps, last = place.split(".")
    for step in steps:
        target = target.setdefault(step, {})
    target[last] = value


def _chosen(tool: McpTool, tool_arguments: Mapping[str, JsonValue]) -> ToolOperation:
    wanted = tool_arguments.get(CHOICE)
    for call in tool.calls:
        if call.when == wanted:
            return call
    choices = ", ".join(tool_operation.when for tool_operation in tool.calls)
    shown = clip(repr(wanted), 40)
    raise InvalidInput(f"{CHOICE} of {tool.name} must be one of {choices}, not {shown}")


def _limit(tool: McpTool, tool_arguments: Mapping[str, JsonValue]) -> int:
    limit = tool_arguments.get(LIMIT, tool.tokens) if tool.bounded else tool.tokens
    if isinstance(limit, bool) or not isinstance(limit, int) or not MINIMUM <= limit <= MAXIMUM:
        shown = clip(repr(limit), 40)
        raise InvalidInput(f"{LIMIT} must be an integer from {MINIMUM} to {MAXIMUM}, not {shown}")
    return limit


def _ids(service: Service, principal: Principal, names: JsonValue) -> JsonValue:
    """Return the full ids of short names.

    Any other value is unchanged; the operation refuses it during parsing.
    """
    if isinstance(names, list):
        if len(names) > NAMED:
            raise InvalidInput(f"at most {NAMED} refs at once, not {len(names)}")
        return [_ids(service, principal, item) for item in names]
    if not isinstance(names, str):
        return names
    for name, place in (("observations.show", "observation.id"), ("memories.show", "memory.id")):
        with suppress(NotFound):
            return value_at(service.call(principal, name, {"id": names}), place)
    return names
