"""Options and output shared by the block commands.

The options name the place of a block and the acting agent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import place, workspace_option

if TYPE_CHECKING:
    from memoranda.blocks.model import Block
    from memoranda.memory import Memoranda


def place_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the block's place and the acting agent to a command."""
    for option in (
        click.option("--agent", help="Act as this agent (MEMORANDA_AGENT_ID)."),
        click.option("--task", help="Task whose block is used (name, number or id)."),
        workspace_option,
    ):
        function = option(function)
    return function


def edit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add an edit's options: place, agent, reason, and version that was read."""
    for option in (
        click.option("--version", type=int, help="Expected version. Default: the newest."),
        click.option("--reason", default="", help="Reason, recorded in the history."),
    ):
        function = option(function)
    return place_options(function)


@contextmanager
def opened_as_caller(
    data_dir: str | None, options: dict[str, Any]
) -> Iterator[tuple[Memoranda, dict[str, Any]]]:
    """Open the memory as the caller; yield it and the remaining options.

    The remaining options include the place of the block.
    """
    others = dict(options)
    with opened(data_dir, agent=others.pop("agent")) as memory:
        others["workspace"] = place(memory, others["workspace"], others["task"])
        yield memory, others


def where_of(block: Block) -> str:
    """Return a short description of the place of a block."""
    block_place = block.place
    narrow = "task" if block_place.task else "workspace" if block_place.workspace else "team"
    kind = "shared" if block_place.shared else "private" if block_place.agent else ""
    return f"{narrow}, {kind}" if kind else narrow


def changed(block: Block) -> str:
    """Describe the present state of a block."""
    return (
        f"{block.label}: version {block.version}, {block.size:,} of {block.limit:,} characters "
        f"({block.tokens:,} tokens)"
    )
