"""Commands that erase permanently."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import MomentParam, confirmed_by_option, place, workspace_option
from memoranda.cli.output import Output, command
from memoranda.exceptions import NotFound

if TYPE_CHECKING:
    from memoranda import Memoranda


@click.command(epilog='Example: memoranda forget --mentions "Anna Kowalski" --dry-run')
@click.argument("ids", nargs=-1)
@click.option(
    "--mentions",
    default="",
    metavar="NAME",
    help="Records of every workspace that mention it.",
)
@workspace_option
@click.option("--task", help="Everything captured in this task.")
@click.option(
    "--whole-workspace",
    is_flag=True,
    help="Everything in --workspace, including memories and blocks.",
)
@click.option("--since", type=MomentParam(), help="Everything captured since this time.")
@click.option("--until", type=MomentParam(), help="Everything captured before this time.")
@click.option("--dry-run", is_flag=True, help="Show what would be removed, without removing it.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@command
def forget_command(
    out: Output,
    data_dir: str | None,
    ids: tuple[str, ...],
    mentions: str,
    workspace: str | None,
    task: str | None,
    whole_workspace: bool,
    since: int | None,
    until: int | None,
    dry_run: bool,
    yes: bool,
) -> None:
    from memoranda.cli.removal_receipt import show_receipt
    from memoranda.memories.removal import RemovalSelection
    from memoranda.memories.removal_counts import removed_kinds
    from memoranda.text import counted

    with opened(data_dir) as memory:
        chosen = RemovalSelection(
            ids=[_record(memory, id) for id in ids],
            mentions=mentions,
            task=memory.tasks.show(task).id if task else None,
            workspace=whole_workspace,
            since=since,
            until=until,
        )
        scope = workspace if ids or mentions else place(memory, workspace, task)
        if not (yes or dry_run) and (mentions or sys.stdin.isatty()):
            removal_receipt = memory.forget(chosen, workspace=scope, dry_run=True)
            what = ", ".join(
                (
                    counted(removal_receipt.observations, "observation"),
                    counted(removal_receipt.memories, "memory", "memories"),
                    *removed_kinds(removal_receipt),
                )
            )
            if mentions:
                show_receipt(out, removal_receipt, mentions)
                if not removal_receipt.mention_counts:
                    return
                what = "all of it"
            if sys.stdin.isatty():
                yes = click.confirm(f"Remove {what} permanently? No copy is kept.", abort=True)
        with confirmed_by_option():
            receipt = memory.forget(chosen, workspace=scope, dry_run=dry_run, confirm=yes)
    show_receipt(out, receipt, mentions)


@click.command(epilog="Example: memoranda retention --older-than 180d --routine-only --apply")
@click.option(
    "--older-than", type=MomentParam(), required=True, help="Minimum age such as 180d, or a date."
)
@workspace_option
@click.option("--routine-only", is_flag=True, help="Only routine steps and duplicates.")
@click.option(
    "--apply", "apply", is_flag=True, help="Remove the observations instead of only counting them."
)
@click.option("--dry-run", is_flag=True, help="Only count the observations (default).")
@command
def retention_command(
    out: Output,
    data_dir: str | None,
    older_than: int,
    workspace: str | None,
    routine_only: bool,
    apply: bool,
    dry_run: bool,
) -> None:
    """By default, the observations are only counted; --apply removes them."""
    from memoranda.cli.removal_receipt import show_receipt

    with opened(data_dir) as memory:
        receipt = memory.store.retention(
            older_than,
            workspace=place(memory, workspace),
            routine_only=routine_only,
            dry_run=dry_run or not apply,
        )
    show_receipt(out, receipt)


def _record(memory: Memoranda, id: str) -> str:
    """Return the full id of a record to be erased.

    Raises:
        NotFound: there is no such record; the message states how to forget records that mention a
            name.
    """
    try:
        return memory.resolve(id)
    except NotFound as error:
        hint = f"to remove what mentions a name: memoranda forget --mentions {shlex.quote(id)}"
        raise NotFound(f"{error}; {hint}") from None
