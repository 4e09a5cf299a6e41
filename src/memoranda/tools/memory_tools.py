"""Declarations of the memory tools for agents, and their arguments.

A tool is offered to a model as a JSON schema. Arguments are normalised: a parameter has one name
for the code that executes the call, whichever of the usual names the model used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.text import clip

Dialect = Literal["anthropic", "openai"]

LISTED = 20
"""Maximum number of names and problems in an error message."""


@dataclass(frozen=True, slots=True)
class ToolParameter:
    """One parameter of a tool: its name in the schema, and its aliases."""

    name: str
    kind: Literal["string", "integer", "boolean", "strings"]
    description: str = ""
    required: bool = True
    default: object = None
    """Value that is used if the argument is omitted; if the default is None, the parsed arguments
    omit it too.
    """
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    meaning: str = ""
    """Name in the parsed arguments, if it differs from the name in the schema."""
    aliases: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return the parameter's name in the parsed arguments."""
        return self.meaning or self.name

    @property
    def names(self) -> tuple[str, ...]:
        """Return all accepted names, starting with the name in the schema."""
        return tuple(dict.fromkeys((self.name, self.key, *self.aliases)))

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema."""
        shape: dict[str, Any] = {"type": self.kind}
        if self.kind == "strings":
            shape = {"type": "array", "items": {"type": "string"}}
        fields = {
            "description": self.description or None,
            "enum": list(self.choices) or None,
            "minimum": self.minimum,
            "default": self.default,
        }
        return shape | {key: value for key, value in fields.items() if value is not None}

    def problem(self, value: object) -> str:
        """Return what is wrong with a value; empty if the value is valid."""
        if not _KINDS[self.kind](value):
            return f"{self.name} must be {_CALLED[self.kind]}, not {_type(value)}"
        if self.choices and value not in self.choices:
            return f"{self.name} must be one of {', '.join(self.choices)}"
        if self.minimum is not None and isinstance(value, int) and value < self.minimum:
            return f"{self.name} must be {self.minimum} or more"
        return ""


@dataclass(frozen=True, slots=True)
class AgentTool:
    """One tool as presented to agents."""

    name: str
    description: str
    parameters: tuple[ToolParameter, ...]

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        return {
            "type": "object",
            "properties": {parameter.name: parameter.schema() for parameter in self.parameters},
            "required": [
                tool_parameter.name for tool_parameter in self.parameters if tool_parameter.required
            ],
            "additionalProperties": False,
        }


_KINDS: Mapping[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "strings": lambda value: (
        isinstance(value, list) and all(isinstance(item, str) for item in value)
    ),
}
_CALLED = {
    "string": "a string",
    "integer": "an integer",
    "boolean": "true or false",
    "strings": "a list of strings",
}


def _text(name: str, description: str = "", *, aliases: Sequence[str] = ()) -> ToolParameter:
    return ToolParameter(name, "string", description, aliases=tuple(aliases))


def _optional(name: str, description: str = "") -> ToolParameter:
    return ToolParameter(name, "string", description, required=False)


_LABEL = _text("label", "Label of the block.")
_REASON = _optional("reason", "Reason for the change, shown in the history.")
_TAGS = ToolParameter("tags", "strings", required=False)
_OLD = ("old_str", "old_content")
_NEW = ("new_str", "new_content")

TOOLS: Mapping[str, AgentTool] = {
    tool.name: tool
    for tool in (
        AgentTool(
            "memory_insert",
            "Insert lines into a memory block.",
            (
                _LABEL,
                _text("new_string", aliases=(*_NEW, "text", "insert_text", "content")),
                ToolParameter(
                    "insert_line",
                    "integer",
                    "0 = at the start, N = after line N, -1 = at the end.",
                    required=False,
                    default=-1,
                    minimum=-1,
                ),
                _optional(
                    "insert_after",
                    "Alternative to insert_line: text of the line after which to insert.",
                ),
                _REASON,
            ),
        ),
        AgentTool(
            "memory_replace",
            "Replace text in a memory block. old_string must match exactly and only once, without"
            " line numbers. An empty new_string deletes the text.",
            (
                _LABEL,
                _text("old_string", aliases=_OLD),
                _text("new_string", aliases=_NEW),
                ToolParameter(
                    "replace_all", "boolean", "Every occurrence.", required=False, default=False
                ),
                _REASON,
            ),
        ),
        AgentTool(
            "memory_rethink",
            "Rewrite a complete memory block; for small edits, use memory_replace.",
            (
                _LABEL,
                _text("new_memory", "The complete new text.", aliases=("new_value",)),
                _optional("reasoning", "Reasons for the fact; stored with it."),
                _REASON,
            ),
        ),
        AgentTool(
            "memory_apply_patch",
            "Change several passages or blocks at once; either all changes are made or none. Write"
            " hunks as in a unified diff: '@@', then lines with ' ' (kept), '-', '+'. Without"
            " label, each part begins with '*** Add Block: x', '*** Delete Block: x' or '***"
            " Update Block: x'; after the latter, '*** Move to: y' renames the block.",
            (_optional("label", "The only block."), _text("patch"), _REASON),
        ),
        AgentTool(
            "core_memory_append",
            "Add lines at the end of a memory block.",
            (
                _LABEL,
                ToolParameter(
                    "content",
                    "string",
                    meaning="new_string",
                    aliases=(*_NEW, "text", "insert_text"),
                ),
                _REASON,
            ),
        ),
        AgentTool(
            "core_memory_replace",
            "Replace text that occurs once in a memory block.",
            (
                _LABEL,
                ToolParameter("old_content", "string", meaning="old_string", aliases=_OLD),
                ToolParameter("new_content", "string", meaning="new_string", aliases=_NEW),
                _REASON,
            ),
        ),
        AgentTool(
            "archival_memory_insert",
            "Store a fact for later search.",
            (_text("content", "A self-contained statement."), _TAGS),
        ),
        AgentTool(
            "archival_memory_search",
            "Search stored memories by meaning and text.",
            (
                _text("query"),
                _TAGS,
                ToolParameter(
                    "tag_match_mode",
                    "string",
                    required=False,
                    default="any",
                    choices=("any", "all"),
                ),
                ToolParameter("top_k", "integer", "How many results.", required=False, minimum=1),
                _optional("start_datetime", "ISO 8601."),
                _optional("end_datetime", "ISO 8601."),
            ),
        ),
    )
}


def tool_definitions(dialect: Dialect = "anthropic") -> list[dict[str, Any]]:
    """Return the definitions of all tools for a request to a model.

    Raises:
        InvalidInput: the dialect is not known.
    """
    if dialect not in get_args(Dialect):
        raise InvalidInput(
            f"unknown dialect {dialect!r}; choose one of {', '.join(get_args(Dialect))}"
        )
    return [_definition(tool, dialect) for tool in TOOLS.values()]


def arguments(name: str, values: Mapping[str, object]) -> dict[str, Any]:
    """Return a call's arguments by canonical name, with defaults.

    The core tools also accept ``old_string`` and ``new_string``; ``new_string`` is also the text to
    insert or append. Optional arguments without a default are included only if they are passed.

    Raises:
        NotFound: there is no such tool.
        InvalidInput: arguments are missing, unknown, passed twice or of a wrong type; the message
            names all of them.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise NotFound(f"no tool {name!r}; known: {', '.join(TOOLS)}")
    if problems := [*_problems(tool, values)]:
        more = f"; and {len(problems) - LISTED} more" if len(problems) > LISTED else ""
        raise InvalidInput(f"{name}: {'; '.join(problems[:LISTED])}{more}")
    result: dict[str, Any] = {}
    for parameter in tool.parameters:
        value = next(
            (values[item] for item in parameter.names if item in values), parameter.default
        )
        if value is not None:
            result[parameter.key] = value
    return result


def _problems(tool: AgentTool, values: Mapping[str, object]) -> Iterator[str]:
    for parameter in tool.parameters:
        used = [name for name in parameter.names if name in values]
        if len(used) > 1:
            yield f"{' and '.join(used)} are synonyms; pass only one"
        elif used and (problem := parameter.problem(values[used[0]])):
            yield problem
        elif not used and parameter.required:
            yield f"{parameter.name} is missing"
    parameter_names = {name for parameter in tool.parameters for name in parameter.names}
    if unknown := [clip(str(name), 60) for name in values if name not in parameter_names]:
        names = ", ".join(unknown[:LISTED]) + (" and more" if len(unknown) > LISTED else "")
        has = ", ".join(parameter.name for parameter in tool.parameters)
        yield f"unknown: {names} (it takes {has})"


def _definition(tool: AgentTool, dialect: Dialect) -> dict[str, Any]:
    head = {"name": tool.name, "description": tool.description}
    if dialect == "anthropic":
        return head | {"input_schema": tool.schema()}
    return {"type": "function", "function": head | {"parameters": tool.schema()}}


def _type(value: object) -> str:
    return "null" if value is None else type(value).__name__
