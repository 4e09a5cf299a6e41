"""Commands for tasks: list, note state, resume and end."""

from __future__ import annotations

import os
from collections import Counter
from copy import copy
from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import place, stated
from memoranda.cli.output import Output, command, day, pairs
from memoranda.exceptions import NotFound
from memoranda.json_data import dump_json, parse_exact_json
from memoranda.text import clip, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memoranda import Memoranda
    from memoranda.checkpoints.model import Resumption, TaskState
    from memoranda.lessons.model import Execution, Extraction, TaskEnd
    from memoranda.tasks.model import Task


SESSION_VARIABLES = ("CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CODEX_THREAD_ID")
"""Environment variables in which a host passes its session to its agent's commands."""
NAME = 40
"""Maximum number of characters of a name in a table."""
TITLE = 80
"""Maximum number of characters of a goal or a title in a table."""


@click.group()
def task_command() -> None:
    """Manage tasks, such as the sessions of a coding agent."""


tasks = OperationCommands(task_command, "task")


@tasks.view(
    "list",
    "task list --workspace shop",
    columns=("no", "name", "status", "last event", "observations", "goal"),
    form="recalled",
    fresh=True,
)
def _row(task: Task) -> Row:
    name, goal = clip(one_line(task.name), NAME) or "-", clip(one_line(task.goal), TITLE)
    return task.number, name, task.status, day(task.last_event_at), task.observations, goal


@tasks.view("show", "task show 3", form="recalled", fresh=True)
def _facts(task: Task) -> str:
    return pairs(
        {
            "number": task.number,
            "name": task.name or "-",
            "id": task.id,
            "goal": task.goal,
            "status": task.status,
            "host": f"{task.host}, session {task.session}",
            "started": day(task.started_at),
            "last event": day(task.last_event_at),
            "observations": task.observations,
        }
    )


@task_command.command(
    "create", epilog='Example: memoranda task create issue-42 --goal "Refunds reach the ledger"'
)
@click.argument("name")
@click.option("--goal", default="", help="What is to be done.")
@click.option("--workspace", metavar="NAME", help="Default: this folder's.")
@command
def task_create(
    out: Output, data_dir: str | None, name: str, goal: str, workspace: str | None
) -> None:
    with opened(data_dir) as memory:
        task = memory.tasks.create(name, goal, workspace=place(memory, workspace, new=True))
    out.text(task, f"task {task.number} is created: {task.name}")


@tasks.view(
    "edit",
    'task edit 3 --goal "Refunds work"',
    click.option("--goal", required=True, help="The new goal. Empty: a person's first message."),
)
def _edited(task: Task) -> str:
    return f"task {task.number}: {task.title}"


@tasks.view("state", "task state 3", form="recalled")
def _state(noted: TaskState) -> str:
    return dump_json(dict(noted.state), indent=2)


@tasks.command("note", "task note 3 '{\"attempts\": 2}'")
def task_note(out: Output, data_dir: str | None, task: str, state: str) -> None:
    """STATE is a JSON object, or - to read it from standard input."""
    given = {"task": task, "state": parse_exact_json(stated(state))}
    noted = tasks.call("note", data_dir, given)
    out.text(noted, _state(noted))


@task_command.command("resume", epilog="Example: memoranda task resume 3 --pointers")
@click.argument("task", required=False)
@click.option("--pointers", "short", is_flag=True, help="Print about 20 lines of references.")
@command
def task_resume(out: Output, data_dir: str | None, task: str | None, short: bool) -> None:
    """By default, TASK is the newest task of this folder's workspace.

    For an agent, the default is the newest task of another session.
    """
    from memoranda.tasks.resumption import pointers

    with opened(data_dir, fresh=True) as memory:
        resumption = memory.tasks.resume(task or _newest_of_others(memory))
    if short:
        out.verbatim(resumption, pointers(resumption))
    else:
        out.recalled(resumption, _details(resumption))


def _newest_of_others(memory: Memoranda) -> str:
    """Return the workspace's newest task from another session.

    Raises:
        NotFound: there is no such task.
    """
    from memoranda.tasks.model import READ_BY_ITSELF

    own = {os.environ.get(name) for name in SESSION_VARIABLES}
    for task in memory.tasks.list(workspace=place(memory, None)):
        if task.observations and task.session not in own and task.host != READ_BY_ITSELF:
            return task.id
    raise NotFound("no earlier task in this workspace; choose one from `memoranda task list`")


def _details(found: Resumption) -> str:
    parts = [f"task {found.task.number}: {found.task.title}"]
    if found.checkpoint:
        checkpoint = found.checkpoint
        parts.append(
            f"checkpoint {checkpoint.sequence} ({checkpoint.phase}) {checkpoint.description}"
        )
    if found.state:
        parts.append(dump_json(dict(found.state), indent=2))
    parts += [f"[{block.label}]\n{block.value}" for block in found.blocks if block.value]
    if found.compaction:
        parts.append(found.compaction.summary)
    parts += [f"decided: {decision.ref}  {decision.summary}" for decision in found.decisions]
    parts += [f"still failing: {error.ref}  {error.summary}" for error in found.errors]
    parts += [f"{observation.ref}  {observation.summary}" for observation in found.newest]
    return "\n\n".join(parts)


@tasks.view(
    "end",
    "task end 3 --outcome failed",
    click.option(
        "--outcome",
        type=click.Choice(("completed", "failed")),
        default="completed",
        help="Outcome of the task.",
    ),
    fresh=True,
)
def _ended(left: TaskEnd) -> str:
    """The approach of the task is archived."""
    archived = f"archived as memory {left.archive}" if left.archive else "nothing to archive"
    ended = f"task {left.task.number} ended as {left.task.status}; {archived}"
    return f"{ended}\n{described_learnings(left.learnings)}"


@task_command.command("effort", epilog="Example: memoranda task effort --by agent --csv")
@click.argument("task", required=False)
@click.option(
    "--by",
    type=click.Choice(("phase", "task", "agent")),
    default="phase",
    help="Value by which the rows are grouped.",
)
@click.option("--csv", "csv", is_flag=True, help="Print CSV.")
@command
def task_effort(out: Output, data_dir: str | None, task: str | None, by: str, csv: bool) -> None:
    from memoranda.cli.checkpoints import as_csv, spent_rows

    with opened(data_dir) as memory:
        spent = memory.tasks.effort(by, task=task)
    names, rows = (by, "checkpoints", "tokens", "dollars", "seconds"), spent_rows(spent)
    if csv:
        out.text(list(spent), as_csv(names, rows))
    else:
        out.rows(list(spent), names, rows)


def described_learnings(found: Extraction) -> str:
    """Describe the result of a search for lessons."""
    lines = [
        f"{proposal.id}  {proposal.status}  {proposal.after.category}  "
        f"{clip(proposal.after.title, TITLE)}"
        for proposal in found.proposals
    ]
    lines += [f"{id}  confirmed again" for id in found.reinforced]
    if found.repeated:
        lines.append(f"{found.repeated} already stored")
    if found.declined:
        lines.append(f"quoted from the record, without a model's text: {found.declined}")
    return "\n".join(lines) or "nothing learned"


GOAL = 240


def _as_portal(option: click.Parameter) -> click.Parameter:
    """Return an option; give the workspace option a second name."""
    if option.name != "workspace":
        return option
    named = copy(option)
    named.opts = [*option.opts, "--portal"]
    return named


@click.group()
def execution_command() -> None:
    """Show executions: tasks as their steps and the lessons learned."""


task_list = task_command.commands["list"]
execution_list = copy(task_list)
execution_list.params = [_as_portal(param) for param in task_list.params]
execution_list.epilog = "Example: memoranda execution list --workspace shop"
execution_command.add_command(execution_list)

executions = OperationCommands(execution_command, "execution")


@executions.view("show", "execution show 3", form="recalled", fresh=True)
def _execution(found: Execution) -> str:
    return "\n".join(_shown(found))


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
    for memory in found.lessons:
        yield f"  {memory.id}  {memory.status}  {memory.category}  {clip(memory.title, TITLE)}"


@executions.view("extract-learnings", "execution extract-learnings 3", fresh=True)
def _extracted(found: Extraction) -> str:
    """A user approves or rejects the lessons."""
    return described_learnings(found)
