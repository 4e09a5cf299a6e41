"""The command that opens the dashboard."""

from __future__ import annotations

import sys

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import place, workspace_option
from memoranda.cli.output import Output, command
from memoranda.exceptions import InvalidInput


@click.command(epilog="Example: memoranda tui --workspace shop --light")
@workspace_option
@click.option("--light", is_flag=True, help="Light theme; the t key toggles it.")
@command
def tui_command(_: Output, data_dir: str | None, workspace: str | None, light: bool) -> None:
    """Open the terminal dashboard: activity, approvals, tasks.

    The dashboard shows the store on this machine, or on the server specified with --url. The ? key
    lists all keys.
    """
    from memoranda.tui.app import show

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidInput("a dashboard needs a terminal; `memoranda stats` prints the figures")
    with opened(data_dir, fresh=True, news=False) as memory:
        show(memory, place(memory, workspace), workspace or "", light=light)
