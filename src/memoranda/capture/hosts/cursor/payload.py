"""Conversion of Cursor hook payloads, with an event per kind of tool.

Conversations are used as sessions. Cursor reports a shell call to ``afterShellExecution`` and again
to ``postToolUse``, without a common id: a hooks file should name only one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memoranda.capture.event import Event, EventSource
from memoranda.capture.hosts.call_outcomes import (
    DENIED,
    INTERRUPTED,
    CallOutcome,
    HostCall,
    outcome_of,
)
from memoranda.capture.hosts.event_constructors import (
    answered,
    compacting,
    failed_outside_tool,
    prompted,
    session_ended,
    session_started,
    tool_ran,
)
from memoranda.capture.hosts.event_fields import Frame
from memoranda.capture.hosts.json_fields import Payload, count, decoded, string
from memoranda.json_data import JsonValue

HOST = "cursor"


def event(payload: Payload, at: int) -> Event | None:
    """Convert a Cursor hook payload to an event; None if irrelevant.

    ``at`` is the hook's clock in microseconds since the epoch.
    """
    build = _BUILDERS.get(string(payload, "hook_event_name") or "")
    session = string(payload, "conversation_id", "session_id")
    if build is None or session is None:
        return None
    frame = Frame(
        host=HOST, session=session, source=EventSource.HOOK, occurred_at=at, cwd=_cwd(payload)
    )
    return build(payload, frame)


def _cwd(payload: Payload) -> str | None:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return string(payload, "cwd") or (first if isinstance(first, str) and first else None)


def _start(payload: Payload, frame: Frame) -> Event | None:
    return session_started(frame, string(payload, "source"))


def _end(payload: Payload, frame: Frame) -> Event | None:
    return session_ended(frame, string(payload, "reason"))


def _prompt(payload: Payload, frame: Frame) -> Event | None:
    # A generation is the work on one prompt, so its id identifies the prompt.
    return prompted(frame, string(payload, "prompt"), string(payload, "generation_id"))


def _response(payload: Payload, frame: Frame) -> Event | None:
    return answered(frame, string(payload, "text"))


def _thought(payload: Payload, frame: Frame) -> Event | None:
    return answered(frame, string(payload, "text"), "thinking")


def _shell(payload: Payload, frame: Frame) -> Event | None:
    outcome = outcome_of(payload.get("output"), duration_ms=count(payload.get("duration")))
    return _ran(payload, frame, HostCall("Shell", {"command": payload.get("command")}), outcome)


def _mcp(payload: Payload, frame: Frame) -> Event | None:
    output = decoded(payload.get("result_json"))
    outcome = outcome_of(output, duration_ms=count(payload.get("duration")))
    return _ran(payload, frame, _named_call(payload), outcome)


def _edit(payload: Payload, frame: Frame) -> Event | None:
    arguments: JsonValue = {name: payload.get(name) for name in ("file_path", "edits")}
    return _ran(payload, frame, HostCall("Edit", arguments), CallOutcome())


def _tool(payload: Payload, frame: Frame) -> Event | None:
    output = decoded(payload.get("tool_output"))
    outcome = outcome_of(output, duration_ms=count(payload.get("duration")))
    return _ran(payload, frame, _named_call(payload), outcome)


def _tool_failed(payload: Payload, frame: Frame) -> Event | None:
    tags = (INTERRUPTED,) if payload.get("is_interrupt") is True else ()
    if payload.get("failure_type") == "permission_denied":
        tags = (*tags, DENIED)
    outcome = CallOutcome(
        output=payload.get("error_message"),
        failed=True,
        tags=tags,
        duration_ms=count(payload.get("duration")),
    )
    return _ran(payload, frame, _named_call(payload), outcome)


def _named_call(payload: Payload) -> HostCall:
    return HostCall(string(payload, "tool_name"), decoded(payload.get("tool_input")))


def _ran(payload: Payload, frame: Frame, call: HostCall, outcome: CallOutcome) -> Event:
    return tool_ran(frame, string(payload, "tool_use_id"), call, outcome)


def _stop(payload: Payload, frame: Frame) -> Event | None:
    if payload.get("status") != "error":
        return None
    return failed_outside_tool(frame, string(payload, "error_message") or "stopped on an error")


def _compact(payload: Payload, frame: Frame) -> Event | None:
    return compacting(frame, string(payload, "trigger"))


_BUILDERS: Mapping[str, Callable[[Payload, Frame], Event | None]] = {
    "sessionStart": _start,
    "beforeSubmitPrompt": _prompt,
    "afterShellExecution": _shell,
    "afterMCPExecution": _mcp,
    "afterFileEdit": _edit,
    "postToolUse": _tool,
    "postToolUseFailure": _tool_failed,
    "afterAgentResponse": _response,
    "afterAgentThought": _thought,
    "preCompact": _compact,
    "stop": _stop,
    "sessionEnd": _end,
}
