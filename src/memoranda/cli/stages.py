"""Commands for stages of tasks, and for compression."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import place, standard_input, workspace_option
from memoranda.cli.output import Output, command, day, pairs, remark
from memoranda.exceptions import InvalidInput

if TYPE_CHECKING:
    from memoranda.compression.model import CompressedText, Compression
    from memoranda.stages.model import Stage, StageView

SHOWN_REASON = 60


@click.group()
def stage_command() -> None:
    """Manage stages: the parts of a task, from planning to verification."""


NUMBER = click.argument("number", type=click.IntRange(1), required=False)

stages = OperationCommands(stage_command, "stage")


@stages.view(
    "list",
    "stage list 3",
    columns=("no", "stage", "observations", "by", "sure", "since", "reason"),
    fresh=True,
)
def _row(stage: Stage) -> Row:
    observations, sure = f"{stage.began}-{stage.ended or ''}", f"{stage.confidence:.2f}"
    since, reason = day(stage.started_at), stage.reason[:SHOWN_REASON]
    return stage.number, stage.name, observations, stage.source, sure, since, reason


@stages.view("show", "stage show 3 2", NUMBER, fresh=True)
def _details(view: StageView, *, task: str) -> str:
    stage = view.stage
    shown: dict[str, object] = {
        "stage": f"{stage.number} {stage.name}",
        "observations": f"{stage.began} to {stage.ended or 'now'}",
        "begun": f"{day(stage.started_at)}, by {stage.source} ({stage.confidence:.2f})",
        "reason": stage.reason,
    }
    if view.suggested:
        shown["suggested next"] = f"{view.suggested}: memoranda stage set {task} {view.suggested}"
    if view.summary:
        shown["summary"] = _compression_text(view.summary)
    text = view.summary.text if view.summary else "no summary yet: memoranda stage compress"
    return f"{pairs(shown)}\n\n{text}"


@stage_command.command("complete", epilog="Example: memoranda stage complete 3 'tests pass'")
@click.argument("task")
@click.argument("reason", default="")
@command
def stage_complete(out: Output, data_dir: str | None, task: str, reason: str) -> None:
    with opened(data_dir, fresh=True) as memory:
        done = memory.stages.complete(task, reason)
        memory.capture.drain()
    out.text(done, f"stage {done.number} ({done.name}) ended at observation {done.ended}")


@stages.view(
    "set",
    "stage set 3 verification",
    click.option("--supervisor", is_flag=True, help="Record the stage as set by a supervisor."),
    fresh=True,
)
def _begun(stage: Stage) -> str:
    return f"stage {stage.number} ({stage.name}) begins at observation {stage.began}"


@stages.view(
    "compress",
    "stage compress 3 2 --ratio 5",
    NUMBER,
    click.option("--ratio", type=click.FloatRange(2, 20), help="Compression ratio."),
    fresh=True,
)
def _compressed(made: Compression) -> str:
    """The default is the current stage."""
    return f"{made.text}\n\n{_compression_text(made)}"


@click.command(epilog="Example: memoranda compress build.log --tokens 400")
@click.argument("file", type=click.Path())
@click.option(
    "--ratio",
    type=click.FloatRange(1, 1000),
    default=10.0,
    show_default=True,
    help="Compression ratio.",
)
@click.option(
    "--tokens", type=click.IntRange(1), help="Maximum tokens of the result, instead of a ratio."
)
@command
def compress_command(
    out: Output, data_dir: str | None, file: str, ratio: float, tokens: int | None
) -> None:
    """Pass - as FILE to read standard input. Nothing is stored."""
    text = _text(file)
    with opened(data_dir) as memory:
        done = memory.compression.compress(text, tokens=tokens, ratio=ratio)
    out.text(done, done.text)
    if out.format != "json":
        remark(_measured(done))


@click.command(epilog="Example: memoranda brief 3 --tokens 500")
@click.argument("task")
@click.option(
    "--tokens",
    type=click.IntRange(1),
    default=1_000,
    show_default=True,
    help="Maximum tokens of the summary.",
)
@click.option("--query", help="Purpose of the summary; relevant lines come first.")
@command
def brief_command(
    out: Output, data_dir: str | None, task: str, tokens: int, query: str | None
) -> None:
    with opened(data_dir, fresh=True) as memory:
        text = memory.tasks.brief(task, tokens=tokens, query=query)
    out.text(text, text.text)


@click.group()
def compression_command() -> None:
    """Report on compression: how well long texts were summarised."""


@compression_command.command("report", epilog="Example: memoranda compression report --limit 20")
@workspace_option
@click.option("--task", metavar="TASK", help="Only this task.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, help="Maximum number of rows.")
@command
def compression_report(
    out: Output, data_dir: str | None, workspace: str | None, task: str | None, limit: int
) -> None:
    with opened(data_dir) as memory:
        where = place(memory, workspace, task)
        compressions = memory.compression.report(workspace=where, task=task, limit=limit)
        numbers = {item.task: memory.tasks.show(item.task).number for item in compressions}
    rows = [
        (
            f"{numbers[compression.task]} / {compression.stage or 'task'}",
            compression.source_tokens,
            compression.tokens,
            f"{compression.ratio:.1f} : 1",
            f"{compression.target:g}",
            f"{compression.retention:.0%} of {compression.facts}" if compression.facts else "-",
            compression.contradictions,
            compression.method,
            compression.tries,
        )
        for compression in compressions
    ]
    names = "task / stage", "tokens", "now", "ratio", "aim", "facts kept", "against", "by", "tries"
    out.rows(list(compressions), names, rows)


def _compression_text(made: Compression) -> str:
    declined = f"; {made.declined}" if made.declined else ""
    facts = f", {made.kept} of {made.facts} critical facts" if made.facts else ""
    short = f"; {made.ratio:.1f} : 1 where {made.target:g} : 1 was the target: {made.beyond}"
    text = f"{made.tokens:,} tokens for {made.source_tokens:,} ({made.method}{facts}{declined})"
    return f"{text}{short if made.beyond else ''}"


def _measured(done: CompressedText) -> str:
    return f"{done.tokens:,} tokens for {done.source_tokens:,} ({done.ratio:.1f} : 1)"


def _text(file: str) -> str:
    if file == "-":
        return standard_input()
    try:
        return Path(file).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from error
