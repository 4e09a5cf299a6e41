"""Delivery of stored events and task changes to registered handlers.

Each event is delivered once, after its transaction is committed, by the process that stored it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memoranda.capture.event import SILENT, Event, EventKind, EventSource, makes_checkpoint
from memoranda.capture.event_subscriptions import Handlers
from memoranda.clock import Clock
from memoranda.observations.model import ObservationType, Origin
from memoranda.store.database import Database
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task

if TYPE_CHECKING:
    from memoranda.capture.event_preparation import PreparedEvent


class Announcements:
    """Sends stored and generated events to handlers."""

    def __init__(
        self, database: Database, handlers: Callable[[], Handlers], clock: Clock, team: str
    ) -> None:
        self._database = database
        self._handlers = handlers
        self._clock = clock
        self._team = team

    def stored(self, events: Sequence[Event]) -> None:
        """Send stored events to the handlers."""
        for event in events:
            self._handlers().emit(event)

    def of_task(
        self, kind: EventKind, task: str | None, *, key: str, text: str = "", agent: str = ""
    ) -> None:
        """Send a generated event about a task, if its kind may have a handler."""
        if not self._handlers().hears(kind):
            return
        found = self._database.read(lambda tx: tasks.by_id(tx, self._team, task)) if task else None
        event = Event(
            kind=kind,
            host=found.host if found else "memoranda",
            session=found.session if found else "",
            source=EventSource.API,
            key=key,
            origin=Origin.GENERATED,
            occurred_at=self._clock.now(),
            agent=agent or "main",
            text=text,
            failed=kind is EventKind.ERROR,
        )
        self._handlers().emit(event)


def announced_events(
    before: Task,
    after: Task,
    fresh: Sequence[PreparedEvent],
    repeated: Sequence[PreparedEvent],
    *,
    new: bool,
) -> list[Event]:
    """Return the events to send to handlers after storing a task's events.

    Checkpoint requests are omitted: a checkpoint is announced once it has been created. A start or
    end of the task is included only if it changed the task, so a repeated report is not announced
    again.

    Args:
        fresh: the newly stored events, and those that only change the task.
        repeated: events that were stored before; an agent that they name was announced before.
        new: whether the task was created for these events.
    """
    stored = [prepared_event for prepared_event in fresh if prepared_event.event.kind not in SILENT]
    events = [_announced(one) for one in stored if not makes_checkpoint(one.event)]
    silent = {one.event.kind: one.event for one in fresh if one.event.kind in SILENT}
    agents = {
        event.event_key: event.event for event in fresh if event.event.kind is EventKind.AGENT_START
    }
    if new:
        events.insert(0, silent.get(EventKind.TASK_START) or _start(after))
    if not stored:
        known = {event.event.agent for event in repeated}
        agents = {key: event for key, event in agents.items() if event.agent not in known}
    if stored or all(item.source is not EventSource.TRANSCRIPT for item in agents.values()):
        events[new:new] = agents.values()
    end = silent.get(EventKind.TASK_END)
    if end and after.ended_at is not None and (before.ended_at is None or stored):
        events.append(end)
    return events


def _announced(one: PreparedEvent) -> Event:
    """Return an event with its kind and failure as stored in the observation."""
    event, failed = one.event, one.type is ObservationType.ERROR
    if failed and event.kind is EventKind.MESSAGE:
        event = replace(event, kind=EventKind.ERROR)
    return replace(event, failed=event.failed or failed)


def _start(task: Task) -> Event:
    return Event(
        kind=EventKind.TASK_START,
        host=task.host,
        session=task.session,
        source=EventSource.API,
        key=task.id,
        origin=Origin.GENERATED,
        occurred_at=task.started_at,
        text=task.goal,
    )
