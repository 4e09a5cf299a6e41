"""Tool calls of a transcript whose results follow in later lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memoranda.capture.event import Event
from memoranda.capture.hosts.call_outcomes import PENDING, CallOutcome, HostCall
from memoranda.capture.hosts.event_fields import Frame
from memoranda.capture.hosts.event_keys import call_key, tool_key


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """A tool call without its final result."""

    id: str
    call: HostCall
    frame: Frame
    offset: int
    """Offset of the line that contains the call."""
    tokens_used: int | None = None
    interim: CallOutcome | None = None
    """Intermediate result of a running call."""


class OpenCalls:
    """Joins calls and results by the call's id."""

    def __init__(self) -> None:
        self._open: dict[str, OpenCall] = {}
        self._closed: set[str] = set()

    @property
    def earliest(self) -> int | None:
        """Offset of the first line whose call has no result yet."""
        return min((call.offset for call in self._open.values()), default=None)

    def open(self, call: OpenCall) -> bool:
        """Record a call; return False if its id exists, as in a copied line."""
        if call.id in self._open or call.id in self._closed:
            return False
        self._open[call.id] = call
        return True

    def find(self, call_id: str) -> OpenCall | None:
        """Return the call with this id if it has no result yet."""
        return self._open.get(call_id)

    def is_closed(self, call_id: str) -> bool:
        """Return whether the result of this call was seen."""
        return call_id in self._closed

    def note(self, call_id: str, interim: CallOutcome) -> None:
        """Record the intermediate result of a running call."""
        self._open[call_id] = replace(self._open[call_id], interim=interim)

    def drop(self, call_id: str) -> None:
        """Close a call without an event."""
        self._open.pop(call_id, None)
        self._closed.add(call_id)

    def close(self, call_id: str, frame: Frame, outcome: CallOutcome) -> Event:
        """Create the event of a finished call.

        The event has the call's branch and the result's time. If the call is unknown, the event has
        no tool name.
        """
        opened = self._open.pop(call_id, None)
        self._closed.add(call_id)
        if opened is None:
            return frame.result(tool_key(call_id), HostCall(None), outcome, portable=True)
        finished = replace(
            opened.frame,
            occurred_at=opened.frame.occurred_at
            if frame.occurred_at is None
            else frame.occurred_at,
            cwd=frame.cwd or opened.frame.cwd,
        )
        tokens = opened.tokens_used
        return finished.result(
            tool_key(call_id), opened.call, outcome, tokens_used=tokens, portable=True
        )

    def pending(self) -> Iterator[Event]:
        """Yield the events of calls without a result, in order.

        These events have no token counts, which are recorded on the finished call.
        """
        for opened in self._open.values():
            key, outcome = tool_key(opened.id), opened.interim
            if outcome is None:
                key, outcome = call_key(opened.id), PENDING
            yield opened.frame.result(key, opened.call, outcome, portable=True)
