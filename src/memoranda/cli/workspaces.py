"""Commands for workspaces."""

from __future__ import annotations

import shlex
from typing import Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import page_options
from memoranda.cli.output import Output, command, day, pairs
from memoranda.workspaces.change_results import WorkspaceChange

_SHOWN = 20
"""Maximum number of tasks named in a line."""


@click.group()
def workspace_command() -> None:
    """Manage workspaces: one for each repository or project."""


@workspace_command.command("list", epilog="Example: memoranda workspace list")
@page_options
@command
def workspace_list(out: Output, data_dir: str | None, **paging: Any) -> None:
    with opened(data_dir, fresh=True) as memory:
        page = memory.workspaces.list(**paging)
    rows = [
        (workspace.name, workspace.root, day(workspace.created_at), workspace.id)
        for workspace in page
    ]
    out.rows(page, ("name", "folder", "since", "id"), rows)


@workspace_command.command("show", epilog="Example: memoranda workspace show shop")
@click.argument("workspace")
@command
def workspace_show(out: Output, data_dir: str | None, workspace: str) -> None:
    with opened(data_dir, fresh=True) as memory:
        detail = memory.workspaces.show(workspace)
    place = detail.workspace
    labels = {"name": place.name, "id": place.id, "folder": place.root or "none"}
    lines = [pairs({**labels, "since": day(place.created_at)}), *detail.aliases]
    out.text(detail, "\n".join(lines))


@workspace_command.command("rename", epilog="Example: memoranda workspace rename shop-2 barn")
@click.argument("workspace")
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Show the changes without making them.")
@command
def workspace_rename(
    out: Output, data_dir: str | None, workspace: str, name: str, dry_run: bool
) -> None:
    with opened(data_dir, fresh=True) as memory:
        change = memory.workspaces.rename(workspace, name, dry_run=dry_run)
    would = "would be" if dry_run else "is"
    out.text(change, f"{change.former.name} {would} named {change.workspace.name}")


@workspace_command.command("merge", epilog="Example: memoranda workspace merge shop-2 shop")
@click.argument("workspace")
@click.argument("into")
@click.option("--dry-run", is_flag=True, help="Show the changes without making them.")
@command
def workspace_merge(
    out: Output, data_dir: str | None, workspace: str, into: str, dry_run: bool
) -> None:
    with opened(data_dir, fresh=True) as memory:
        change = memory.workspaces.merge(workspace, into, dry_run=dry_run)
    out.text(change, f"{_change_text(change)}\nto undo it: {_undo(change)}{_not_undone(change)}")


@workspace_command.command(
    "split", epilog="Example: memoranda workspace split shop barn --task 3 --task 4"
)
@click.argument("workspace")
@click.argument("to")
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="TASK",
    help="Task to move, with its records. Repeatable.",
)
@click.option(
    "--memory", "memories", multiple=True, metavar="ID", help="Memory to move. Repeatable."
)
@click.option(
    "--alias", "aliases", multiple=True, help="Alias to move; see `workspace show`. Repeatable."
)
@click.option("--dry-run", is_flag=True, help="Show the changes without making them.")
@command
def workspace_split(
    out: Output, data_dir: str | None, workspace: str, to: str, **options: Any
) -> None:
    with opened(data_dir, fresh=True) as memory:
        change = memory.workspaces.split(workspace, to, **options)
    out.text(change, _change_text(change))


def _change_text(change: WorkspaceChange) -> str:
    moved = ", ".join(f"{count:,} {table}" for table, count in sorted(change.rows.items()))
    would = "would be put" if change.dry_run else "put"
    return f"{would} from {change.former.name} into {change.workspace.name}: {moved or 'nothing'}"


def _not_undone(change: WorkspaceChange) -> str:
    """Return a line about changes that undoing a merge does not revert."""
    if not change.not_undone:
        return ""
    counts = " and ".join(f"{count:,} {table}" for table, count in change.not_undone.items())
    return f"\nnot reverted by that: {counts}; they stay in {change.workspace.name}"


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
