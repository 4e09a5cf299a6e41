"""Generic events: the documented format, one JSON object per event.

The same object serves as a hook's standard input and as a line of a file to import; the fields are
those of an event. docs/generic-events.md describes it for users.
"""

from __future__ import annotations

from memoranda.capture.event import ANNOUNCED, Checkout, Event, EventKind, EventSource
from memoranda.capture.hosts.call_outcomes import CallOutcome, HostCall, outcome_of
from memoranda.capture.hosts.event_fields import MAIN_AGENT, Frame
from memoranda.capture.hosts.event_keys import message_key, prompt_key, tool_key
from memoranda.capture.hosts.json_fields import Payload, count, fingerprint, moment, string
from memoranda.json_data import JsonValue, dump_json
from memoranda.observations.model import Origin
from memoranda.workspaces.repositories import normalised_remote

HOST = "generic"

KINDS = frozenset(EventKind) - ANNOUNCED - {EventKind.TOOL_CALL}
"""Kinds of events that a record can have.

Calls are not included, because a result also contains the input.
"""

_WORDLESS = frozenset(
    {EventKind.TASK_START, EventKind.TASK_END, EventKind.AGENT_START, EventKind.AGENT_END}
    | {EventKind.CHECKPOINT}
)
_ORIGINS = {EventKind.MESSAGE: Origin.AGENT, EventKind.AGENT_END: Origin.AGENT}
_BRANCHES = ("main", "rewound", "sidechain")


def event(payload: Payload, at: int) -> Event | None:
    """Convert a generic record to an event.

    None if the record's kind is unknown or the record has no session. ``at`` is the hook's clock in
    microseconds since the epoch; the record's own time takes precedence.
    """
    session = string(payload, "session")
    if session is None:
        return None
    occurred_at = moment(payload.get("occurred_at"))
    frame = record_frame(
        payload, session, EventSource.HOOK, at if occurred_at is None else occurred_at
    )
    mark = fingerprint(dump_json(dict(payload)))
    return record_event(payload, frame, message_key("record", mark, frame.occurred_at))


def record_frame(
    record: Payload, session: str, source: EventSource, occurred_at: int | None
) -> Frame:
    """Parse the common event fields of a record."""
    branch = string(record, "branch")
    return Frame(
        host=string(record, "host") or HOST,
        session=session,
        source=source,
        occurred_at=occurred_at,
        agent=string(record, "agent") or MAIN_AGENT,
        cwd=string(record, "cwd"),
        checkout=Checkout(remote=normalised_remote(string(record, "repository"))),
        branch=branch if branch in _BRANCHES else "main",
    )


def record_event(record: Payload, frame: Frame, fallback_key: str) -> Event | None:
    """Create the event of a record; ``fallback_key`` is used if it has no id."""
    kind = record_kind(record)
    if kind is None:
        return None
    record_id = string(record, "id")
    tokens = count(record.get("tokens_used"))
    if kind is EventKind.TOOL_RESULT:
        key = tool_key(record_id) if record_id else fallback_key
        call = HostCall(string(record, "tool"), record.get("input"))
        return frame.result(key, call, _outcome(record), tokens_used=tokens)
    text = string(record, "text") or ""
    if not text and kind not in _WORDLESS:
        return None
    origin = _origin(record, kind)
    key = _key(kind, origin, record_id) if record_id else fallback_key
    return frame.event(kind, key, origin, text=text, tags=_tags(record), tokens_used=tokens)


def record_kind(record: Payload) -> EventKind | None:
    """Parse the kind of a record; None if unknown."""
    kind = record.get("kind")
    return EventKind(kind) if isinstance(kind, str) and kind in KINDS else None


def _key(kind: EventKind, origin: Origin, record_id: str) -> str:
    if kind is EventKind.MESSAGE and origin is Origin.HUMAN:
        return prompt_key(record_id)
    return f"{kind.value}:{record_id}"


def _outcome(record: Payload) -> CallOutcome:
    outcome = outcome_of(record.get("output"), failed=record.get("failed") is True)
    return CallOutcome(
        output=outcome.output,
        failed=outcome.failed,
        tags=tuple(dict.fromkeys((*_tags(record), *outcome.tags))),
        duration_ms=count(record.get("duration_ms")),
    )


def _origin(record: Payload, kind: EventKind) -> Origin:
    # A message is attributed to a person only if the record states it.
    named: JsonValue = record.get("origin")
    if isinstance(named, str) and named in frozenset(Origin):
        return Origin(named)
    return _ORIGINS.get(kind, Origin.GENERATED)


def _tags(record: Payload) -> tuple[str, ...]:
    tags = record.get("tags")
    return (
        tuple(tag for tag in tags if isinstance(tag, str) and tag) if isinstance(tags, list) else ()
    )
