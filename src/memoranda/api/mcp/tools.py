"""Definitions of the MCP tools, loaded from the table ``tools.json``.

A tool is a name, a description for a model, and the operations that carry it out. The description
of a tool with one operation begins with the operation's summary, which every interface shows. The
service checks the caller's permissions regardless of the listed tools.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

from memoranda.memory import Memoranda
from memoranda.operation_declaration import Access
from memoranda.operations import OPERATIONS

TABLE = "tools.json"
CHOICE = "action"
"""Parameter that chooses among the operations of a tool.

Only for a tool that states the purpose of each operation.
"""
LIMIT = "max_tokens"
"""Parameter that limits the response length; handled by this interface."""
TOKENS = 2_000
"""Default response limit in tokens."""
MINIMUM, MAXIMUM = 200, 20_000


class ToolProfile(StrEnum):
    """Set of tools that are shown."""

    MINIMAL = "minimal"
    DEFAULT = "default"
    FULL = "full"
    REFERENCE_GRAPH = "reference-graph"
    """The nine tools of the reference memory server."""


@dataclass(frozen=True, slots=True)
class ToolOperation:
    """Operation of a tool."""

    operation: str
    takes: Mapping[str, str]
    """Parameters of the tool, each with the argument that it sets.

    A dotted path refers to a field of the argument.
    """
    gives: tuple[str, ...]
    """Parts of the result that are returned, as dotted paths.

    A path applies to each item of a list.
    """
    when: str = ""
    """Value of the choice for this operation.

    Empty if a tool tries its operations one after the other.
    """
    rows: str = ""
    """Path of the list in the result; ``.`` means the result itself.

    Empty if there is no list.
    """
    line: str = ""
    """Template of a row."""
    head: str = ""
    """Template of the text before the rows or the body."""
    body: str = ""
    """Path of the long text in the result."""
    whole: str = ""
    """Path of a text that is returned unchanged as the response.

    The text is already within the limit and marked as data.
    """
    end: str = ""

    @property
    def paged(self) -> bool:
        """Whether the operation supports fewer rows and continuation."""
        return "limit" in self.takes and "cursor" in self.takes


@dataclass(frozen=True, slots=True)
class McpTool:
    """One tool as a model sees it, and its operations."""

    name: str
    title: str
    description: str
    calls: tuple[ToolOperation, ...]
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Properties of the parameters: about, default, minimum, maximum."""
    tokens: int = TOKENS
    destructive: bool = False
    idempotent: bool = False

    @property
    def reads(self) -> bool:
        """Whether all of its operations are read-only."""
        return all(OPERATIONS[call.operation].access is Access.READ for call in self.calls)

    @property
    def chooses(self) -> bool:
        """Whether the caller chooses the operation."""
        return any(call.when for call in self.calls)

    @property
    def bounded(self) -> bool:
        """Whether the caller may limit the response length."""
        return any((call.rows or call.body) and not call.when for call in self.calls)


def tools(profile: ToolProfile) -> tuple[McpTool, ...]:
    """Return the tools of a profile in list order."""
    mcp_tools = _table()
    return tuple(mcp_tools[name] for name in document(TABLE)["profiles"].get(profile, ()))


def tool_named(name: str) -> McpTool:
    """Return a tool of any profile by name."""
    return _table()[name]


@cache
def _table() -> Mapping[str, McpTool]:
    table = document(TABLE)
    return {
        name: _tool(name, definition, table["shared"])
        for name, definition in table["tools"].items()
    }


@cache
def document(name: str) -> dict[str, Any]:
    """Return a table of tools by its file name."""
    text = (resources.files("memoranda.api.mcp") / name).read_text("utf-8")
    result: dict[str, Any] = json.loads(text)
    return result


def _tool(name: str, definition: Mapping[str, Any], shared: Mapping[str, Any]) -> McpTool:
    calls = tuple(map(_call, definition["calls"]))
    own = definition.get("parameters", {})
    named = {parameter for call in calls for parameter in call.takes}
    descriptions = {
        one: own.get(one, shared.get(one)) for one in named if one in own or one in shared
    }
    rest = {
        item: definition[item]
        for item in ("tokens", "destructive", "idempotent")
        if item in definition
    }
    description = definition.get("description", "")
    if len(calls) == 1:
        summary = OPERATIONS[calls[0].operation].summary(Memoranda)
        description = f"{summary} {description}".strip()
    return McpTool(name, definition["title"], description, calls, descriptions, **rest)


def _call(definition: Mapping[str, Any]) -> ToolOperation:
    places = (item.partition("=") for item in definition["takes"])
    takes = {name: place or name for name, _, place in places}
    return ToolOperation(**{**definition, "takes": takes, "gives": tuple(definition["gives"])})
