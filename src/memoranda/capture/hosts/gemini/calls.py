"""Events of tool calls in a Gemini CLI chat, with or without a result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memoranda.capture.event import Event, HookReport
from memoranda.capture.hosts.call_outcomes import INTERRUPTED, PENDING, CallOutcome, HostCall
from memoranda.capture.hosts.event_fields import Frame
from memoranda.capture.hosts.event_keys import call_key, line_key, tool_key
from memoranda.capture.hosts.gemini.chat import ChatHistory, calls_of, parts_of
from memoranda.capture.hosts.gemini.tool_output import read_tool_response
from memoranda.capture.hosts.json_fields import Payload, mapping, string, written_moment
from memoranda.json_data import JsonValue

_UNFINISHED = frozenset(("scheduled", "validating", "executing", "awaiting_approval"))
_CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Responses:
    """Ids of calls recorded with a status, and responses by call id."""

    recorded: frozenset[str]
    sent: dict[str, JsonValue]

    @classmethod
    def of(cls, chat: ChatHistory) -> Responses:
        """Collect the calls and responses of all messages of a chat."""
        recorded, sent = set[str](), dict[str, JsonValue]()
        for message in chat.messages.values():
            recorded.update(id for item in calls_of(message) if (id := string(item, "id")))
            for part in parts_of(message.get("content")):
                response = mapping(part.get("functionResponse"))
                if id := string(response, "id"):
                    sent[id] = response.get("response")
        return cls(frozenset(recorded), sent)


def call_event(frame: Frame, message: str, number: int, record: Payload) -> Event:
    """Create the event of a recorded call.

    Hooks may report the call at any time between its message and its end.
    """
    id, status = string(record, "id"), string(record, "status")
    call = HostCall(string(record, "name"), record.get("args"))
    ended = replace(frame, occurred_at=written_moment(record.get("timestamp")) or frame.occurred_at)
    if status in _UNFINISHED:
        key = call_key(id) if id else line_key(message, number)
        return frame.result(key, call, PENDING, portable=bool(id))
    key = tool_key(id) if id else line_key(message, number)
    outcome = _outcome(call.tool, status, _response(record.get("result")), record)
    event = ended.result(key, call, outcome, portable=bool(id))
    return replace(event, hook_report=HookReport(since=frame.occurred_at))


def unanswered(frame: Frame, message: Payload, responses: Responses) -> Iterator[Event]:
    """Yield the events of calls that are only in a message's content."""
    if message.get("type") != "gemini":
        return
    for part in parts_of(message.get("content")):
        found = mapping(part.get("functionCall"))
        id = string(found, "id")
        if not found or id is None or id in responses.recorded:
            continue
        call = HostCall(string(found, "name"), found.get("args"))
        if id in responses.sent:
            outcome = _outcome(call.tool, None, responses.sent[id], {})
            yield frame.result(tool_key(id), call, outcome, portable=True)
        else:
            yield frame.result(call_key(id), call, PENDING, portable=True)


def _response(result: JsonValue) -> JsonValue:
    """Return the first function response in a result, or the result itself."""
    for part in parts_of(result):
        if response := mapping(part.get("functionResponse")):
            return response.get("response")
    return result


def _outcome(
    tool: str | None, status: str | None, response: JsonValue, record: Payload
) -> CallOutcome:
    """Convert a response to the format of hooks; return its outcome."""
    answer = mapping(response)
    other = None if "error" in answer or response == {} else response
    content = answer.get("output", other)
    whole: dict[str, JsonValue] = {
        "llmContent": content,
        "returnDisplay": record.get("resultDisplay", ""),
        "error": answer.get("error"),
    }
    outcome = read_tool_response(tool, whole)
    if status == _CANCELLED:
        tags = dict.fromkeys((*outcome.tags, INTERRUPTED))
        return replace(outcome, failed=True, tags=tuple(tags))
    return replace(outcome, failed=outcome.failed or status == "error")
