"""Constructors for the events that hooks of every host report."""

from __future__ import annotations

from memoranda.capture.event import Event, EventKind
from memoranda.capture.hosts.call_outcomes import CallOutcome, HostCall
from memoranda.capture.hosts.event_fields import Frame
from memoranda.capture.hosts.event_keys import (
    message_key,
    moment_key,
    prompt_key,
    tool_key,
    unnumbered_tool_key,
)
from memoranda.observations.model import Origin


def session_started(frame: Frame, source: str | None) -> Event:
    """Return the event of a started session.

    ``source`` states how the session started (startup, resume, compact …) and becomes a tag.
    """
    key = moment_key("start", source, frame.occurred_at)
    tags = (source,) if source else ()
    return frame.event(EventKind.TASK_START, key, Origin.GENERATED, tags=tags)


def session_ended(frame: Frame, reason: str | None) -> Event:
    """Return the event of an ended session, with the host's reason."""
    key = moment_key("end", reason, frame.occurred_at)
    return frame.event(EventKind.TASK_END, key, Origin.GENERATED, text=reason or "")


def prompted(frame: Frame, text: str | None, prompt_id: str | None = None) -> Event | None:
    """Return the event of a prompt; None if there is no text.

    The text of the event includes the host's additions, which `adapt` separates.
    """
    if not text:
        return None
    key = prompt_key(prompt_id) if prompt_id else message_key("user", text, frame.occurred_at)
    portable = bool(prompt_id)
    return frame.event(EventKind.MESSAGE, key, Origin.HUMAN, text=text, portable=portable)


def answered(frame: Frame, text: str | None, *tags: str) -> Event | None:
    """Return the event of an agent's message; None if it has no text."""
    if not text:
        return None
    key = message_key("assistant", text, frame.occurred_at)
    return frame.event(EventKind.MESSAGE, key, Origin.AGENT, text=text, tags=tags)


def compacting(frame: Frame, trigger: str | None) -> Event:
    """Return the event of a compaction that is about to start."""
    key = moment_key("compact", trigger, frame.occurred_at)
    return frame.event(EventKind.CHECKPOINT, key, Origin.GENERATED, tags=("compact",))


def compacted(frame: Frame, summary: str | None) -> Event | None:
    """Return the event of a compaction with its summary; None if there is no text."""
    if not summary:
        return None
    key = message_key("compaction", summary, frame.occurred_at)
    return frame.event(EventKind.MESSAGE, key, Origin.GENERATED, text=summary, tags=("compaction",))


def failed_outside_tool(frame: Frame, text: str) -> Event:
    """Return the event of a failure outside a tool."""
    key = message_key("error", text, frame.occurred_at)
    return frame.event(EventKind.ERROR, key, Origin.GENERATED, text=text)


def tool_ran(frame: Frame, call_id: str | None, call: HostCall, outcome: CallOutcome) -> Event:
    """Return the event of a tool that has run, or was refused or interrupted."""
    if call_id:
        return frame.result(tool_key(call_id), call, outcome, portable=True)
    content = [call.tool, call.arguments, outcome.output]
    return frame.result(unnumbered_tool_key(content, frame.occurred_at), call, outcome)
