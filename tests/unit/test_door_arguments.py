"""Arguments of a use case have the same name at every door.

The doors are Python, REST, JSON-RPC, MCP and commands.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from memoranda import Memoranda
from memoranda.api.jsonrpc import endpoint
from memoranda.api.mcp.tools import ToolProfile, tools
from memoranda.api.rest import openapi
from memoranda.blocks.block_writer import NewBlock
from memoranda.calls.type_hints import hints
from memoranda.cli import cli
from memoranda.cli.operation_commands import VIEW
from memoranda.exceptions import InvalidInput
from memoranda.operations import OPERATIONS, Operation
from tables import each

ANY_COMMAND = {"agent", "data_dir", "format", "url", "verbose", "quiet"}
"""Options of every command: caller, memory, and output format."""
OF_COMMANDS: Mapping[str, Mapping[str, str]] = {
    "search": {
        "scope": "a place by one of the names that a person uses for it",
        "portal": "prints more of each hit",
        "use_embeddings": "the opposite of an argument, named as in a similar program",
        "nearest": "is `min_score` 0",
    },
    "remember": {"everywhere": "no folder's workspace", "private": "visibility of the statement"},
    "forget": {"whole_workspace": "a confirmation", "yes": "a confirmation"},
    "capture.import-transcript": {
        "files": "many of `path`",
        "from": "the form of the files",
        "limit": "how many entries of a dry run are shown",
        "trust": "of archives among the files",
    },
    "capture.drain": {"hook": "is about the process"},
    "observations.list": {"summaries": "prints more of each row"},
    "observations.rate": {"verdict": "is `useful`, as a word"},
    "supervisor.outcome": {"helped": "an `outcome`", "hurt": "an `outcome`"},
    "tasks.effort": {"csv": "the form of what is printed"},
    "tasks.resume": {"pointers": "prints less"},
    "memories.promote": {"from": "the workspace of the memory"},
    "memories.demote": {"to": "is `workspace`"},
    "proposals.approve": {"ids": "many of `id`", "yes": "a confirmation"},
    "proposals.approve-all": {"yes": "a confirmation"},
    "memories.archive": {"ids": "many of `id`"},
    "errors.list": {"over": "the former name of `resolved`"},
    "checkpoints.create": {
        "dollars": "is `cost`, in a person's unit",
        "seconds": "is `duration_ms`, in a person's unit",
        "work_tree": "stores the files of this machine first",
    },
    "checkpoints.replay": {
        "type": "prints these only",
        "step": "waits for a key",
        "speed": "waits between events",
    },
    "working.put": {"json": "how `value` is read"},
    "documents.put": {"json": "how `value` is read"},
    "documents.clear": {"yes": "a confirmation"},
    "journal.verify": {"expect": "compares the result"},
    "costs.report": {"plot": "the form of what is printed"},
    "tokens.create": {"team": "of a store of this machine"},
    "tokens.list": {"team": "of a store of this machine"},
    "tokens.revoke": {"team": "of a store of this machine"},
    "compression.compress": {"file": "the file of `text`"},
    "archive.export": {
        "as": "another program's form",
        "without_observations": "is not `observations`",
    },
    "archive.import-archive": {"renew_ids": "a value of `ids`"},
    "store.restore": {"yes": "a confirmation"},
    "store.retention": {"older_than": "is `until`, as an age", "apply": "a confirmation"},
}
"""Command options without an argument of the use case, with reasons."""
OF_TOOLS: Mapping[str, str] = {
    "observations.show.ref": "one tool opens observations and memories",
    "memories.show.ref": "one tool opens observations and memories",
    "observations.timeline.ref": "as in the tool that opens one",
    "observations.rate.ref": "as in the tool that opens one",
    "context.max_tokens": "as every tool names its limit",
    "blocks.replace.text": "one tool edits a block in four ways",
    "blocks.create.text": "one tool edits a block in four ways",
}
"""MCP parameters with a different name than the argument, with reasons."""


def arguments(operation: Operation) -> dict[str, Any]:
    """Return the arguments of a use case's method, with their types."""
    return {one.name: one.type for one in operation.signature(Memoranda).arguments}


def fields_of(types: Any) -> set[str]:
    """Return the fields of an argument that is a record."""
    records = [one for one in (types, *typing.get_args(types)) if dataclasses.is_dataclass(one)]
    return {field.name for one in records for field in dataclasses.fields(one)}


def flat(operation: Operation) -> set[str]:
    """Return the arguments, and the fields of those that are records."""
    named = arguments(operation)
    return set(named).union(*map(fields_of, named.values()))


def of_rest(described: Mapping[str, Any], shared: Mapping[str, Any]) -> set[str]:
    """Return the names that a request to a route may send, without headers."""
    listed = [shared[one["$ref"].rpartition("/")[2]] if "$ref" in one else one
              for one in described.get("parameters", ())]  # fmt: skip
    sent = {one["name"] for one in listed if one["in"] != "header"}
    content = described.get("requestBody", {}).get("content", {})
    return sent.union(content.get("application/json", {}).get("schema", {}).get("properties", ()))


def of_command(command: click.Command) -> Iterator[str]:
    """Yield the first name of each option and argument of a command."""
    for one in command.params:
        if isinstance(one, click.Argument):
            yield str(one.name)
        else:
            named = [flag for flag in one.opts if flag.startswith("--")]
            yield named[0].removeprefix("--").replace("-", "_")


def plurals(name: str) -> tuple[str, ...]:
    """Return a name and its plurals, which a repeated option passes."""
    return name, f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies"


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


@cache
def all_commands() -> Mapping[str, click.Command]:
    return dict(commands(cli))


def test_a_rest_route_takes_the_arguments_of_its_use_case() -> None:
    document = openapi.document("/api/v1")
    shared = document["components"]["parameters"]
    routes = {
        one["operationId"]: one for path in document["paths"].values() for one in path.values()
    }
    for name, operation in OPERATIONS.items():
        if name in routes:
            sent, named = of_rest(routes[name], shared), arguments(operation)
            assert sent <= flat(operation) | {f"{one}_{field}" for one, types in named.items()
                                              for field in fields_of(types)}, name  # fmt: skip
            assert {one for one in named if not fields_of(named[one])} <= sent, name


def test_a_json_rpc_method_takes_the_arguments_of_its_use_case() -> None:
    document: Any = endpoint.document()
    methods = {one["name"]: [param["name"] for param in one["params"]]
               for one in document["methods"]}  # fmt: skip
    for name, operation in OPERATIONS.items():
        if not operation.local:
            assert methods[name] == [*arguments(operation)]


@each("tool", tools(ToolProfile.FULL), ids=lambda one: one.name)
def test_an_mcp_tool_takes_the_arguments_of_its_use_cases(tool: Any) -> None:
    for call in tool.calls:
        for parameter, target in call.takes.items():
            same = target.rpartition(".")[2] == parameter
            assert same != (f"{call.operation}.{parameter}" in OF_TOOLS), call.operation


@each("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_a_command_takes_the_arguments_of_its_use_case(operation: Operation) -> None:
    command = all_commands()[operation.command]
    allowed = flat(operation) | ANY_COMMAND
    others = {one for one in of_command(command) if not {*plurals(one)} & allowed}
    assert others == set(OF_COMMANDS.get(operation.name, ()))


VIEWED = [one for one in OPERATIONS.values()
          if hasattr(all_commands()[one.command].callback, VIEW)]  # fmt: skip
"""Use cases whose result is shown by a function of the command."""


@pytest.mark.parametrize("operation", VIEWED, ids=lambda one: one.name)
def test_a_command_shows_what_its_use_case_returns(operation: Operation) -> None:
    result = operation.signature(Memoranda).result
    view = getattr(all_commands()[operation.command].callback, VIEW)
    shown = next(iter(hints(view).values()))
    returned = {result, *typing.get_args(result)}
    assert {shown, *typing.get_args(shown)} & returned or shown is Any


def test_former_names_of_arguments_are_accepted_and_lead_to_present_ones() -> None:
    former = {name: one.former for name, one in OPERATIONS.items() if one.former}
    assert former["blocks.rethink"] == {"new_memory": "text"}
    for name, names in former.items():
        signature = OPERATIONS[name].signature(Memoranda)
        present = set(arguments(OPERATIONS[name]))
        assert set(names.values()) <= present
        assert present.isdisjoint(names)
        needed = {one.name: "1" for one in signature.arguments if one.required}
        for old, new in names.items():
            rest = {one: value for one, value in needed.items() if one != new}
            value = 1 if new == "line" else "x"
            assert signature.bound({**rest, old: value}) == {**rest, new: value}
            with pytest.raises(InvalidInput, match=f"{old} is the former name of {new}"):
                signature.bound({**needed, old: value, new: value})


def test_a_program_that_uses_former_names_works(tmp_path: Path) -> None:
    with Memoranda.open(data_dir=tmp_path) as memory:
        memory.blocks.create(NewBlock("board", "a\nb"))
        memory.blocks.insert("board", new_string="c", insert_after="a")  # type: ignore[call-arg]
        memory.blocks.replace("board", old_string="b", new="d")  # type: ignore[call-arg]
        assert memory.blocks.show("board").value == "a\nc\nd"
