"""Commands for live mode, in which agents see long outputs in short form."""

from __future__ import annotations

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import place, workspace_option
from memoranda.cli.output import Output, command


@click.group()
def live_command() -> None:
    """Report on live mode, which shows agents short forms of long outputs.

    It is switched on by `memoranda install --live`.
    """


@live_command.command("report", epilog="Example: memoranda live report")
@workspace_option
@command
def live_report(out: Output, data_dir: str | None, workspace: str | None) -> None:
    with opened(data_dir, fresh=True) as memory:
        found = memory.capture.live_report(workspace=place(memory, workspace))
    rows = [
        (
            one.tool,
            one.outputs,
            f"{one.whole_tokens:,}",
            f"{one.shown_tokens:,}",
            f"{one.saved_tokens:,}",
            f"{one.expanded} ({one.expanded / one.outputs:.0%})",
            one.expansions,
        )
        for one in found
    ]
    headers = ("tool", "outputs", "tokens", "shown", "saved", "expanded", "times")
    out.rows(found, headers, rows)
