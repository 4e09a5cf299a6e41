"""Commands for agents and the shared blocks attached to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.output import Output, command, day, pairs

if TYPE_CHECKING:
    from memoranda.agents.model import Agent


@click.group()
def agent_command() -> None:
    """Show agents: the identities that act in workspaces."""


agents = OperationCommands(agent_command, "agent")


@agents.view("list", "agent list", columns=("agent", "name", "since", "last seen"))
def _row(agent: Agent) -> Row:
    return agent.id, agent.name, day(agent.created_at), day(agent.last_seen_at)


@agent_command.command("show", epilog="Example: memoranda agent show critic")
@click.argument("agent")
@command
def agent_show(out: Output, data_dir: str | None, agent: str) -> None:
    """The agent's shared blocks are listed too."""
    with opened(data_dir) as memory:
        found, blocks = memory.agents.show(agent), memory.agents.blocks(agent)
    facts: dict[str, object] = {
        "agent": found.id,
        "name": found.name or "-",
        "since": day(found.created_at),
        "last seen": day(found.last_seen_at),
        "holds": ", ".join(f"{block.label} ({block.role or 'no role'})" for block in blocks)
        or "nothing",
    }
    out.text({"agent": found, "blocks": blocks}, pairs(facts))


@agent_command.command("blocks", epilog="Example: memoranda agent blocks critic")
@click.argument("agent")
@command
def agent_blocks(out: Output, data_dir: str | None, agent: str) -> None:
    with opened(data_dir) as memory:
        blocks = memory.agents.blocks(agent)
    out.rows(
        list(blocks),
        ("label", "role", "id"),
        [(block.label, block.role, block.block) for block in blocks],
    )
