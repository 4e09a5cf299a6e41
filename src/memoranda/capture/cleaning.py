"""From what a host sent to what may be stored, in this order.

Normalise → drop what an exclusion covers → drop private spans and text that Memoranda itself
recalled → redact secrets. All of it on decoded strings, and all before anything is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from memoranda.capture.exclusion import Exclusion
from memoranda.capture.privacy import drop_private, drop_recalled
from memoranda.capture.redaction import Redactor
from memoranda.text import normalise
from memoranda.values.content import call_line
from memoranda.values.event import Event
from memoranda.values.json import JsonValue

RECALLED_OUTPUT = "[recalled from Memoranda; not captured again]"


@dataclass(frozen=True, slots=True)
class Cleaned:
    """An event that may be stored, and how much was taken out of it, by rule."""

    event: Event
    removed: Counter[str]


class Cleaner:
    """Takes out of events what must never be kept."""

    def __init__(self, redactor: Redactor, exclusion: Exclusion) -> None:
        self._redactor = redactor
        self._exclusion = exclusion

    def clean(self, event: Event) -> Cleaned:
        """Return the event without secrets. Deterministic, and idempotent."""
        removed: Counter[str] = Counter()
        if self._exclusion.applies(event):
            event = replace(event, input=None, output=None, tags=(*event.tags, "excluded"))
            removed["excluded"] += 1
        elif is_recall(event):
            event = replace(event, output=RECALLED_OUTPUT, tags=(*event.tags, "recalled"))

        def drop(text: str) -> str:
            text, private = drop_private(normalise(text))
            text, recalled = drop_recalled(text)
            removed["private"] += private
            removed["recalled"] += recalled
            return text

        values = [_mapped(value, drop) for value in (event.input, event.output, event.text)]
        given, output, text = (self._redact(value, removed) for value in values)
        return Cleaned(
            replace(
                event,
                input=given,
                output=output,
                text=str(text),
                agent=normalise(event.agent),
                session=normalise(event.session),
                tool=normalise(event.tool) if event.tool else None,
                cwd=normalise(event.cwd) if event.cwd else None,
            ),
            +removed,
        )

    def _redact(self, value: JsonValue, removed: Counter[str]) -> JsonValue:
        redacted = self._redactor.value(value)
        removed.update(redacted.counts)
        return redacted.value


def is_recall(event: Event) -> bool:
    """Tell whether a tool call only read from Memoranda itself."""
    tool = (event.tool or "").lower()
    if "memoranda" in tool:
        return True
    call = call_line("", event.input)
    return call.startswith(("$ memoranda ", "$ python -m memoranda "))


def _mapped(value: JsonValue, change: Callable[[str], str]) -> JsonValue:
    """Apply a change to every string, keys included. Depth was limited where JSON came in."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if isinstance(value, dict):
        return {change(key): _mapped(item, change) for key, item in value.items()}
    return value


class TextSanitiser:
    """The same cleaning for a text that somebody states, such as a memory."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def clean(self, text: str) -> str:
        """Return the text without private spans, recalled text and secrets."""
        text = drop_recalled(drop_private(normalise(text))[0])[0]
        return self._redactor.text(text)[0]
