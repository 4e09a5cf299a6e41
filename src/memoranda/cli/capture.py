"""Commands that take things in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from memoranda.cli.opening import opened, place, stated
from memoranda.cli.output import Output, command, pairs
from memoranda.cli.progress import progress_bar
from memoranda.values.observation import ObservationType


@click.command(epilog="Example: memoranda import ~/.claude/projects/-srv-shop/3f0c.jsonl")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--workspace", metavar="NAME", help="Store under this workspace.")
@click.option("--again", is_flag=True, help="Read from the start, not from where it ended.")
@command
def import_command(
    out: Output, data_dir: str | None, files: tuple[Path, ...], workspace: str | None, again: bool
) -> None:
    """Import transcripts of Claude Code, Codex, Cursor, or generic JSONL.

    Doing it twice adds nothing: events that are stored already are counted as duplicates.
    """
    with opened(data_dir) as memory:
        reports = []
        for path in files:
            with progress_bar(path.name, "bytes") as progress:
                reports.append(
                    memory.import_transcript(
                        path, workspace=workspace, again=again, progress=progress
                    )
                )
    payload = _import_payload(reports)
    shown = {key.replace("_", " "): value for key, value in payload.items() if value != {}}
    out.text(payload, pairs(shown))


def _import_payload(reports: list[Any]) -> dict[str, Any]:
    skipped: dict[str, int] = {}
    removed: dict[str, int] = {}
    for report in reports:
        for reason, count in report.skipped.items():
            skipped[reason] = skipped.get(reason, 0) + count
        for rule, count in report.intake.redactions.items():
            removed[rule] = removed.get(rule, 0) + count
    return {
        "files": sum(report.files for report in reports),
        "lines": sum(report.lines for report in reports),
        "events": sum(report.intake.events for report in reports),
        "observations": sum(report.intake.observations for report in reports),
        "duplicates": sum(report.intake.duplicates for report in reports),
        "folded": sum(report.intake.folded for report in reports),
        "skipped": sum(skipped.values()),
        "skipped_by_reason": skipped,
        "redactions": sum(removed.values()),
        "redactions_by_rule": removed,
        "tasks": sorted({task for report in reports for task in report.intake.tasks}),
    }


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
@click.option("--quiet", is_flag=True, help="Print nothing; for the hook.")
@command
def drain_command(out: Output, data_dir: str | None, wait: bool, quiet: bool) -> None:
    """Store what hooks have left in the spool."""
    with opened(data_dir) as memory:
        report = memory.drain(wait=wait)
    if quiet:
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
