"""Commands for workspaces."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import dry_run_option
from memoranda.cli.output import day, pairs

if TYPE_CHECKING:
    from memoranda.tasks.model import Workspace
    from memoranda.workspaces.change_results import WorkspaceChange, WorkspaceDetail

_SHOWN = 20
"""Maximum number of tasks named in a line."""


@click.group()
def workspace_command() -> None:
    """Manage workspaces: one for each repository or project."""


workspaces = OperationCommands(workspace_command, "workspace", dry_run_option)


@workspaces.view("list", "workspace list", columns=("name", "folder", "since", "id"), fresh=True)
def _row(workspace: Workspace) -> Row:
    return workspace.name, workspace.root, day(workspace.created_at), workspace.id


@workspaces.view("show", "workspace show shop", fresh=True)
def _details(detail: WorkspaceDetail) -> str:
    place = detail.workspace
    labels = {"name": place.name, "id": place.id, "folder": place.root or "none"}
    return "\n".join([pairs({**labels, "since": day(place.created_at)}), *detail.aliases])


@workspaces.view("rename", "workspace rename shop-2 barn", fresh=True)
def _renamed(change: WorkspaceChange, *, dry_run: bool) -> str:
    would = "would be" if dry_run else "is"
    return f"{change.former.name} {would} named {change.workspace.name}"


@workspaces.view("merge", "workspace merge shop-2 shop", fresh=True)
def _merged(change: WorkspaceChange) -> str:
    return f"{_change_text(change)}\nto undo it: {_undo(change)}{_not_undone(change)}"


@workspaces.view(
    "split",
    "workspace split shop barn --task 3 --task 4",
    click.option(
        "--task",
        "tasks",
        multiple=True,
        metavar="TASK",
        help="Task to move, with its records. Repeatable.",
    ),
    click.option(
        "--memory", "memories", multiple=True, metavar="ID", help="Memory to move. Repeatable."
    ),
    click.option(
        "--alias", "aliases", multiple=True, help="Alias to move; see `workspace show`. Repeatable."
    ),
    fresh=True,
)
def _change_text(change: WorkspaceChange) -> str:
    moved = ", ".join(f"{count:,} {table}" for table, count in sorted(change.rows.items()))
    would = "would be put" if change.dry_run else "put"
    return f"{would} from {change.former.name} into {change.workspace.name}: {moved or 'nothing'}"


def _not_undone(change: WorkspaceChange) -> str:
    """Return a line about changes that undoing a merge does not revert."""
    if not change.not_undone:
        return ""
    counts = " and ".join(f"{count:,} {table}" for table, count in change.not_undone.items())
    return f"\nnot reverted by that: {counts}; they remain in {change.workspace.name}"


def _undo(change: WorkspaceChange) -> str:
    """Return the command that undoes a merge."""
    parts = [("--task", str(number)) for number in change.tasks]
    parts += [("--memory", id) for id in change.memories]
    parts += [("--alias", alias) for alias in change.aliases]
    if len(parts) > _SHOWN:
        return "memoranda workspace split, with the tasks, memories and aliases of --format json"
    options = [f"{option} {shlex.quote(value)}" for option, value in parts]
    names = map(shlex.quote, (change.workspace.name, change.former.name))
    return " ".join(["memoranda workspace split", *names, *options])
