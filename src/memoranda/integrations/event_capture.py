"""Passes events of third-party agents to a memory, local or on a server."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from memoranda.capture.event import Event, EventKind
from memoranda.exceptions import Conflict, Forbidden, InvalidInput
from memoranda.memory import Memoranda
from memoranda.observations.content import output_text
from memoranda.observations.model import ObservationType, Origin


def place_of(memory: Memoranda, workspace: str | None) -> str | None:
    """Return the workspace of events.

    It is the named workspace, or else the one that the memory was opened with; None if each event's
    folder determines the workspace.

    Raises:
        InvalidInput: the memory is on a server, which cannot read folders, and no workspace is
            named.
    """
    if place := workspace or memory.workspace:
        return place
    try:
        _ = memory.settings
    except Forbidden:
        message = "a server cannot use an agent's folder; specify a workspace: workspace='shop'"
        raise InvalidInput(message) from None
    return None


def capture(memory: Memoranda, events: Sequence[Event], *, workspace: str | None) -> None:
    """Store events in order; skip events that are already stored.

    A server receives the events one by one as observations, in which the author precedes the text.
    Events with neither text nor a tool are not sent to a server.
    """
    try:
        memory.capture.take(events, workspace=workspace)
    except Forbidden:
        for event in events:
            _observe(memory, event, workspace)


def _observe(memory: Memoranda, event: Event, workspace: str | None) -> None:
    task = named_task(memory, event.session, workspace)
    observe = partial(
        memory.observe, task=task, workspace=workspace, key=event.key, failed=event.failed
    )
    if event.tool:
        observe(output_text(event.output), tool=event.tool, input=event.input)
    elif event.text:
        author = "user" if event.origin is Origin.HUMAN else event.agent
        broke = event.kind is EventKind.ERROR
        kind = event.type or (ObservationType.ERROR if broke else ObservationType.MESSAGE)
        observe(f"{author}: {event.text}", type=kind)


def named_task(memory: Memoranda, session: str, workspace: str | None) -> str:
    """Return the task reference for a framework's session.

    If the session name looks like a task number, it becomes the name of a task, which is created if
    needed.
    """
    if session.isdecimal():
        with suppress(Conflict):
            return memory.tasks.create(session, workspace=workspace).id
    return session
