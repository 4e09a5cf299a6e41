"""Commands about what failed, and what recurs."""

from __future__ import annotations

import click

from memoranda.cli.opening import opened, page_options, place, workspace_option
from memoranda.cli.output import Output, command, day
from memoranda.text import clip
from memoranda.values.error import ErrorPattern, ErrorType, PatternKind
from memoranda.values.stage import StageName

LINE = 80
"""Characters of a line of a table."""


@click.group()
def errors_command() -> None:
    """What failed, what ended it, and what recurs."""


@errors_command.command("list", epilog="Example: memoranda errors list --type test --open")
@workspace_option
@click.option("--task", help="Only in this task.")
@click.option("--type", "type", type=click.Choice([one.value for one in ErrorType]))
@click.option("--stage", type=click.Choice([one.value for one in StageName]))
@click.option("--severity", type=click.FloatRange(0, 1), default=0.0, help="At least so bad.")
@click.option("--open", "open", is_flag=True, help="Only those that nothing has ended.")
@page_options
@command
def errors_list(
    out: Output,
    data_dir: str | None,
    workspace: str | None,
    task: str | None,
    type: str | None,
    stage: str | None,
    severity: float,
    open: bool,
    limit: int,
    cursor: str | None,
) -> None:
    """List errors, newest first."""
    from memoranda.learn.error_log import ErrorFilter

    where = ErrorFilter(ErrorType(type) if type else None, stage, severity, open)
    with opened(data_dir, fresh=True) as memory:
        page = memory.errors(
            where, workspace=place(memory, workspace, task), task=task, limit=limit, cursor=cursor
        )
    rows = [
        (e.id, day(e.created_at), e.type, f"{e.severity:.1f}", clip(e.description, LINE),
         clip(e.recovery, LINE) or "open")
        for e in page
    ]  # fmt: skip
    out.rows(page, ("ref", "time", "type", "bad", "error", "ended by"), rows)


@errors_command.command("patterns", epilog="Example: memoranda errors patterns --workspace shop")
@workspace_option
@click.option("--task", help="Only in this task.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="Rows.")
@command
def errors_patterns(
    out: Output, data_dir: str | None, workspace: str | None, task: str | None, limit: int
) -> None:
    """Show what recurs in two tasks or more; "*" stands out from chance."""
    with opened(data_dir, fresh=True) as memory:
        found = memory.error_patterns(
            workspace=place(memory, workspace, task), task=task, limit=limit
        )
    rows = [
        ("*" if p.significant else "", p.kind, f"{p.count} of {p.of}", p.tasks, p.trend,
         _told(p), p.prevention or ", ".join(p.examples[:3]))
        for p in found
    ]  # fmt: skip
    out.rows(found, ("", "kind", "seen", "tasks", "trend", "what", "prevention"), rows)


def _told(pattern: ErrorPattern) -> str:
    cause = clip(pattern.signature, LINE)
    if pattern.kind is PatternKind.SEQUENCE:
        return f"{cause} ⇒ {clip(pattern.then, LINE)}"
    if pattern.kind is PatternKind.CONTEXT:
        return f"{cause} with {pattern.context} {pattern.value}"
    return cause
