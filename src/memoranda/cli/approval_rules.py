"""Commands for rules that approve proposals automatically."""

from __future__ import annotations

from typing import Any

import click

from memoranda.cli.options import opened, page_options, place, workspace_option
from memoranda.cli.output import Output, command, day
from memoranda.memories.model import Category, MemorySource
from memoranda.observations.model import Origin


@click.group()
def rules_command() -> None:
    """Manage rules that approve new memories at once.

    By default there are no rules.
    """


@rules_command.command(
    "add",
    epilog="Example: memoranda pending rules add --source execution --category troubleshooting "
    "--confidence 0.7",
)
@workspace_option
@click.option(
    "--source",
    type=click.Choice([one.value for one in MemorySource]),
    help="Only memories from this source.",
)
@click.option(
    "--category",
    type=click.Choice([one.value for one in Category]),
    help="Only memories of this category.",
)
@click.option("--confidence", type=float, default=0.0, help="Minimum confidence, 0 to 1.")
@click.option(
    "--origin",
    type=click.Choice([one.value for one in Origin]),
    default=Origin.GENERATED.value,
    help="Minimum trust: human, agent, tool, generated, import.",
)
@click.option(
    "--agents", is_flag=True, help="Include statements by agents, not only what the record shows."
)
@command
def rules_add(out: Output, data_dir: str | None, workspace: str | None, **given: Any) -> None:
    """Add a rule that approves new memories.

    Critical or protected memories and changes always need a review.
    """
    with opened(data_dir) as memory:
        rule = memory.rules.add(workspace=place(memory, workspace), **given)
    out.text(rule, f"{rule.id}  is active; `memoranda pending rules remove` removes it")


@rules_command.command("list", epilog="Example: memoranda pending rules list")
@workspace_option
@page_options
@command
def rules_list(
    out: Output, data_dir: str | None, workspace: str | None, limit: int, cursor: str | None
) -> None:
    """List rules, oldest first."""
    with opened(data_dir) as memory:
        page = memory.rules.list(workspace=place(memory, workspace), limit=limit, cursor=cursor)
    rows = [
        (one.id, one.source or "any", one.category or "any", f"{one.confidence:.2f}", one.origin,
         "too" if one.agents else "no", one.workspace or "all", one.created_by,
         day(one.created_at))
        for one in page
    ]  # fmt: skip
    names = ("id", "source", "category", "sure", "origin", "agents", "workspace", "by", "since")
    out.rows(page, names, rows)


@rules_command.command("remove", epilog="Example: memoranda pending rules remove 01a2042c")
@click.argument("id")
@command
def rules_remove(out: Output, data_dir: str | None, id: str) -> None:
    """Remove a rule; memories that it approved stay approved."""
    with opened(data_dir) as memory:
        removed = memory.rules.remove(id)
    out.text({"removed": removed}, f"{removed}  removed")
