"""Common fields of all events of one payload or transcript line."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memoranda.capture.event import UNKNOWN, Checkout, Event, EventKind, EventSource
from memoranda.capture.hosts.call_outcomes import CallOutcome, HostCall
from memoranda.capture.hosts.output_origin import tool_origin
from memoranda.observations.model import Origin

MAIN_AGENT = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Time, place and agent of an event."""

    host: str
    session: str
    source: EventSource
    occurred_at: int | None = None
    agent: str = MAIN_AGENT
    cwd: str | None = None
    checkout: Checkout = UNKNOWN
    branch: str = "main"
    copied_to: str | None = None
    """Session in which a copy was read; ``session`` then contains the original."""
    lineage: tuple[str, ...] = ()
    """Sessions from which this session was copied."""

    def event(
        self,
        kind: EventKind,
        key: str,
        origin: Origin,
        *,
        text: str = "",
        tags: tuple[str, ...] = (),
        tokens_used: int | None = None,
        portable: bool = False,
    ) -> Event:
        """Create an event with a text or without any content.

        ``portable``: whether the host keeps the key when it copies the event.
        """
        return replace(
            self._bare(kind, key, origin, portable), text=text, tokens_used=tokens_used, tags=tags
        )

    def result(
        self,
        key: str,
        call: HostCall,
        outcome: CallOutcome,
        *,
        tokens_used: int | None = None,
        portable: bool = False,
    ) -> Event:
        """Create the event of a tool call: its arguments and its outcome.

        ``portable``: whether the host keeps the key when it copies the event.
        """
        return replace(
            self._bare(EventKind.TOOL_RESULT, key, tool_origin(call.tool), portable),
            tool=call.tool,
            input=call.arguments,
            output=outcome.output,
            failed=outcome.failed,
            outcome_known=outcome.known,
            tokens_used=tokens_used,
            duration_ms=outcome.duration_ms,
            tags=outcome.tags,
        )

    def _bare(self, kind: EventKind, key: str, origin: Origin, portable: bool) -> Event:
        return Event(
            kind=kind,
            host=self.host,
            session=self.session,
            source=self.source,
            key=key,
            origin=origin,
            occurred_at=self.occurred_at,
            agent=self.agent,
            cwd=self.cwd,
            checkout=self.checkout,
            branch=self.branch,
            copied_to=self.copied_to,
            lineage=self.lineage,
            portable=portable,
        )


def agent_name(agent_type: str | None, agent_id: str | None) -> str:
    """Return the name of a subagent from its type and id, if available."""
    return "-".join(part for part in (agent_type, agent_id) if part) or "subagent"
