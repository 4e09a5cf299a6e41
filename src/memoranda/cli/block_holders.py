"""Commands that attach shared blocks to agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.block_places import place_options, standing
from memoranda.cli.output import Output, command, day

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoranda.blocks.model import BlockHolder

NAMES = ("agent", "role", "since")


@click.command("attach", epilog="Example: memoranda block attach board critic --role qa")
@click.argument("label")
@click.argument("holder")
@click.option("--role", default="", help="Role of the agent in the group.")
@place_options
@command
def attach_command(
    out: Output, data_dir: str | None, label: str, holder: str, role: str, **options: Any
) -> None:
    """HOLDER is the id of the agent."""
    with standing(data_dir, options) as (memory, where):
        holders = memory.blocks.attach(label, holder, role=role, **where)
    out.rows(list(holders), NAMES, _rows(holders))


@click.command("detach", epilog="Example: memoranda block detach board critic")
@click.argument("label")
@click.argument("holder")
@place_options
@command
def detach_command(
    out: Output, data_dir: str | None, label: str, holder: str, **options: Any
) -> None:
    """HOLDER is the id of the agent."""
    with standing(data_dir, options) as (memory, where):
        holders = list(memory.blocks.detach(label, holder, **where))
    if holders:
        out.rows(holders, NAMES, _rows(holders))
    else:
        out.text(holders, f"{label} is detached from {holder}; it is attached to no agent")


@click.command("holders", epilog="Example: memoranda block holders board")
@click.argument("label")
@place_options
@command
def holders_command(out: Output, data_dir: str | None, label: str, **options: Any) -> None:
    with standing(data_dir, options) as (memory, where):
        holders = memory.blocks.holders(label, **where)
    out.rows(list(holders), NAMES, _rows(holders))


def _rows(holders: Sequence[BlockHolder]) -> list[tuple[object, ...]]:
    return [(one.agent, one.role, day(one.attached_at)) for one in holders]


COMMANDS = (attach_command, detach_command, holders_command)
