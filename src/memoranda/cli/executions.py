"""Commands for executions: tasks with their stages and lessons."""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.output import Output, command, day
from memoranda.cli.tasks import TITLE, described_learnings, task_list
from memoranda.text import clip, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoranda.lessons.model import Execution

GOAL = 240


def _as_portal(option: click.Parameter) -> click.Parameter:
    """Return an option; that of the workspace has a second name as well."""
    if option.name != "workspace":
        return option
    named = copy(option)
    named.opts = [*option.opts, "--portal"]
    return named


@click.group()
def execution_command() -> None:
    """Show executions: tasks as their steps and the lessons learned."""


execution_list = copy(task_list)
execution_list.params = [_as_portal(one) for one in task_list.params]
execution_list.epilog = "Example: memoranda execution list --workspace shop"
execution_command.add_command(execution_list)


@execution_command.command("show", epilog="Example: memoranda execution show 3")
@click.argument("task")
@command
def execution_show(out: Output, data_dir: str | None, task: str) -> None:
    with opened(data_dir, fresh=True) as memory:
        found = memory.tasks.execution(task)
    out.recalled(found, "\n".join(_shown(found)))


def _shown(found: Execution) -> Iterator[str]:
    task = found.task
    goal = clip(one_line(task.title), GOAL)
    yield f"task {task.number}, {task.status}: {goal}"
    lasted = f"{day(task.started_at)} to {day(task.last_event_at)}"
    yield f"{task.observations} observations, {lasted}"
    if found.stages:
        passed = Counter(str(stage.name) for stage in found.stages)
        yield "stages: " + ", ".join(f"{name} ({count})" for name, count in passed.items())
    if found.archive:
        yield f"\n{found.archive.content}"
    if found.lessons:
        yield "\nlearned"
    for one in found.lessons:
        yield f"  {one.id}  {one.status}  {one.category}  {clip(one.title, TITLE)}"


@execution_command.command(
    "extract-learnings", epilog="Example: memoranda execution extract-learnings 3"
)
@click.argument("task")
@command
def extract_learnings(out: Output, data_dir: str | None, task: str) -> None:
    """A user approves or rejects them."""
    with opened(data_dir, fresh=True) as memory:
        found = memory.tasks.extract_learnings(task)
    out.text(found, described_learnings(found))
