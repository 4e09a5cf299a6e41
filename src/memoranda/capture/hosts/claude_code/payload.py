"""Conversion of Claude Code hook payloads, which Codex uses with changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.call_outcomes import (
    DENIED,
    INTERRUPTED,
    CallOutcome,
    HostCall,
    outcome_of,
)
from memoranda.capture.hosts.claude_code.refusals import refusal_tags
from memoranda.capture.hosts.event_constructors import (
    answered,
    compacted,
    compacting,
    failed_outside_tool,
    prompted,
    session_ended,
    session_started,
    tool_ran,
)
from memoranda.capture.hosts.event_fields import MAIN_AGENT, Frame, agent_name
from memoranda.capture.hosts.event_keys import moment_key
from memoranda.capture.hosts.json_fields import Payload, count, fingerprint, string
from memoranda.json_data import JsonValue
from memoranda.observations.model import Origin

HOST = "claude-code"


@dataclass(frozen=True, slots=True)
class PayloadDialect:
    """Differences between hosts that share the snake_case payloads."""

    host: str
    judge: Callable[[JsonValue], CallOutcome]
    """Function that returns the outcome from a tool's response."""


CLAUDE_CODE = PayloadDialect(HOST, outcome_of)


def event(payload: Payload, at: int) -> Event | None:
    """Convert a Claude Code hook payload to an event; None if not relevant.

    ``at`` is the hook's clock in microseconds since the epoch.
    """
    return snake_case_event(payload, at, CLAUDE_CODE)


def snake_case_event(payload: Payload, at: int, dialect: PayloadDialect) -> Event | None:
    """Convert a payload with Claude Code's field names to a host's event."""
    name = string(payload, "hook_event_name")
    session = string(payload, "session_id") or _transcript_stem(payload)
    build = _BUILDERS.get(name or "")
    if build is None or session is None:
        return None
    frame = Frame(
        host=dialect.host,
        session=session,
        source=EventSource.HOOK,
        occurred_at=at,
        agent=_agent(payload, about_subagent=build in (_subagent_start, _subagent_stop)),
        cwd=string(payload, "cwd"),
    )
    return build(payload, frame, dialect)


def _transcript_stem(payload: Payload) -> str | None:
    path = string(payload, "transcript_path")
    return PurePath(path).stem or None if path else None


def _agent(payload: Payload, *, about_subagent: bool) -> str:
    # agent_type alone also marks a main session started as that agent; agent_id never does.
    agent_id = string(payload, "agent_id")
    if agent_id is None and not about_subagent:
        return MAIN_AGENT
    return agent_name(string(payload, "agent_type"), agent_id)


def _session_start(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    return session_started(frame, string(payload, "source"))


def _session_end(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    return session_ended(frame, string(payload, "reason"))


def _prompt(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    return prompted(frame, string(payload, "prompt"), string(payload, "prompt_id"))


def _tool_used(payload: Payload, frame: Frame, dialect: PayloadDialect) -> Event | None:
    return _tool(payload, frame, dialect.judge(payload.get("tool_response")))


def _tool_failed(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    tags: tuple[str, ...] = (INTERRUPTED,) if payload.get("is_interrupt") is True else ()
    error = payload.get("error")
    if isinstance(error, str) and not tags:
        tags = refusal_tags(error)
    return _tool(payload, frame, CallOutcome(output=error, failed=True, tags=tags))


def _tool_denied(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    reason = payload.get("reason")
    return _tool(payload, frame, CallOutcome(output=reason, failed=True, tags=(DENIED,)))


def _tool(payload: Payload, frame: Frame, outcome: CallOutcome) -> Event:
    call = HostCall(string(payload, "tool_name"), payload.get("tool_input"))
    duration = count(payload.get("duration_ms"))
    if duration is not None:
        outcome = replace(outcome, duration_ms=duration)
    return tool_ran(frame, string(payload, "tool_use_id"), call, outcome)


def _subagent_start(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    agent_id = string(payload, "agent_id")
    key = moment_key("agent-start", agent_id, None if agent_id else frame.occurred_at)
    return frame.event(EventKind.AGENT_START, key, Origin.GENERATED)


def _subagent_stop(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    if payload.get("agent_type") == "":  # an internal agent, such as the one that compacts
        return None
    text = string(payload, "last_assistant_message") or ""
    agent_id = string(payload, "agent_id")
    detail = f"{agent_id or ''}:{fingerprint(text)}"
    key = moment_key("agent-end", detail, None if agent_id else frame.occurred_at)
    return frame.event(EventKind.AGENT_END, key, Origin.AGENT, text=text)


def _stop(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    return answered(frame, string(payload, "last_assistant_message"))


def _stop_failure(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    # The API's error message takes the place of the answer.
    message = string(payload, "last_assistant_message") or string(payload, "error_details")
    return failed_outside_tool(frame, api_error(string(payload, "error"), message))


def api_error(kind: str | None, message: str | None) -> str:
    """Return the text of an API error; the same for hooks and transcripts."""
    parts = (None if message and kind == "unknown" else kind, message)
    return ": ".join(filter(None, parts)) or "stopped on an error"


def _pre_compact(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    return compacting(frame, string(payload, "trigger"))


def _post_compact(payload: Payload, frame: Frame, _: PayloadDialect) -> Event | None:
    return compacted(frame, string(payload, "compact_summary"))


_BUILDERS: Mapping[str, Callable[[Payload, Frame, PayloadDialect], Event | None]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _prompt,
    "PostToolUse": _tool_used,
    "PostToolUseFailure": _tool_failed,
    "PermissionDenied": _tool_denied,
    "SubagentStart": _subagent_start,
    "SubagentStop": _subagent_stop,
    "Stop": _stop,
    "StopFailure": _stop_failure,
    "PreCompact": _pre_compact,
    "PostCompact": _post_compact,
    "SessionEnd": _session_end,
}

MOMENTS = tuple(_BUILDERS)
"""Names of the hook events that are captured."""
