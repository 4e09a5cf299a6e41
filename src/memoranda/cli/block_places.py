"""Where a command about blocks looks, and how it shows what it has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.options import opened, place, workspace_option

if TYPE_CHECKING:
    from memoranda.blocks.model import Block
    from memoranda.memory import Memoranda


def place_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command be told where the block is, and who acts."""
    for option in (
        click.option("--agent", help="Act as this agent (MEMORANDA_AGENT_ID)."),
        click.option("--task", help="As this task sees it, by its number or id."),
        workspace_option,
    ):
        function = option(function)
    return function


def edit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let an edit say where, why, and which version it has read."""
    for option in (
        click.option("--version", type=int, help="The version you have read; else the newest."),
        click.option("--reason", default="", help="Why; kept in the history."),
    ):
        function = option(function)
    return place_options(function)


@contextmanager
def standing(
    data_dir: str | None, given: dict[str, Any]
) -> Iterator[tuple[Memoranda, dict[str, Any]]]:
    """Open the memory as whoever acts; yield it and the other options, with the place that is
    meant."""
    others = dict(given)
    with opened(data_dir, agent=others.pop("agent")) as memory:
        others["workspace"] = place(memory, others["workspace"], others["task"])
        yield memory, others


def where_of(block: Block) -> str:
    """Say in a word or two where a block belongs."""
    found = block.place
    narrow = "task" if found.task else "workspace" if found.workspace else "team"
    kind = "shared" if found.shared else "private" if found.agent else ""
    return f"{narrow}, {kind}" if kind else narrow


def changed(block: Block) -> str:
    """Say how a block is now."""
    return (
        f"{block.label}: version {block.version}, {block.size:,} of {block.limit:,} characters "
        f"({block.tokens:,} tokens)"
    )
