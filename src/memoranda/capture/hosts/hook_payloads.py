"""Pure functions that convert the hook payloads of all hosts to events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from memoranda.capture.event import Event
from memoranda.capture.hosts.claude_code import payload as claude_code, refusals
from memoranda.capture.hosts.codex import payload as codex
from memoranda.capture.hosts.cursor import payload as cursor
from memoranda.capture.hosts.gemini import payload as gemini
from memoranda.capture.hosts.generic import payload as generic
from memoranda.capture.hosts.message_separation import separated
from memoranda.capture.hosts.question_answers import with_answers
from memoranda.json_data import JsonValue

Adapter: TypeAlias = Callable[[Mapping[str, JsonValue], int], Event | None]
"""Converts a payload to an event, or to None if it is not captured.

The second argument is the hook's clock in microseconds since the epoch.
"""

ADAPTERS: Mapping[str, Adapter] = MappingProxyType(
    {
        claude_code.HOST: claude_code.event,
        gemini.HOST: gemini.event,
        codex.HOST: codex.event,
        cursor.HOST: cursor.event,
        generic.HOST: generic.event,
    }
)


def adapt(host: str, payload: Mapping[str, JsonValue], at: int) -> tuple[Event, ...]:
    """Convert a host's hook payload to events.

    Payloads of an unknown host are read in the generic format. A message to which the host added
    text gives two events, and so does a call that a person refused with a reason, and a question
    that a person answered in own words. Never raises on invalid payloads: those that are irrelevant
    or not understood give no event.

    A generic event is also recognised if the hook was not called with the name of a host.
    """
    if host == claude_code.HOST and "kind" in payload and "hook_event_name" not in payload:
        host = generic.HOST
    event = ADAPTERS.get(host, generic.event)(payload, at)
    if event is None:
        return ()
    if host not in ADAPTERS and event.host == generic.HOST:
        event = replace(event, host=host or generic.HOST)
    spoken = refusals.reported(event) if event.host == claude_code.HOST else ()
    return tuple(part for item in (*with_answers(event), *spoken) for part in separated(item))


__all__ = ["ADAPTERS", "Adapter", "adapt"]
