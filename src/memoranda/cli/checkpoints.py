"""Commands for checkpoints: snapshots of a task, with rollback."""

from __future__ import annotations

import csv
import io
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from memoranda.checkpoints.model import Effort, TaskPhase, checked_state
from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands
from memoranda.cli.options import agent_option, dry_run_option, one_of, page_options
from memoranda.cli.output import Output, command, day, pairs, write
from memoranda.exceptions import InvalidInput
from memoranda.json_data import dump_json, parse_exact_json
from memoranda.observations.model import ObservationType
from memoranda.page import every
from memoranda.text import neutral

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoranda.checkpoints.model import CheckpointSummary, EffortTotal, Rollback, Snapshot
    from memoranda.json_data import JsonValue
    from memoranda.memory import Memoranda
    from memoranda.tasks.model import Task

FASTEST = 1_000.0
"""Maximum replay speed, as a multiple of the original speed."""
WORK_TREE = "work_tree"
"""Key of the saved files in the state of a task."""
STEP = 200
"""Number of observations that a replay reads at once."""
MAX_PAUSE = 5.0
"""Maximum seconds between two replay steps, regardless of the original interval."""


@click.group()
def checkpoint_command() -> None:
    """Manage checkpoints: snapshots of a task's blocks and state."""


checkpoints = OperationCommands(checkpoint_command, "checkpoint")


@checkpoint_command.command("create", epilog="Example: memoranda checkpoint create 3 testing")
@click.argument("task")
@click.argument("phase", type=one_of(TaskPhase))
@click.argument("description", default="")
@click.option("--state", help="New state of the task, as a JSON object.")
@click.option("--tokens", type=int, default=0, help="Tokens used since the previous checkpoint.")
@click.option(
    "--dollars", type=float, default=0.0, help="Dollars spent since the previous checkpoint."
)
@click.option(
    "--seconds", type=float, default=0.0, help="Seconds worked since the previous checkpoint."
)
@click.option("--work-tree", is_flag=True, help="Include the files of this git work tree.")
@click.option("--agent", help="Act as this agent (MEMORANDA_AGENT_ID).")
@command
def checkpoint_create(
    out: Output,
    data_dir: str | None,
    task: str,
    phase: str,
    description: str,
    state: str | None,
    **options: Any,
) -> None:
    effort = Effort(
        options["tokens"], round(options["dollars"] * 1_000_000), round(options["seconds"] * 1_000)
    )
    noted: Any = None if state is None else parse_exact_json(state)
    with opened(data_dir, agent=options["agent"]) as memory:
        if options["work_tree"]:
            noted = _with_work_tree(memory, task, noted)
        checkpoint = memory.checkpoints.create(task, phase, description, state=noted, effort=effort)
    out.text(
        checkpoint,
        f"checkpoint {checkpoint.sequence} of task {task}, at observation {checkpoint.position}",
    )


def _with_work_tree(memory: Memoranda, task: str, noted: Any) -> dict[str, JsonValue]:
    """Return the new or the previous task state with the folder's files added."""
    from dataclasses import asdict
    from pathlib import Path

    from memoranda.checkpoints.work_tree_snapshots import save

    before = memory.tasks.state(task).state if noted is None else checked_state(noted)
    return {**before, WORK_TREE: asdict(save(Path.cwd(), memory.tasks.show(task).id))}


@checkpoint_command.command("list", epilog="Example: memoranda checkpoint list 3")
@click.argument("task")
@page_options
@command
def checkpoint_list(out: Output, data_dir: str | None, task: str, **paging: Any) -> None:
    """Checkpoints that a rollback abandoned are marked."""
    with opened(data_dir) as memory:
        page = memory.checkpoints.list(task, **paging)
    numbers = {summary.checkpoint.id: summary.checkpoint.sequence for summary in page}
    rows = [
        (
            checkpoint_summary.checkpoint.sequence,
            _line(checkpoint_summary),
            numbers.get(checkpoint_summary.checkpoint.parent or "", "-"),
            checkpoint_summary.checkpoint.phase,
            day(checkpoint_summary.checkpoint.created_at),
            checkpoint_summary.checkpoint.position,
            checkpoint_summary.checkpoint.description,
        )
        for checkpoint_summary in page
    ]
    names = ("number", "line", "after", "phase", "when", "observation", "description")
    out.rows(page, names, rows)


def _line(one: CheckpointSummary) -> str:
    return "head" if one.head else "main" if one.main else "left"


@checkpoints.view("show", "checkpoint show 3 2", form="recalled")
def _details(snapshot: Snapshot) -> str:
    made = snapshot.checkpoint
    facts: dict[str, object] = {
        "checkpoint": made.sequence,
        "phase": made.phase,
        "when": day(made.created_at),
        "observation": made.position,
        "description": made.description,
        "blocks": len(snapshot.blocks),
        "effort": f"{made.effort.tokens:,} tokens, ${made.effort.cost / 1e6:.4f}",
    }
    return f"{pairs(facts)}\n\n{dump_json(dict(snapshot.state), indent=2)}"


@checkpoints.view("diff", "checkpoint diff 3 1 2")
def _differences(found: dict[str, str]) -> str:
    """The checkpoint name "now" refers to the current state."""
    return "\n\n".join(f"{name}\n{diff}" for name, diff in found.items()) or "nothing changed"


@checkpoints.view("rollback", "checkpoint rollback 3 2", agent_option, dry_run_option)
def _restored(done: Rollback, *, task: str, dry_run: bool) -> str:
    """The current state is saved as a checkpoint first."""
    changed = ", ".join(done.blocks) or "no block"
    left = f"\nread-only, unchanged: {', '.join(done.left_alone)}" if done.left_alone else ""
    if dry_run:
        return f"would restore checkpoint {done.checkpoint.sequence}: {changed}{left}"
    undo = f"memoranda checkpoint rollback {task} {done.undo.sequence} reverts it"
    return f"restored checkpoint {done.checkpoint.sequence}: {changed}{left}\n{undo}"


@checkpoints.view("fork", "checkpoint fork 3 2 'another way'")
def _forked(made: Task, *, task: str, checkpoint: str) -> str:
    return f"task {made.number} continues from checkpoint {checkpoint} of task {task}"


@checkpoint_command.command("replay", epilog="Example: memoranda checkpoint replay 3 2 --speed 60")
@click.argument("task")
@click.argument("checkpoint")
@click.option("--type", "kind", type=one_of(ObservationType), help="Only events of this type.")
@click.option("--step", is_flag=True, help="Wait for a keypress after each event.")
@click.option("--speed", type=click.FloatRange(0.1, FASTEST), help="Speed relative to real time.")
@command
def checkpoint_replay(
    out: Output,
    data_dir: str | None,
    task: str,
    checkpoint: str,
    kind: str | None,
    step: bool,
    speed: float | None,
) -> None:
    if step and not sys.stdin.isatty():
        raise InvalidInput("--step needs a terminal; omit it or use --speed")
    with opened(data_dir) as memory:
        replayed = every(memory.checkpoints.replay, task, checkpoint, limit=STEP)
        happened = (item for item in replayed if kind in (None, item.type))
        if out.format == "json":
            out.json({"items": list(happened)})
            return
        before: int | None = None
        for seen in happened:
            if speed and before is not None:
                time.sleep(min(MAX_PAUSE, max(0, seen.created_at - before) / 1e6 / speed))
            before = seen.created_at
            write(neutral(f"{seen.ref}  {day(seen.created_at)}  {seen.type}  {seen.summary}"))
            if step and click.getchar() in ("q", "\x03"):
                return
        if before is None:
            write("no observations since")


def spent_rows(spent: Sequence[EffortTotal]) -> list[tuple[object, ...]]:
    """Return the table rows of effort figures."""
    return [
        (
            total.name,
            total.checkpoints,
            total.effort.tokens,
            f"{total.effort.cost / 1e6:.4f}",
            f"{total.effort.duration_ms / 1000:.1f}",
        )
        for total in spent
    ]


def as_csv(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows as CSV for accounting programs."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return file.getvalue().rstrip("\n")
