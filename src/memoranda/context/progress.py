"""Context lines for the progress of the current and earlier tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from memoranda.context.candidates import EARLIER_TASKS
from memoranda.context.final_reports import TaskReport, reports, untouched
from memoranda.context.record_lines import item_of
from memoranda.context.user_sentences import Remark
from memoranda.observations import table as observations
from memoranda.observations.model import TITLE, Origin
from memoranda.scope import Scope
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.tasks.model import READ_BY_ITSELF, Task
from memoranda.tasks.tasks_with_work import with_work
from memoranda.text import clip
from memoranda.trust import BY_ORIGIN

REPORTS = 3
"""Number of newest tasks whose reports are read."""
GOAL = 240
"""Maximum number of characters of the current task's goal."""
_CURRENT = "Current task"


def progress(
    tx: Transaction, scope: Scope, task: Task | None, remarks: Sequence[Remark], *, brief: bool
) -> tuple[ContextItem, ...]:
    """Return the current task's goal and state, then earlier and other tasks.

    With ``brief``, for a context with people's sentences in sections of their own, an ended task is
    described by its closing report; its goal is used for a running task or one without a report. A
    task without a name and goal has no line.
    """
    if task is None:
        return ()
    items = [*_task_items([task], lambda _: _CURRENT, TITLE if brief else GOAL)]
    work: list[Task] = []
    if not scope.task:
        earlier = with_work(tx, scope.team, scope.workspace, EARLIER_TASKS + 1)
        work = [item for item in earlier if item.id != task.id and item.host != READ_BY_ITSELF]
    if brief:
        task_reports = list(reports(tx, task.team, [task, *work][:REPORTS]))
        reported = {report.observation.task for report in task_reports}
        if task.id in reported and task.ended_at is not None:
            items = []
        items += _reported(untouched(task_reports, remarks))
        work = _unreported(task, [one for one in work if one.id not in reported])
    else:
        last = observations.last_messages(tx, task.team, task.id)
        items += [
            item_of(observation, f"Last said: {_body(observation.summary)}") for observation in last
        ]
    items += _task_items(work, lambda one: _other_task_label(one, task), TITLE)
    return tuple(items)


def _unreported(task: Task, work: Sequence[Task]) -> list[Task]:
    """Return the tasks newer than the current one, and the newest older one."""
    other = [item for item in work if item.last_event_at > task.last_event_at]
    return [*other, *[one for one in work if one not in other][:1]]


def _reported(found: Iterable[TaskReport]) -> Iterator[ContextItem]:
    """Yield the lines of each report in order.

    The positions of the lines have a gap between reports.
    """
    place = 0
    for report in found:
        for line in report.lines:
            place += 1
            yield replace(item_of(report.observation, line), place=place)
        place += 1


def _other_task_label(other: Task, task: Task) -> str:
    """Return the label of another task, by its last activity."""
    return "Earlier task" if other.last_event_at <= task.last_event_at else "Other task"


def _task_items(
    tasks: Iterable[Task], label: Callable[[Task], str], room: int
) -> Iterator[ContextItem]:
    return (_task_item(task, label(task), room) for task in tasks if task.stated_title)


def _task_item(task: Task, label: str, room: int) -> ContextItem:
    steps = "observation" if task.observations == 1 else "observations"
    done = f"{task.status}, {task.observations} {steps}"
    text = f"{label} ({done}): {clip(task.title, room)}"
    ref, origin = f"task {task.number}", Origin.HUMAN
    return ContextItem(task.id, ref, text, origin, task.last_event_at, trust=BY_ORIGIN[origin])


def _body(summary: str) -> str:
    """Return the text of a message's summary, without a title cut from it."""
    first, _, rest = summary.partition("\n")
    return rest if rest and first.endswith("\u2026") else " ".join(filter(None, (first, rest)))
