"""Which tools there are: read from a table of data, ``tools.json``.

A tool is a name, a description for a model, and the operations that carry it out. What a caller
may do is decided by the service, whatever tools are shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

from memoranda.operations import OPERATIONS, Access

CHOICE = "action"
"""The parameter that chooses among the operations of a tool that names what each is for."""
LIMIT = "max_tokens"
"""The parameter that says how long an answer may be; the door's own."""
TOKENS = 2_000
"""Tokens of an answer, where nothing else is said."""
LEAST, MOST = 200, 20_000


class ToolProfile(StrEnum):
    """Which tools are shown."""

    MINIMAL = "minimal"
    DEFAULT = "default"
    FULL = "full"
    REFERENCE_GRAPH = "reference-graph"
    """The nine tools of the reference memory server."""


@dataclass(frozen=True, slots=True)
class ToolOperation:
    """One operation of a tool."""

    operation: str
    takes: Mapping[str, str]
    """Parameters of the tool, each with where it goes: the argument, then fields in it."""
    gives: tuple[str, ...]
    """What of the result is told; dots lead into it, through lists as well."""
    when: str = ""
    """The choice that stands for it; empty where a tool tries its operations in turn."""
    rows: str = ""
    """Where the list of the result stands, ``.`` for the result itself; empty without one."""
    line: str = ""
    """How a row is told."""
    head: str = ""
    """What is told before the rows or the body."""
    body: str = ""
    """Where the long text of the result stands."""
    whole: str = ""
    """Where the text stands that is the answer as it is: bounded and marked as data already."""
    end: str = ""

    @property
    def paged(self) -> bool:
        """Whether it can be asked for fewer rows, and then for those that follow."""
        return "limit" in self.takes and "cursor" in self.takes


@dataclass(frozen=True, slots=True)
class McpTool:
    """One tool as a model sees it, and how it is carried out."""

    name: str
    title: str
    description: str
    calls: tuple[ToolOperation, ...]
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What is said of a parameter beside its type: about, default, minimum, maximum."""
    tokens: int = TOKENS
    destructive: bool = False
    idempotent: bool = False

    @property
    def reads(self) -> bool:
        """Whether none of its operations changes anything."""
        return all(OPERATIONS[one.operation].access is Access.READ for one in self.calls)

    @property
    def chooses(self) -> bool:
        """Whether the caller says which operation is meant."""
        return any(one.when for one in self.calls)

    @property
    def bounded(self) -> bool:
        """Whether the caller may say how long the answer is to be."""
        return any((one.rows or one.body) and not one.when for one in self.calls)


def tools(profile: ToolProfile) -> tuple[McpTool, ...]:
    """Return the tools of a profile, in the order in which they are listed."""
    found = _table()
    return tuple(found[name] for name in _document()["profiles"].get(profile, ()))


def tool_named(name: str) -> McpTool:
    """Return a tool of any profile by its name."""
    return _table()[name]


@cache
def _table() -> Mapping[str, McpTool]:
    document = _document()
    return {
        name: _tool(name, given, document["shared"]) for name, given in document["tools"].items()
    }


@cache
def _document() -> dict[str, Any]:
    text = (resources.files("memoranda.api.mcp") / "tools.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _tool(name: str, given: Mapping[str, Any], shared: Mapping[str, Any]) -> McpTool:
    calls = tuple(map(_call, given["calls"]))
    own = given.get("parameters", {})
    named = {parameter for one in calls for parameter in one.takes}
    said = {one: own.get(one, shared.get(one)) for one in named if one in own or one in shared}
    rest = {one: given[one] for one in ("tokens", "destructive", "idempotent") if one in given}
    return McpTool(name, given["title"], given["description"], calls, said, **rest)


def _call(given: Mapping[str, Any]) -> ToolOperation:
    places = (one.partition("=") for one in given["takes"])
    takes = {name: place or name for name, _, place in places}
    return ToolOperation(**{**given, "takes": takes, "gives": tuple(given["gives"])})
