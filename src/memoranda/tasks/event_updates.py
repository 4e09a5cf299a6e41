"""Updates a task from its events: goal, times and status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memoranda.capture.event import REWOUND, SILENT, Event, EventKind, EventSource
from memoranda.capture.event_preparation import PreparedEvent
from memoranda.clock import MICROSECONDS
from memoranda.exceptions import CorruptData
from memoranda.observations import content as contents
from memoranda.observations.model import ObservationType, Origin
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus
from memoranda.text import clip, one_line

QUIET = 3_600 * MICROSECONDS
"""Time without events after which a session counts as completed.

It applies to sessions that are known only from their transcript.
"""

SAME = 40
"""Number of leading characters that are compared between a goal and the message it comes from."""


def begins_task(prepared: Sequence[PreparedEvent], known: set[str]) -> bool:
    """Return whether events start a new task.

    A session that was merely opened and closed does not start a task, nor does a session that was
    completely forgotten.
    """
    new = any(event.event.kind not in SILENT and known.isdisjoint(event.keys) for event in prepared)
    return new or (not known and any(goal(prepared_event.event) for prepared_event in prepared))


def advanced_task(task: Task, prepared: Sequence[PreparedEvent], now: int) -> Task:
    """Return the task after some events, with goal, times and status updated.

    A transcript describes the past, so it never reactivates a task whose end was reported. A task
    that only counts as completed is continued by new events, and `is_over` checks it again. A time
    after ``now`` is treated as ``now``, so that the task does not remain the newest.
    """
    started, last, aim = task.started_at, task.last_event_at, task.goal
    status, ended = task.status, task.ended_at
    for event in (prepared_event.event for prepared_event in prepared):
        at = min(event.occurred_at or last, now)
        if event.recorded and status is not TaskStatus.ACTIVE:
            continue
        started, last = min(started, at), max(last, at)
        aim = aim or goal(event)
        if event.kind is EventKind.TASK_END:
            failed = status is TaskStatus.FAILED  # only callers state a failure; hosts do not
            status, ended = status if failed else TaskStatus.COMPLETED, at
        elif event.kind in SILENT:
            continue
        elif event.source is EventSource.TRANSCRIPT and ended is not None:
            ended = max(ended, at)
        else:
            status, ended = TaskStatus.ACTIVE, None
    return replace(
        task, started_at=started, last_event_at=last, goal=aim, status=status, ended_at=ended
    )


def is_over(task: Task, prepared: Sequence[PreparedEvent], now: int) -> bool:
    """Return whether a transcript's task has been inactive for a long time.

    This is needed because transcripts have no end marker.
    """
    is_read = any(event.event.source is EventSource.TRANSCRIPT for event in prepared)
    return is_read and task.status is TaskStatus.ACTIVE and now - task.last_event_at > QUIET


def goal(event: Event) -> str:
    """Return the goal of a task that an event states; empty if there is none."""
    spoken = event.kind is EventKind.MESSAGE and event.origin is Origin.HUMAN
    spoken = spoken and event.type in (None, ObservationType.MESSAGE)  # a note is not a request
    spoken = spoken and event.branch != REWOUND and not event.recorded
    return _goal(event.text) if spoken or event.kind is EventKind.TASK_START else ""


def with_goal_of(tx: Transaction, team: str, ids: Sequence[str]) -> set[str]:
    """Return the tasks whose goals start like one of the given messages.

    Goals that a person set manually are left out.
    """
    found = tasks.goals(tx, team, ids)
    try:
        texts = contents.texts(tx, team, [id for _, _, id, _ in found])
    except CorruptData:  # a damaged message can be removed, too
        texts = {}
    return {
        task
        for task, aim, id, summary in found
        if any(_goal(text)[:SAME] == aim[:SAME] for text in (texts.get(id, ""), summary))
    }


def _goal(text: str) -> str:
    return clip(one_line(text), 500)
