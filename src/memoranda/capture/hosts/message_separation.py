"""Separation of text that a host added to messages in the user's role."""

from __future__ import annotations

import re
from dataclasses import replace

from memoranda.capture.event import Event, EventKind
from memoranda.capture.hosts.content_blocks import media_of
from memoranda.capture.hosts.event_fields import Frame
from memoranda.capture.hosts.event_keys import host_key, is_prompt_key
from memoranda.capture.hosts.json_fields import Payload
from memoranda.capture.hosts.typed_text import generated_text, split_message, typed_text
from memoranda.observations.model import Origin

ENVELOPE = "envelope"
"""Tag of text that the host added to a message."""
DELEGATED = "delegated"
"""Tag of a prompt that one agent wrote for another."""

_MARKS = {
    "claude-code": re.compile(r"\A\s*(?:\(no content\)|No response requested\.)\s*\Z"),
    "cursor": re.compile(r"(?:(?:\A|(?<=\S))\s*\[REDACTED\])+\s*\Z"),
}
"""Marks that hosts write instead of a missing text or omitted reasoning."""


def is_envelope(text: str) -> bool:
    """Return whether the host wrote all of this text."""
    parts = split_message(text)
    return bool(parts) and not typed_text(parts)


def separated(event: Event) -> tuple[Event, ...]:
    """Split an event into typed text and the host's additions.

    The typed text keeps the key; the key of the additions is derived from it. Messages of agents
    and events other than messages are returned without a host's marks; a message without text
    yields no event.
    """
    if event.kind is EventKind.MESSAGE and (text := _without_mark(event)) != event.text:
        return separated(replace(event, text=text)) if text else ()
    typed_here = event.origin is Origin.HUMAN or DELEGATED in event.tags
    if event.kind is not EventKind.MESSAGE or not typed_here:
        return (event,)
    parts = split_message(event.text)
    typed, generated = typed_text(parts), generated_text(parts)
    if not generated:
        return (replace(event, text=typed),) if typed else ()
    if typed:
        return (replace(event, text=typed), _added(event, host_key(event.key), generated))
    # The prompt's id belongs to the typed text, which another source may report under it.
    key = host_key(event.key) if is_prompt_key(event.key) else event.key
    return (_added(event, key, generated),)


def media_event(frame: Frame, key: str, block: Payload) -> Event | None:
    """Return the event for an image, PDF or other binary data in a message.

    Returns None for any other block.
    """
    text = media_of(block)
    tags = (ENVELOPE,)
    event = frame.event(EventKind.MESSAGE, key, Origin.GENERATED, text=text, tags=tags)
    return event if text else None


def _without_mark(event: Event) -> str:
    mark = _MARKS.get(event.host)
    by_agent = event.origin is Origin.AGENT or event.host == "claude-code"
    return mark.sub("", event.text) if mark and by_agent else event.text


def _added(event: Event, key: str, text: str) -> Event:
    """Create the event of a host's addition to a message."""
    origin, tags = Origin.GENERATED, (ENVELOPE,)
    return replace(event, key=key, origin=origin, text=text, tags=tags, former_keys=())
