"""Commands that take things in."""

from __future__ import annotations

import os
from pathlib import Path

import click

from memoranda.cli.opening import opened, place, stated
from memoranda.cli.output import Output, command, pairs
from memoranda.values.observation import ObservationType


@click.command(epilog='Example: memoranda observe "chose SQLite" --type decision --task issue-42')
@click.argument("content")
@click.option(
    "--type", "type", type=click.Choice([t.value for t in ObservationType]), default="learning"
)
@click.option("--task", default="default", help="Id of a task, or a name of your own for one.")
@click.option("--workspace", metavar="NAME", help="Default: this folder's, if it is known.")
@click.option("--tool", help="The tool whose output this is.")
@click.option("--key", help="Idempotency key: the same key in the same task is stored once.")
@command
def observe_command(
    out: Output,
    data_dir: str | None,
    content: str,
    type: str,
    task: str,
    workspace: str | None,
    tool: str | None,
    key: str | None,
) -> None:
    """Keep one thing that happened. CONTENT - reads standard input."""
    text = stated(content)
    with opened(data_dir) as memory:
        meant = place(memory, workspace)
        observation = memory.observe(
            text, type=type, task=task, workspace=meant, tool=tool, key=key
        )
    out.text(observation, f"{observation.ref}  {observation.summary}")


@click.command(epilog="Example: memoranda drain --wait")
@click.option("--wait", is_flag=True, help="Wait for another drain to end, instead of leaving.")
@click.option("--quiet", is_flag=True, help="Print nothing.")
@click.option("--hook", is_flag=True, hidden=True, help="Say when contexts are ready; no more.")
@command
def drain_command(out: Output, data_dir: str | None, wait: bool, quiet: bool, hook: bool) -> None:
    """Store what hooks have left in the spool, and what Claude Code reads by itself."""
    from memoranda.agents.hosts import CLAUDE_CODE, InstallScope
    from memoranda.integrations.claude_files import follow

    with opened(data_dir) as memory:
        if hook:
            memory.drain(wait=True, light=True)
            _announce()
        report = memory.drain(wait=wait)
        settings = CLAUDE_CODE.settings_file(InstallScope.USER, Path(), os.environ)
        if follow(memory, report.intake.tasks, settings.parent):
            memory.drain()
    if quiet or hook:
        return
    payload: dict[str, object] = {
        "files": report.files,
        "events": report.intake.events,
        "observations": report.intake.observations,
        "duplicates": report.intake.duplicates,
        "ignored": report.ignored,
        "rejected": report.rejected,
        "stuck": report.stuck,
        "redactions": sum(report.intake.redactions.values()),
        "busy": report.busy,
    }
    out.text(payload, pairs(payload))


def _announce() -> None:
    """Let go of standard output: a hook that waits for the contexts reads on."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
