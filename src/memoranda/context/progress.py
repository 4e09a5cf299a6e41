"""Lines of a context for the progress of the current and earlier tasks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memoranda.context.items import item_of
from memoranda.observations import content_table as contents, table as observations
from memoranda.observations.model import Observation, Origin
from memoranda.scope import Scope
from memoranda.search.hits import TITLE
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.tasks.model import READ_BY_ITSELF, Task
from memoranda.tasks.work import with_work
from memoranda.text import clip
from memoranda.trust import BY_ORIGIN
from memoranda.utterances import sentence_spans

LATEST = 3
"""Last messages of a task that may be its report."""
SHORTEST = 40
"""Tokens from which on a message is a report, not a passing remark."""
LONGEST = 1_200
"""Maximum characters read of a report."""
PROSE = 250
"""Maximum characters of a report line; a longer one is an essay."""

_LISTED = re.compile(r"^\s*(?:[-*+\u2022]|\d+[.)])\s")
_VALUE = re.compile(r"[\d`/_]|\w\.\w|[a-z][A-Z]")


@dataclass(frozen=True, slots=True)
class TaskReport:
    """Closing message of an agent at the end of a task."""

    observation: Observation
    lines: Sequence[str]
    """Significant lines and sentences in order, without list markers.

    There is at least one.
    """


_STANDS = re.compile(
    r"^\W*(?:(?:still|also) )?(?:open|pending|left|missing|undone|blocked|waiting|remaining|next"
    r"|to ?do|not (?:done|yet)|pendiente|abierto|queda\w*|falta\w*|siguiente|offen|noch offen"
    r"|fehlt|n[äa]chste\w*|reste|ouvert|prochain\w*|suivant|aperto|manca|restano|aberto)\b",
    re.IGNORECASE,
)
"""Openings of sentences about open or next steps."""


def reports(tx: Transaction, team: str, tasks: Sequence[Task]) -> Iterator[TaskReport]:
    """Yield the closing report of each task that has one, in task order.

    Of the last `LATEST` messages that no call followed it is the newest that has `SHORTEST` tokens
    or more and a significant line, or else the newest that has one.
    """
    last = {t.id: observations.closing_messages(tx, t.team, t.id, LATEST) for t in tasks}
    ids = [one.id for found in last.values() for one in found]
    texts = contents.texts(tx, team, ids)
    for found in last.values():
        long_first = sorted(found, key=lambda one: one.tokens < SHORTEST)
        read = (
            TaskReport(one, list(_lines(texts.get(one.id, "")[:LONGEST]))) for one in long_first
        )
        report = next((one for one in read if one.lines), None)
        if report:
            yield report


def _lines(text: str) -> Iterator[str]:
    """Yield list items and sentences with a value.

    An essay on what could be done is not included.
    """
    for line in text.split("\n"):
        listed = _LISTED.match(line) is not None
        for start, end in sentence_spans(line):
            part = line[start:end]
            telling = listed or _VALUE.search(part) or _STANDS.search(part)
            if telling and len(part) <= PROSE and (cleaned := _line(part)):
                yield cleaned


def _line(text: str) -> str:
    """Return a line as a sentence, without list, heading, fence or bold marks."""
    line = _LISTED.sub("", text.strip(" \t#>"), count=1)
    line = " ".join(line.replace("**", "").strip(" \t*").removeprefix("```").split())
    return line + "." if line[-1:].isalnum() else line


EARLIER_TASKS = 5
REPORTS = 3
"""Newest tasks whose reports are read."""
GOAL = 240
"""Characters of the current task's goal."""
_CURRENT = "Current task"


def progress(
    tx: Transaction, scope: Scope, task: Task | None, *, brief: bool
) -> tuple[ContextItem, ...]:
    """Return the current task's goal and state, then earlier and other tasks.

    With ``brief``, for a context that shows people's sentences in sections of their own, a task is
    described by its closing report, and only without one, or while it goes on, by its goal.
    A task without a name or a goal, such as one whose goal was erased, has no line of its own.
    """
    if task is None:
        return ()
    items = [*_task_items([task], lambda _: _CURRENT, TITLE if brief else GOAL)]
    work: list[Task] = []
    if not scope.task:
        earlier = with_work(tx, scope.team, scope.workspace, EARLIER_TASKS + 1)
        work = [one for one in earlier if one.id != task.id and one.host != READ_BY_ITSELF]
    if brief:
        found = list(reports(tx, task.team, [task, *work][:REPORTS]))
        reported = {report.observation.task for report in found}
        if task.id in reported and task.ended_at is not None:
            items = []
        items += _reported(found)
        work = _unreported(task, [one for one in work if one.id not in reported])
    else:
        last = observations.last_messages(tx, task.team, task.id)
        items += [item_of(one, f"Last said: {_body(one.summary)}") for one in last]
    items += _task_items(work, lambda one: _beside(one, task), TITLE)
    return tuple(items)


def _unreported(task: Task, work: Sequence[Task]) -> list[Task]:
    """Return the tasks beside the current one and the newest before it."""
    other = [one for one in work if one.last_event_at > task.last_event_at]
    return [*other, *[one for one in work if one not in other][:1]]


def _reported(found: Iterable[TaskReport]) -> Iterator[ContextItem]:
    """Yield the lines of each report in order, with a gap between reports.

    The gap is in their positions.
    """
    place = 0
    for report in found:
        for line in report.lines:
            place += 1
            yield replace(item_of(report.observation, line), place=place)
        place += 1


def _beside(other: Task, task: Task) -> str:
    """Label a task by its last activity; a concurrent one is not an earlier."""
    return "Earlier task" if other.last_event_at <= task.last_event_at else "Other task"


def _task_items(
    tasks: Iterable[Task], label: Callable[[Task], str], room: int
) -> Iterator[ContextItem]:
    return (_task_item(one, label(one), room) for one in tasks if one.stated_title)


def _task_item(task: Task, label: str, room: int) -> ContextItem:
    steps = "observation" if task.observations == 1 else "observations"
    done = f"{task.status}, {task.observations} {steps}"
    text = f"{label} ({done}): {clip(task.title, room)}"
    ref, origin = f"task {task.number}", Origin.HUMAN
    return ContextItem(task.id, ref, text, origin, task.last_event_at, trust=BY_ORIGIN[origin])


def _body(summary: str) -> str:
    """Return a message's text: its summary, without a title that was cut from it."""
    first, _, rest = summary.partition("\n")
    return rest if rest and first.endswith("\u2026") else " ".join(filter(None, (first, rest)))
