"""Commands for errors and recurring patterns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import MomentParam, one_of, page_options, place, stated, workspace_option
from memoranda.cli.output import Output, command, day, pairs, remark
from memoranda.cli.proposals import visible
from memoranda.errors.model import ErrorDetail, ErrorPattern, ErrorRecord, ErrorType, PatternKind
from memoranda.stages.model import StageName
from memoranda.text import clip, counted

NAME = 18
"""Number of characters that identify an id."""
LINE = 80
"""Characters of a line of a table."""


@click.group()
def errors_command() -> None:
    """Show errors: what failed, what resolved it, and what recurs."""


@errors_command.command("list", epilog="Example: memoranda errors list --type test --since 7d")
@workspace_option
@click.option("--task", help="Only this task.")
@click.option("--type", "type", type=one_of(ErrorType), help="Only errors of this type.")
@click.option("--stage", type=one_of(StageName), help="Only errors in this stage.")
@click.option(
    "--severity", type=click.FloatRange(0, 1), default=0.0, help="Minimum severity, 0 to 1."
)
@click.option("--open", "open", is_flag=True, help="Only open errors.")
@click.option("--resolved", is_flag=True, help="Only resolved errors.")
@click.option("--over", is_flag=True, hidden=True, help="Same as --resolved.")
@click.option("--since", type=MomentParam(), help="Only errors since this time, such as 7d.")
@click.option("--until", type=MomentParam(), help="Only errors before this time.")
@page_options
@command
def errors_list(
    out: Output,
    data_dir: str | None,
    workspace: str | None,
    task: str | None,
    limit: int,
    cursor: str | None,
    over: bool,
    **filters: Any,
) -> None:
    from memoranda.errors.error_log import ErrorFilter

    kind = filters.pop("type")
    filters["resolved"] |= over
    where = ErrorFilter(type=ErrorType(kind) if kind else None, **filters)
    with opened(data_dir, fresh=True) as memory:
        page = memory.errors.list(
            where, workspace=place(memory, workspace, task), task=task, limit=limit, cursor=cursor
        )
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
@click.option("--context", default="", help="Activity during which it occurred.")
@click.option("--recovery", default="", help="What resolved it.")
@click.option("--about", metavar="REF", help="Reference of a captured error to extend.")
@command
def errors_record(
    out: Output, data_dir: str | None, description: str, workspace: str | None, **options: Any
) -> None:
    with opened(data_dir, fresh=True) as memory:
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


@errors_command.command("count", epilog="Example: memoranda errors count 3 4")
@click.argument("tasks", nargs=-1, required=True)
@command
def errors_count(out: Output, data_dir: str | None, tasks: tuple[str, ...]) -> None:
    with opened(data_dir, fresh=True) as memory:
        counts = memory.errors.count(tasks)
    rows = [(name, count.errors, count.open) for name, count in zip(tasks, counts, strict=True)]
    out.rows(counts, ("task", "errors", "open"), rows)


@errors_command.command("days", epilog="Example: memoranda errors days --workspace shop")
@workspace_option
@click.option("--task", help="Only this task.")
@command
def errors_days(out: Output, data_dir: str | None, workspace: str | None, task: str | None) -> None:
    with opened(data_dir, fresh=True) as memory:
        days = memory.errors.days(workspace=place(memory, workspace, task), task=task)
    rows = [(error_day.day, error_day.errors, error_day.open) for error_day in days]
    out.rows(days, ("day (UTC)", "errors", "open"), rows)


@errors_command.command("patterns", epilog="Example: memoranda errors patterns --workspace shop")
@workspace_option
@click.option("--task", help="Only this task.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="Rows.")
@command
def errors_patterns(
    out: Output, data_dir: str | None, workspace: str | None, task: str | None, limit: int
) -> None:
    """An asterisk marks what recurs significantly more often than by chance."""
    with opened(data_dir, fresh=True) as memory:
        patterns = memory.errors.patterns(
            workspace=place(memory, workspace, task), task=task, limit=limit
        )
    rows = [
        ("*" if p.significant else "", p.kind, f"{p.count} of {p.of}", p.tasks, p.trend,
         _pattern(p), p.prevention or ", ".join(p.examples[:3]))
        for p in patterns
    ]  # fmt: skip
    out.rows(patterns, ("", "kind", "seen", "tasks", "trend", "what", "prevention"), rows)


@errors_command.command("refine", epilog="Example: memoranda errors refine --limit 5")
@workspace_option
@click.option("--task", help="Only this task.")
@click.option("--limit", type=click.IntRange(1, 50), default=10, help="Patterns.")
@command
def errors_refine(
    out: Output, data_dir: str | None, workspace: str | None, task: str | None, limit: int
) -> None:
    """A description is used only if it agrees with the record."""
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
    """Return what became of an error that is not open and has no stated resolution."""
    if record.failed_again:
        return f"nothing: failed again as {record.failed_again}, which is open"
    return "what passed afterwards"


def _pattern(pattern: ErrorPattern) -> str:
    cause = clip(pattern.signature, LINE)
    if pattern.kind is PatternKind.SEQUENCE:
        return f"{cause} ⇒ {clip(pattern.then, LINE)}"
    if pattern.kind is PatternKind.CONTEXT:
        return f"{cause} with {pattern.context} {pattern.value}"
    return cause
