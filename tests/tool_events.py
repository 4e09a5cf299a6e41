"""Events as the readers of hosts make them, and the text that goes with them."""

from __future__ import annotations

from typing import Any

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.json_data import JsonValue
from memoranda.observations.content import readable, tool_content
from memoranda.observations.model import ContentFormat, Origin

ROOT = "/srv/shop"


def called(tool: str, value: JsonValue, output: JsonValue = None, **more: Any) -> Event:
    """A tool that has run."""
    values: dict[str, Any] = {
        "kind": EventKind.TOOL_RESULT,
        "host": "test",
        "session": "s-1",
        "source": EventSource.API,
        "key": "k-1",
        "origin": Origin.TOOL,
        "cwd": ROOT,
    }
    return Event(tool=tool, input=value, output=output, **{**values, **more})


def ran(command: str, output: JsonValue = "", **more: Any) -> Event:
    """A shell command that has run."""
    return called("Bash", {"command": command}, output, **more)


def message_event(text: str, origin: Origin = Origin.HUMAN, **more: Any) -> Event:
    """A message."""
    values: dict[str, Any] = {
        "kind": EventKind.MESSAGE,
        "host": "test",
        "session": "s-1",
        "source": EventSource.API,
        "key": "k-1",
    }
    return Event(text=text, origin=origin, **{**values, **more})


def text_of(event: Event) -> str:
    """The readable text of an event, as it is kept."""
    if event.kind is not EventKind.TOOL_RESULT:
        return event.text
    content = tool_content(event.tool, event.input, event.output)
    return readable(content, ContentFormat.TOOL)


def hostile(unit: str) -> str:
    """One thing over and over: 5 MB of one letter, of others more than is ever looked at."""
    return unit * ((5_000_000 if unit == "a" else 600_000) // len(unit))
