"""Commands for capturing: store an observation, import spooled events."""

from __future__ import annotations

import os
import re
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import one_of, place, standard_input, with_sign, workspace_option
from memoranda.cli.output import Output, command, pairs, remark
from memoranda.observations.model import ObservationType, StatedBy
from memoranda.tasks.model import UNNAMED

if TYPE_CHECKING:
    from collections.abc import Collection

    from memoranda import Memoranda
    from memoranda.capture.drain import DrainReport


MAX_SECONDS = 90.0
"""Maximum seconds that an import waits for other processes.

A job of a killed process is released after one minute; this process then runs the job.
"""
NOTE_SECONDS = 1.0
"""Seconds after which a note shows what the import is waiting for."""
POLL_SECONDS = 0.1
AGENT_SHELL = re.compile(r"CLAUDECODE|CODEX_(THREAD_ID|SANDBOX\w*)|GEMINI_CLI|CURSOR_AGENT")
"""Environment variables that coding agents set for the commands they run."""


@click.command(epilog='Example: memoranda observe "chose SQLite" --type decision --task issue-42')
@click.argument("content")
@click.option(
    "--type",
    "type",
    type=one_of(ObservationType),
    default="learning",
    help="Type of the observation.",
)
@click.option(
    "--task", default=UNNAMED, help="A task's name, number or id; a new name begins a task."
)
@click.option(
    "--workspace",
    metavar="NAME",
    help="Workspace. Default: the workspace of this folder, if registered.",
)
@click.option("--tool", help="Tool that produced the output.")
@click.option(
    "--failed", is_flag=True, help="Mark the observation as failed; it is stored as an error."
)
@click.option("--tag", "tags", multiple=True, help="Add a tag; repeatable.")
@click.option(
    "--file", "files", multiple=True, help="Add a path that the observation concerns; repeatable."
)
@click.option(
    "--tokens-used",
    type=click.IntRange(0),
    help="Number of tokens that the model used for the observation.",
)
@click.option("--duration-ms", type=click.IntRange(0), help="Duration in milliseconds.")
@click.option(
    "--origin",
    type=one_of(StatedBy),
    help="Author of the content. Default: the caller, or the agent of the shell.",
)
@click.option("--key", help="Idempotency key: the same key in the same task is stored once.")
@command
def observe_command(
    out: Output, data_dir: str | None, content: str, workspace: str | None, **options: Any
) -> None:
    """Pass - as CONTENT to read standard input."""
    text = standard_input("replace") if content == "-" else content
    if options["origin"] is None and not options["tool"]:
        options["origin"] = StatedBy.AGENT if _is_in_agent_shell() else StatedBy.CALLER
    with opened(data_dir) as memory:
        task = options["task"] = with_sign(memory, options["task"])
        numbered = task.startswith("#") and task[1:].isdecimal()  # the same in all folders
        meant = place(memory, workspace, task if numbered else None)
        observation = memory.observe(text, workspace=meant, **options)
    out.text(observation, f"{observation.ref}  {observation.summary}")


def _is_in_agent_shell() -> bool:
    """Return whether a coding agent runs this command."""
    return any(AGENT_SHELL.fullmatch(name) for name in os.environ)


@click.command(epilog="Example: memoranda drain --format json")
@click.option(
    "--wait/--no-wait",
    default=True,
    help="Wait up to 90 seconds for other processes. Default: --wait.",
)
@click.option("--quiet", is_flag=True, help="Print nothing.")
@click.option("--hook", is_flag=True, hidden=True, help="Only report when contexts are ready.")
@command
def drain_command(out: Output, data_dir: str | None, wait: bool, quiet: bool, hook: bool) -> None:
    """All follow-up work is complete when the command returns. Exit code 1: the time limit passed
    before everything was stored.
    """
    with opened(data_dir) as memory:
        drain = SharedDrain(memory)
        report = drain.once(announced=hook)
        if hook:
            return
        complete = drain.finish(report, quiet=quiet) if wait else drain.is_complete(report)
    if not quiet:
        _show_drain(out, report, complete)
    if wait and not complete:
        click.get_current_context().exit(1)


class SharedDrain:
    """Imports events with all follow-up work, shared with other processes."""

    def __init__(self, memory: Memoranda) -> None:
        from memoranda.capture.spool import Spool

        self._memory = memory
        self._spool = None if memory.is_remote else Spool(memory.settings.spool_dir)

    def once(self, *, announced: bool = False) -> DrainReport:
        """Do the work that can be done now.

        With ``announced``, work that contexts need is done first, and then standard output is
        closed.
        """
        with self._spool.at_work() if self._spool else nullcontext():
            report = self._memory.capture.drain(wait=announced, light=announced)
            if announced:
                _announce()
                report.add(self._memory.capture.drain())
            if report.intake.tasks and self._follow_files(report.intake.tasks):
                report.add(self._memory.capture.drain())
        return report

    def _follow_files(self, tasks: Collection[str]) -> bool:
        """Update the index of instruction files; return whether it changed."""
        from memoranda.hooks.hosts import CLAUDE_CODE, InstallScope
        from memoranda.integrations.claude_instruction_files import follow

        settings = CLAUDE_CODE.settings_file(InstallScope.USER, Path(), os.environ)
        return follow(self._program(), tasks, settings.parent)

    def _program(self) -> Memoranda:
        """Return the memory with the permissions that this program needs.

        This program removes sections that an instruction file no longer contains, which agents may
        not do.
        """
        if self._memory.is_remote or self._memory.acting is None:
            return self._memory
        from memoranda.identity.principal import owner

        services = self._memory._services
        return type(self._memory).seen_by(services, owner(services.settings.team))

    def finish(self, report: DrainReport, *, quiet: bool) -> bool:
        """Continue until no work of this or other processes is left.

        If the work takes long, a note is shown. Return False if the time limit passes before the
        work is complete.
        """
        began, noted = time.monotonic(), quiet
        while True:
            attended = self._is_attended()
            # after the check: another process may have left work when it ended
            report.add(self.once())
            if not (attended or report.busy or report.jobs):
                return True
            waited = time.monotonic() - began
            if waited > MAX_SECONDS:
                return False
            if waited > NOTE_SECONDS and not noted:
                remark("waiting for another process that stores spooled events")
                noted = True
            time.sleep(POLL_SECONDS)

    def is_complete(self, report: DrainReport) -> bool:
        """Return whether no work is left that this process can see."""
        return not (report.busy or report.jobs or self._is_attended())

    def _is_attended(self) -> bool:
        return self._spool is not None and self._spool.is_attended()


def _show_drain(out: Output, report: DrainReport, complete: bool) -> None:
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
        "jobs": report.jobs,
        "complete": complete,
    }
    out.text(payload, pairs(payload))
    if not complete:
        remark("note: another process is still storing spooled events")
    if report.retried:
        remark(
            f"note: {report.retried} jobs failed and will be retried; for details, run:"
            f" memoranda doctor"
        )


def _announce() -> None:
    """Close standard output, so that a hook waiting for contexts continues."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


@click.group()
def live_command() -> None:
    """Report on live mode, which shows agents short forms of long outputs.

    Live mode is switched on by `memoranda install --live`.
    """


@live_command.command("report", epilog="Example: memoranda live report")
@workspace_option
@command
def live_report(out: Output, data_dir: str | None, workspace: str | None) -> None:
    with opened(data_dir, fresh=True) as memory:
        live_savings = memory.capture.live_report(workspace=place(memory, workspace))
    rows = [
        (
            savings.tool,
            savings.outputs,
            f"{savings.whole_tokens:,}",
            f"{savings.shown_tokens:,}",
            f"{savings.saved_tokens:,}",
            f"{savings.expanded} ({savings.expanded / savings.outputs:.0%})",
            savings.expansions,
        )
        for savings in live_savings
    ]
    headers = ("tool", "outputs", "tokens", "shown", "saved", "expanded", "times")
    out.rows(live_savings, headers, rows)
