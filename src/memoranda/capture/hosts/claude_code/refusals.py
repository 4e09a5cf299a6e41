"""Refused tool calls, and the reasons that people typed while refusing.

The host writes both the refusal and the reason into the result of the call. The reason becomes a
separate message by the person, since it corrects the agent.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memoranda.capture.event import REFUSAL, Event, EventKind
from memoranda.capture.hosts.call_outcomes import DENIED, INTERRUPTED
from memoranda.capture.hosts.event_keys import refusal_key
from memoranda.capture.hosts.json_fields import Payload, string
from memoranda.capture.hosts.output_origin import tool_origin
from memoranda.observations.model import Origin

_REFUSED = re.compile(
    r"(?:Error: )?(?:The user doesn['\u2019]t want to proceed with this tool use"
    r"|Permission for this tool use was denied\. The tool use was rejected)"
)
"""Start of a refused call's result; the second form is for subagents."""
_INTERRUPTED = "[Request interrupted by user"
_REASON = re.compile(
    r"(?:To tell you how to proceed, the user said|The user said"
    r"|The user provided the following reason for the rejection):\s*"
)
_NOTE = re.compile(r"\n\s*Note: The user's next message may contain a correction or preference\b")
"""Start of the host's advice to the model below the reason."""
_CLARIFICATION = "The user wants to clarify these questions."
"""Start of a reason that the host itself wrote after a menu choice."""
_BY_A_PERSON = "user-rejected"
_OPENING = 400
"""Maximum number of characters between the start of the result and the reason."""


def refusal_tags(text: str) -> tuple[str, ...]:
    """Return the tags (denied or interrupted) of a call that a person stopped.

    ``text`` is the result of the call. Returns an empty result for any other call.
    """
    if _REFUSED.match(text):
        return (DENIED,)
    return (INTERRUPTED,) if text.startswith(_INTERRUPTED) else ()


def typed_reason(text: str) -> str | None:
    """Return the reason that a person typed for refusing a call, if any."""
    begin = _REFUSED.match(text)
    match = _REASON.search(text, begin.end(), begin.end() + _OPENING) if begin else None
    if match is None:
        return None
    note = _NOTE.search(text, match.end())
    return _typed(text[match.end() : note.start() if note else None])


def reason_in_line(entry: Payload, text: str, tool: str | None) -> str | None:
    """Return the typed reason from a transcript line with a call's result.

    Newer versions have the reason in a separate field, and name who refused.
    """
    kind = string(entry, "toolDenialKind")
    if kind is None:
        return reason_of_tool(text, tool)
    if kind != _BY_A_PERSON:
        return None
    return _typed(string(entry, "userFeedback") or "") or typed_reason(text)


def reason_of_tool(text: str, tool: str | None) -> str | None:
    """Return the typed reason if only its wording shows that it is a refusal.

    None for MCP and web tools, whose output could imitate the wording.
    """
    is_foreign = (tool or "").startswith("mcp__") or tool_origin(tool) is Origin.WEB
    return None if is_foreign else typed_reason(text)


def statement(result: Event, text: str) -> Event:
    """Create the event of a typed reason from the refused call's event."""
    return replace(
        result,
        kind=EventKind.MESSAGE,
        key=refusal_key(result.key),
        origin=Origin.HUMAN,
        text=text,
        tool=None,
        input=None,
        output=None,
        failed=False,
        outcome_known=True,
        tokens_used=None,
        duration_ms=None,
        tags=(REFUSAL,),
    )


def reported(result: Event) -> tuple[Event, ...]:
    """Return the event of a typed reason in a hook's result, if any."""
    if not result.failed or not isinstance(result.output, str):
        return ()
    reason = reason_of_tool(result.output, result.tool)
    return (statement(result, reason),) if reason else ()


def _typed(text: str) -> str | None:
    text = text.strip()
    return None if not text or text.startswith(_CLARIFICATION) else text
