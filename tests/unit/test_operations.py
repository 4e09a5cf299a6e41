"""The table of use cases, the facade and the command line speak of the same things."""

from __future__ import annotations

import inspect
from pathlib import Path

import click
import pytest

from memoranda import Memoranda
from memoranda.cli import cli
from memoranda.errors import Forbidden, InvalidInput, NotFound
from memoranda.operations import ANYONE, OPERATIONS, PEOPLE, Access, Caller, Operation, call

WITHOUT_A_NAME = {
    "open": "makes the object itself",
    "close": "ends it",
    "settings": "is about the object",
    "acting": "is about the object",
    "metrics": "counts what this process did; a command is a process of its own",
    "on": "takes code, which no other door can send",
    "load_plugins": "takes code",
    "take": "takes events of hosts, which doors make from payloads",
    "resolve": "serves the doors that accept short names",
    "workspace_of": "serves the doors that stand in a folder",
}
"""Public names of the facade that are no use cases, and why."""

COMMANDS_ALONE = {
    "block edit",
    "copy",
    "db create",
    "db migrate",
    "db roles",
    "db status",
    "decrypt",
    "encrypt",
    "install",
    "uninstall",
    "completion",
    "config show",
}
"""Commands about this machine rather than about the memory."""


def words(name: str) -> str:
    """The command of an operation: dots are spaces."""
    return name.replace(".", " ")


def commands() -> dict[str, click.Command]:
    """Every command by its words."""
    found: dict[str, click.Command] = {}
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= {f"{name} {sub}": one for sub, one in command.commands.items()}
        else:
            found[name] = command
    return found


def public_names() -> set[str]:
    return {name for name in dir(Memoranda) if not name.startswith("_")}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operation_names_a_method_that_says_what_it_does(operation: Operation) -> None:
    assert callable(getattr(Memoranda, operation.method))
    assert operation.summary
    assert "self" not in [parameter.name for parameter in operation.parameters]


def test_every_use_case_of_the_facade_is_in_the_table() -> None:
    named = {operation.method for operation in OPERATIONS.values()}
    assert public_names() - set(WITHOUT_A_NAME) == named
    assert set(WITHOUT_A_NAME) <= public_names()


def test_no_method_has_two_names() -> None:
    methods = [operation.method for operation in OPERATIONS.values()]
    assert len(methods) == len(set(methods))
    assert [name for name, operation in OPERATIONS.items() if name != operation.name] == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_has_a_command_of_its_name(name: str) -> None:
    assert words(name) in commands()


def test_every_command_is_an_operation_or_about_this_machine() -> None:
    assert set(commands()) - set(map(words, OPERATIONS)) == COMMANDS_ALONE


@pytest.mark.parametrize("path", commands(), ids=str)
def test_every_command_shows_an_example_of_itself(path: str) -> None:
    command = commands()[path]
    assert command.epilog
    assert command.epilog.startswith(f"Example: memoranda {path}")
    assert (command.help or "").strip()


@pytest.mark.parametrize("path", commands(), ids=str)
def test_every_command_prints_in_every_format(path: str) -> None:
    (option,) = [one for one in commands()[path].params if one.name == "format"]
    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices) == ["table", "json", "md"]


@pytest.mark.parametrize(
    ("name", "caller"),
    [(name, caller) for name, o in OPERATIONS.items() for caller in ANYONE - o.callers],
)
def test_who_may_not_ask_is_turned_away(name: str, caller: Caller, tmp_path: Path) -> None:
    with Memoranda.open(tmp_path / "data") as memory, pytest.raises(Forbidden):
        call(memory, name, {}, caller)


def test_an_agent_may_neither_forget_nor_restore() -> None:
    for name in ("forget", "restore", "retention", "import", "backup", "export", "import-archive"):
        assert OPERATIONS[name].callers == PEOPLE


def test_an_agent_may_not_speak_as_a_person() -> None:
    assert OPERATIONS["message.add"].callers == PEOPLE


def test_what_changes_the_store_is_marked_so() -> None:
    writing = {name for name, one in OPERATIONS.items() if one.access is Access.WRITE}
    assert writing == {
        "observe",
        "import",
        "drain",
        "rate",
        "reembed",
        "rebuild-index",
        "remember",
        "forget",
        "retention",
        "backup",
        "export",
        "import-archive",
        "restore",
        "block.create",
        "block.replace",
        "block.insert",
        "block.rethink",
        "block.patch",
        "block.apply",
        "tool.call",
        "block.compress",
        "block.configure",
        "block.restore",
        "block.delete",
        "block.undelete",
        "block.attach",
        "block.detach",
        "checkpoint.create",
        "checkpoint.rollback",
        "checkpoint.fork",
        "task.note",
        "working.put",
        "working.delete",
        "message.add",
        "message.compact",
        "brief",
        "budget.set",
        "memory.edit",
        "memory.archive",
        "memory.restore",
        "promote",
        "demote",
        "pending.approve",
        "pending.approve-all",
        "pending.reject",
        "pending.news",
        "stage.complete",
        "stage.compress",
        "stage.set",
    }


def test_an_operation_is_carried_out_by_name(tmp_path: Path) -> None:
    with Memoranda.open(tmp_path / "data") as memory:
        seen = call(memory, "observe", {"content": "prices are net", "task": "t"}, Caller.AGENT)
        full = call(memory, "observation.show", {"id": seen.ref}, Caller.AGENT)
        assert full.content == "prices are net"
        found = call(memory, "search", {"query": "prices"}, Caller.HUMAN)
        assert [hit.id for hit in found.hits] == [seen.id]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("nonesuch", {}, NotFound),
        ("_scope", {}, NotFound),
        ("close", {}, NotFound),
        ("search", {}, InvalidInput),
        ("search", {"query": "x", "nonesuch": 1}, InvalidInput),
        ("observe", {"content": "x", "type": "nonesuch"}, InvalidInput),
        ("observation.show", {"id": "9#9"}, NotFound),
    ],
)
def test_a_call_that_cannot_be_carried_out_says_why(
    name: str, arguments: dict[str, object], error: type[Exception], tmp_path: Path
) -> None:
    with Memoranda.open(tmp_path / "data") as memory, pytest.raises(error) as raised:
        call(memory, name, arguments, Caller.HUMAN)
    assert str(raised.value)


def test_parameters_are_those_of_the_method() -> None:
    signature = inspect.signature(Memoranda.search)
    names = [parameter.name for parameter in OPERATIONS["search"].parameters]
    assert names == list(signature.parameters)[1:]
