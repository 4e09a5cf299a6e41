"""Conversion of Gemini CLI hook payloads.

The payloads have their own event names and a time, but no ids of calls or prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memoranda.capture.event import Event, EventSource
from memoranda.capture.hosts.call_outcomes import HostCall
from memoranda.capture.hosts.event_constructors import (
    answered,
    compacting,
    prompted,
    session_ended,
    session_started,
    tool_ran,
)
from memoranda.capture.hosts.event_fields import Frame
from memoranda.capture.hosts.gemini.tool_output import read_tool_response
from memoranda.capture.hosts.json_fields import Payload, moment, string

HOST = "gemini-cli"


def event(payload: Payload, at: int) -> Event | None:
    """Convert a Gemini CLI hook payload to an event; None if irrelevant.

    ``at`` is the hook's clock in microseconds since the epoch; the payload's own time takes
    precedence, so that two installations of the hook report the same moment.
    """
    build = _BUILDERS.get(string(payload, "hook_event_name") or "")
    session = string(payload, "session_id")
    if build is None or session is None:
        return None
    frame = Frame(
        host=HOST,
        session=session,
        source=EventSource.HOOK,
        occurred_at=moment(payload.get("timestamp")) or at,
        cwd=string(payload, "cwd"),
    )
    return build(payload, frame)


def _start(payload: Payload, frame: Frame) -> Event | None:
    return session_started(frame, string(payload, "source", "trigger"))


def _end(payload: Payload, frame: Frame) -> Event | None:
    return session_ended(frame, string(payload, "reason", "trigger"))


def _prompt(payload: Payload, frame: Frame) -> Event | None:
    return prompted(frame, string(payload, "prompt"))


def _answer(payload: Payload, frame: Frame) -> Event | None:
    return answered(frame, string(payload, "prompt_response"))


def _tool(payload: Payload, frame: Frame) -> Event | None:
    call = HostCall(string(payload, "tool_name"), payload.get("tool_input"))
    return tool_ran(frame, None, call, read_tool_response(call.tool, payload.get("tool_response")))


def _compress(payload: Payload, frame: Frame) -> Event | None:
    # "auto" is reported before every request to the model, even if nothing is compressed.
    trigger = string(payload, "trigger")
    return None if trigger == "auto" else compacting(frame, trigger)


_BUILDERS: Mapping[str, Callable[[Payload, Frame], Event | None]] = {
    "SessionStart": _start,
    "BeforeAgent": _prompt,
    "AfterAgent": _answer,
    "AfterTool": _tool,
    "PreCompress": _compress,
    "SessionEnd": _end,
}
