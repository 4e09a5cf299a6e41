"""The table of use cases, the facade and the command line agree."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from memoranda import Memoranda
from memoranda.cli import COMMANDS, SECTIONS, cli
from memoranda.exceptions import Forbidden, InvalidInput, NotFound
from memoranda.identity.principal import Role
from memoranda.operation_declaration import ADMINS, EVERYONE, MEMBERS, Access
from memoranda.operations import OPERATIONS, Operation, call
from memoranda.resource_attributes import NOUNS

WITHOUT_A_NAME = {
    "open": "makes the object itself",
    "seen_by": "makes it for a caller of a server",
    "close": "ends it",
    "settings": "is about the object",
    "acting": "is about the object",
    "workspace": "is about the object",
    "metrics": "counts what this process did; a command is a process of its own",
    "capture.on": "takes code, which no other door can send",
    "capture.load_plugins": "takes code",
    "capture.take": "takes events of hosts, which doors make from payloads",
    "capture.look": "takes the same, for a dry run of `import`",
    "archive.import_memories": "takes what `import` read from a file of this machine",
    "store.hooks": "is about this machine; a part of `status` and `doctor`",
    "capture.finish": "serves `import`, with its progress",
    "capture.catch_up": "serves the doors that read what hooks of this machine left",
    "resolve": "serves the doors that accept short names",
    "workspace_of": "serves the doors that stand in a folder",
    "is_remote": "says what the caller has opened",
}
"""Public names of the facade that are no use cases, with reasons."""

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
    "serve",
    "tui",
    "undo",
    "rpc",
    "uninstall",
    "web link",
    "completion",
    "config set",
    "config show",
    "config unset",
    "demo",
    "help",
    "mcp",
}
"""Commands about this machine rather than about the memory."""


OTHER_NAMES = {
    "execution list": "tasks.list",
    "global add-learning": "remember",
    "global list-learnings": "banks.entries",
    "global show": "banks.show",
    "global stats": "memories.stats",
    "project add-decision": "remember",
    "project add-pattern": "remember",
    "project list": "banks.list",
}
"""Commands that carry out an operation of another name."""


def words(name: str) -> str:
    """Return the command of an operation."""
    return OPERATIONS[name].command


def commands() -> dict[str, click.Command]:
    """Return every command by its name."""
    return dict(within(cli))


def within(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command of a group and its subgroups."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from within(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def public_names() -> set[str]:
    """Return the public names of the facade, and of its nouns as noun.name."""
    own = {name for name in dir(Memoranda) if not name.startswith("_")} - set(NOUNS)
    of_nouns = {
        f"{noun}.{name}"
        for noun in NOUNS
        for name in dir(getattr(Memoranda, noun))
        if not name.startswith("_") and name not in ("acting", "workspace")
    }
    return own | of_nouns


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_an_operation_names_a_documented_method(operation: Operation) -> None:
    assert callable(getattr(operation.owner(Memoranda), operation.method))
    assert operation.summary(Memoranda)
    assert "self" not in [one.name for one in operation.signature(Memoranda).arguments]


def test_every_use_case_of_the_facade_is_in_the_table() -> None:
    named = {operation.python for operation in OPERATIONS.values()}
    assert public_names() - set(WITHOUT_A_NAME) == named
    assert set(WITHOUT_A_NAME) <= public_names()


def test_no_method_has_two_names() -> None:
    methods = [operation.python for operation in OPERATIONS.values()]
    assert len(methods) == len(set(methods))
    for name, operation in OPERATIONS.items():
        assert name == operation.name == operation.python.replace("_", "-")


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_has_a_command_of_its_name(name: str) -> None:
    assert words(name) in commands()


def test_every_command_is_an_operation_or_about_this_machine() -> None:
    others = set(commands()) - set(map(words, OPERATIONS))
    assert others == COMMANDS_ALONE | set(OTHER_NAMES)
    assert set(OTHER_NAMES.values()) <= set(OPERATIONS)


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
    ("name", "role"),
    [(name, role) for name, one in OPERATIONS.items() for role in Role if role not in one.roles],
)
def test_an_unauthorised_role_is_refused(name: str, role: Role) -> None:
    with pytest.raises(Forbidden):
        call(object(), name, {}, role)


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_each_role_of_people_may_do_what_those_before_may(operation: Operation) -> None:
    ladder = [role in operation.roles for role in Role if role is not Role.AGENT]
    assert ladder == sorted(ladder)
    assert Role.ADMIN in operation.roles
    assert (Role.READER in operation.roles) <= (operation.access is Access.READ)


def test_what_takes_paths_is_for_the_machine_itself() -> None:
    named = {
        name
        for name, one in OPERATIONS.items()
        if any("Path" in str(argument.type) for argument in one.signature(Memoranda).arguments)
    }
    secrets = {"tokens.rotate-key"}  # takes none, but changes a file there
    assert named | secrets == {name for name, one in OPERATIONS.items() if one.local}


def test_an_agent_may_neither_forget_nor_restore() -> None:
    for name in ("restore", "retention", "import", "backup", "export", "import-archive"):
        assert OPERATIONS[name].roles == ADMINS
    assert OPERATIONS["forget"].roles == MEMBERS


def test_an_agent_may_not_classify_or_confirm_feedback() -> None:
    for name in ("feedback.correct", "feedback.process"):
        assert Role.AGENT not in OPERATIONS[name].roles
    for name in ("feedback.add", "feedback.list", "feedback.show", "say"):
        assert Role.AGENT in OPERATIONS[name].roles


def test_no_agent_decides_what_becomes_knowledge() -> None:
    for name in (
        "proposals.approve",
        "proposals.approve-all",
        "proposals.reject",
        "rules.add",
        "rules.remove",
    ):
        assert OPERATIONS[name].roles == {Role.REVIEWER, Role.ADMIN}
    assert OPERATIONS["search"].roles == EVERYONE


def test_an_agent_may_not_speak_as_a_person() -> None:
    assert OPERATIONS["conversations.add"].roles == MEMBERS


def test_what_changes_the_store_is_marked_so() -> None:
    writing = {name for name, one in OPERATIONS.items() if one.access is Access.WRITE}
    assert writing == {
        "tokens.create",
        "tokens.revoke",
        "tokens.rotate-key",
        "observe",
        "capture.import-transcript",
        "capture.drain",
        "observations.rate",
        "index.reembed",
        "index.rebuild",
        "remember",
        "say",
        "feedback.add",
        "feedback.correct",
        "feedback.process",
        "mirror.enable",
        "mirror.disable",
        "mirror.sync",
        "mirror.rebuild",
        "forget",
        "store.retention",
        "store.backup",
        "archive.export",
        "archive.import-archive",
        "store.restore",
        "blocks.create",
        "blocks.replace",
        "blocks.insert",
        "blocks.rethink",
        "blocks.patch",
        "blocks.apply",
        "tools.call",
        "blocks.compress",
        "blocks.configure",
        "blocks.restore",
        "blocks.delete",
        "blocks.undelete",
        "blocks.attach",
        "blocks.detach",
        "checkpoints.create",
        "checkpoints.rollback",
        "checkpoints.fork",
        "tasks.note",
        "working.put",
        "working.delete",
        "documents.put",
        "workspaces.merge",
        "workspaces.rename",
        "workspaces.split",
        "documents.delete",
        "documents.clear",
        "conversations.add",
        "conversations.compact",
        "tasks.brief",
        "costs.set-budget",
        "memories.edit",
        "memories.archive",
        "memories.change-all",
        "memories.restore",
        "memories.supersede",
        "memories.promote",
        "quarantine.hold",
        "quarantine.release",
        "memories.demote",
        "proposals.approve",
        "proposals.approve-all",
        "proposals.reject",
        "proposals.notifications",
        "profile.add",
        "profile.edit",
        "profile.remove",
        "profile.merge",
        "profile.news",
        "profile.optimize",
        "profile.apply",
        "profile.undo",
        "rules.add",
        "rules.remove",
        "tasks.create",
        "tasks.edit",
        "tasks.end",
        "tasks.extract-learnings",
        "stages.complete",
        "stages.compress",
        "stages.set",
        "errors.record",
        "errors.refine",
        "errors.resolve",
        "supervisor.context",
        "supervisor.outcome",
        "supervisor.news",
    }


def test_an_operation_is_carried_out_by_name(tmp_path: Path) -> None:
    with Memoranda.open(tmp_path / "data") as memory:
        seen = call(memory, "observe", {"content": "prices are net", "task": "t"}, Role.AGENT)
        full = call(memory, "observations.show", {"id": seen.ref}, Role.AGENT)
        assert full.content == "prices are net"
        found = call(memory, "search", {"query": "prices"}, Role.ADMIN)
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
        ("observations.show", {"id": "9#9"}, NotFound),
    ],
)
def test_an_impossible_call_reports_the_reason(
    name: str, arguments: dict[str, object], error: type[Exception], tmp_path: Path
) -> None:
    with Memoranda.open(tmp_path / "data") as memory, pytest.raises(error) as raised:
        call(memory, name, arguments, Role.ADMIN)
    assert str(raised.value)


def test_parameters_are_those_of_the_method() -> None:
    signature = inspect.signature(Memoranda.search)
    names = [one.name for one in OPERATIONS["search"].signature(Memoranda).arguments]
    assert names == list(signature.parameters)[1:]


def test_all_commands_are_listed_once() -> None:
    listed = " ".join(SECTIONS.values()).split()
    assert sorted(listed) == sorted(COMMANDS)
    for line in (["--help-all"], ["help", "--all"]):
        shown = CliRunner().invoke(cli, line).output
        assert all(f"\n  {name} " in shown for name in listed)
        assert all(f"\n{section}:\n" in shown for section in SECTIONS)


def test_former_names_stay_and_lead_to_one_operation() -> None:
    formers = [alias for one in OPERATIONS.values() for alias in one.aliases]
    assert len(formers) == len(set(formers))
    assert not set(formers) & set(OPERATIONS)
    for one in OPERATIONS.values():
        for alias in one.aliases:
            assert OPERATIONS[alias] is one
            assert OPERATIONS.canonical(alias) == one.name
    assert OPERATIONS.canonical("block.insert") == "blocks.insert"
    assert OPERATIONS.canonical("pending.approve") == "proposals.approve"
    assert OPERATIONS.canonical("memory.list") == "memories.list"
    assert OPERATIONS.canonical("nonesuch") == "nonesuch"


def test_a_call_by_a_former_name_is_the_same_call(tmp_path: Path) -> None:
    with Memoranda.open(tmp_path / "data") as memory:
        kept = memory.remember("prices are net")
        for name in ("memory.list", "memories.list"):
            assert call(memory, name, {}, Role.READER).items == (kept,)
        with pytest.raises(Forbidden):
            call(memory, "memory.edit", {"id": kept.id, "edit": {"content": "x"}}, Role.READER)
