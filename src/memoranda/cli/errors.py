"""Commands for errors and recurring patterns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import MomentParam, one_of, place, stated, with_sign, workspace_option
from memoranda.cli.output import Output, command, day, pairs, remark
from memoranda.cli.proposals import visible
from memoranda.errors.model import ErrorDay, ErrorDetail, ErrorPattern, ErrorRecord, PatternKind
from memoranda.stages.model import StageName
from memoranda.text import clip, counted

NAME = 18
"""Number of leading characters of an id that are shown and identify it."""
LINE = 80
"""Maximum number of characters of a line in a table."""


@click.group()
def errors_command() -> None:
    """Show errors: what failed, what resolved it, and what recurs."""


ROWS = click.option("--limit", type=click.IntRange(1, 1000), default=50, help="Rows.")

errors = OperationCommands(errors_command, "errors", click.option("--task", help="Only this task."))


@errors.command(
    "list",
    "errors list --type test --since 7d",
    click.option("--stage", type=one_of(StageName), help="Only errors in this stage."),
    click.option(
        "--severity", type=click.FloatRange(0, 1), default=0.0, help="Minimum severity, 0 to 1."
    ),
    click.option("--since", type=MomentParam(), help="Only errors since this time, such as 7d."),
    click.option("--over", is_flag=True, hidden=True, help="As --resolved."),
)
def errors_list(out: Output, data_dir: str | None, over: bool, **options: Any) -> None:
    options["resolved"] |= over
    page = errors.call("list", data_dir, options, fresh=True)
    rows = [
        (e.id[:NAME], day(e.created_at), e.type, f"{e.severity:.1f}", clip(e.description, LINE),
         "open" if e.open else clip(e.recovery, LINE) or _ended(e))
        for e in page
    ]  # fmt: skip
    out.rows(page, ("ref", "time", "type", "severity", "error", "resolution"), rows)


@errors_command.command(
    "record", epilog="Example: memoranda errors record 'made up a flag' --type hallucination"
)
@click.argument("description")
@workspace_option
@click.option("--task", help="Task: name, number or id; a new name begins one.")
@click.option("--type", "type", required=True, help="Type of error, such as hallucination.")
@click.option("--stage", help="Stage of the task.")
@click.option("--severity", type=float, help="Severity, 0 (minor) to 1 (blocking).")
@click.option("--context", default="", help="Activity during which the error occurred.")
@click.option("--recovery", default="", help="What resolved it.")
@click.option("--about", metavar="REF", help="Reference of a captured error to extend.")
@command
def errors_record(
    out: Output, data_dir: str | None, description: str, workspace: str | None, **options: Any
) -> None:
    with opened(data_dir, fresh=True) as memory:
        if options["task"]:
            options["task"] = with_sign(memory, options["task"])
        where = None if options["about"] else place(memory, workspace, options["task"])
        record = memory.errors.record(stated(description), workspace=where, **options)
    out.text(
        record, f"{record.id}  {record.type}, severity {record.severity:g}: {record.description}"
    )


@errors_command.command("show", epilog="Example: memoranda errors show 3#42")
@click.argument("id")
@command
def errors_show(out: Output, data_dir: str | None, id: str) -> None:
    with opened(data_dir, fresh=True) as memory:
        detail = memory.errors.show(id)
        changes = memory.observations.backlinks(detail.record.changed_by)
    out.recalled(detail, _shown(detail, [backlinks.ref for backlinks in changes]))


@errors_command.command(
    "resolve", epilog="Example: memoranda errors resolve 3#42 'the port was taken'"
)
@click.argument("id")
@click.argument("recovery")
@command
def errors_resolve(out: Output, data_dir: str | None, id: str, recovery: str) -> None:
    with opened(data_dir, fresh=True) as memory:
        record = memory.errors.resolve(id, stated(recovery))
    out.text(record, f"{record.id}  resolved by: {record.recovery}")


@errors.command("count", "errors count 3 4", click.argument("tasks", nargs=-1, required=True))
def errors_count(out: Output, data_dir: str | None, tasks: tuple[str, ...]) -> None:
    counts = errors.call("count", data_dir, {"tasks": tasks}, fresh=True)
    rows = [(name, count.errors, count.open) for name, count in zip(tasks, counts, strict=True)]
    out.rows(counts, ("task", "errors", "open"), rows)


@errors.view(
    "days", "errors days --workspace shop", columns=("day (UTC)", "errors", "open"), fresh=True
)
def _day_row(found: ErrorDay) -> Row:
    return found.day, found.errors, found.open


@errors.view(
    "patterns",
    "errors patterns --workspace shop",
    ROWS,
    columns=("", "kind", "seen", "tasks", "trend", "what", "prevention"),
    fresh=True,
)
def _pattern_row(found: ErrorPattern) -> Row:
    """An asterisk marks patterns that recur significantly more than by chance."""
    mark, seen = "*" if found.significant else "", f"{found.count} of {found.of}"
    prevention = found.prevention or ", ".join(found.examples[:3])
    return mark, found.kind, seen, found.tasks, found.trend, _pattern(found), prevention


@errors_command.command("refine", epilog="Example: memoranda errors refine --limit 5")
@workspace_option
@click.option("--task", help="Only this task.")
@click.option("--limit", type=click.IntRange(1, 50), default=10, help="Patterns.")
@command
def errors_refine(
    out: Output, data_dir: str | None, workspace: str | None, task: str | None, limit: int
) -> None:
    """A model's description is used only if it agrees with the record."""
    with opened(data_dir, fresh=True) as memory:
        where = place(memory, workspace, task)
        patterns = memory.errors.refine(workspace=where, task=task, limit=limit)
    rows = [
        (p.kind, f"{p.count} of {p.of}", pattern.name or _pattern(p),
         pattern.prevention or p.prevention,
         pattern.model or "record", ", ".join(pattern.evidence or p.examples))
        for pattern in patterns for p in [pattern.pattern]
    ]  # fmt: skip
    out.rows(patterns, ("kind", "seen", "what", "prevention", "described by", "evidence"), rows)
    for reason in {
        refined_pattern.declined: 1
        for refined_pattern in patterns
        if refined_pattern.declined and out.format != "json"
    }:
        remark(f"not described by a model: {visible(reason)}")


def _shown(found: ErrorDetail, changes: Sequence[str]) -> str:
    record, pattern = found.record, found.pattern
    labels: dict[str, object] = {
        "error": record.id,
        "type": f"{record.type} ({record.kind})",
        "severity": f"{record.severity:g}",
        "time": day(record.created_at),
        "by": record.agent,
        "stage": record.stage or "unknown",
        "doing": clip(record.context, LINE) or "unknown",
        "resolved by": record.recovery or ("no resolution yet" if record.open else _ended(record)),
    }
    if changes:
        labels["changed by"] = f"{', '.join(changes)} (memoranda observation show {changes[0]})"
    if pattern:
        seen = f"{counted(pattern.count, 'time')} in {counted(pattern.tasks, 'task')}"
        labels["pattern"] = f"{seen}, {pattern.trend}"
        labels["prevention"] = pattern.prevention or "not resolved yet"
    parts = [pairs(labels), visible(found.content)]
    if found.fix and found.fix != record.recovery:
        parts += ["what resolved it:", visible(found.fix)]
    return "\n\n".join(parts)


def _ended(record: ErrorRecord) -> str:
    """Return the outcome of a closed error without a stated resolution."""
    if record.failed_again:
        return f"nothing: the error recurred as {record.failed_again}, which is open"
    return "what passed afterwards"


def _pattern(pattern: ErrorPattern) -> str:
    cause = clip(pattern.signature, LINE)
    if pattern.kind is PatternKind.SEQUENCE:
        return f"{cause} ⇒ {clip(pattern.then, LINE)}"
    if pattern.kind is PatternKind.CONTEXT:
        return f"{cause} with {pattern.context} {pattern.value}"
    return cause
