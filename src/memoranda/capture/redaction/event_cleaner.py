"""Cleaning of an event before it is stored, in a fixed order.

Normalise → drop excluded content → drop private spans, text that a person says must not be stored,
and text that Memoranda itself recalled → redact secrets. All steps work on decoded strings, before
anything is written.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from memoranda.capture.analysis.tool_families import command_line
from memoranda.capture.event import Event
from memoranda.capture.redaction.caller_text_cleaner import TextSanitiser
from memoranda.capture.redaction.exclusion import Exclusion
from memoranda.capture.redaction.private_spans import OWN, drop_private, drop_recalled
from memoranda.capture.redaction.redactor import Redactor
from memoranda.capture.redaction.unstored_messages import drop_unstored
from memoranda.clock import LATEST
from memoranda.json_data import JsonValue, map_texts
from memoranda.language.shell import ENTERED
from memoranda.observations.content import RECALLED_OUTPUT, call_line, output_text
from memoranda.observations.model import Origin
from memoranda.text import normalise

WORDS = frozenset({"command", "cmd", "args", "argv"})
"""Members that may contain a command as a list of arguments."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_OWN_COMMAND = re.compile(
    r"\$ (?:uvx |uv run |pipx run )?(?:\S*/)?(?:memoranda|python[\d.]* -m memoranda)(?:\s|$)"
)
_ENTERED = re.compile(rf"(?<=^\$ ){ENTERED}")
_CHAINED = re.compile(r";|\|\||`|\$\(|(?<!>)&(?!>)|\n(?=.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CleanedEvent:
    """An event that may be stored, and the counts of removed items by rule."""

    event: Event
    removed: Counter[str]


class EventCleaner:
    """Removes content from events that must never be stored."""

    def __init__(self, redactor: Redactor, exclusion: Exclusion) -> None:
        self._redactor = redactor
        self._exclusion = exclusion
        self._name = lru_cache(maxsize=4096)(TextSanitiser(redactor).name)

    def clean(self, event: Event) -> CleanedEvent:
        """Return the event without secrets. Deterministic and idempotent."""
        removed: Counter[str] = Counter()
        plain = map_texts(event.input, normalise)
        event = event if plain == event.input else replace(event, input=plain)
        if self._exclusion.applies(event):
            event = replace(event, input=None, output=None, tags=_with(event.tags, "excluded"))
            removed["excluded"] += 1
        elif is_recall(event):
            event = replace(event, output=RECALLED_OUTPUT, tags=_with(event.tags, "recalled"))

        def drop(text: str) -> str:
            text, private = drop_private(normalise(text))
            text, recalled = drop_recalled(text)
            if private or recalled:
                removed.update(private=private, recalled=recalled)
            return text

        said = event.text
        if said and event.origin is Origin.HUMAN:
            said, unstored = drop_unstored(normalise(said))
            removed.update(private=unstored)
        values = [map_texts(value, drop) for value in (event.input, event.output, said)]
        values[0] = self._words_together(values[0], removed)
        arguments, output, text = (self._redact(value, removed) for value in values)
        tags = tuple(str(self._redact(drop(tag), removed)) for tag in event.tags)
        files = tuple(map(self._name, event.files))
        fields: dict[str, Any] = {
            "input": arguments,
            "output": output,
            "text": str(text),
            "tags": tags,
        }
        fields |= {"files": files} if files else {}
        event = replace(event, **fields, **self._storable(event))
        return CleanedEvent(event, +removed if removed else removed)

    def name(self, name: str) -> str:
        """Return a name as it is stored: without secrets and private spans."""
        return self._name(name)

    def _storable(self, event: Event) -> dict[str, Any]:
        """Return an event's names and time in a form that every engine accepts.

        All events of a session share a few names, so cleaned names are cached, and secrets removed
        from names are not counted.
        """
        at = event.occurred_at
        return {
            "occurred_at": at if at is not None and 0 <= at <= LATEST else None,
            "host": self._name(event.host),
            "agent": self._name(event.agent),
            "session": self._name(event.session),
            "tool": self._name(event.tool) if event.tool else None,
            "cwd": self._name(event.cwd) if event.cwd else None,
        }

    def _words_together(self, arguments: JsonValue, removed: Counter[str]) -> JsonValue:
        """Redact a command given as an argument list, as one line.

        If the value of a flag were redacted alone, it would have no context.
        """
        if not isinstance(arguments, dict):
            return arguments
        for name in WORDS & arguments.keys():
            words = arguments[name]
            if isinstance(words, list) and all(isinstance(word, str) for word in words):
                line, found = self._redactor.text(" ".join(map(str, words)))
                if found:
                    removed.update(found)
                    arguments = {**arguments, name: list[JsonValue](line.split(" "))}
        return arguments

    def _redact(self, value: JsonValue, removed: Counter[str]) -> JsonValue:
        if value in (None, ""):
            return value
        redacted = self._redactor.value(value)
        if redacted.counts:
            removed.update(redacted.counts)
        return redacted.value


def is_recall(event: Event) -> bool:
    """Return whether a tool call only read from Memoranda itself.

    A command that also does something else does not count, because its output has to be stored.
    """
    if "memoranda" in (event.tool or "").lower():
        return True
    line = command_line(event)
    if not line and event.tool and _is_own_answer(event.output):  # a renamed server
        return True
    call = _QUOTED.sub("", _ENTERED.sub("", f"$ {line}") if line else call_line("", event.input))
    return _OWN_COMMAND.match(call) is not None and _CHAINED.search(call) is None


def _is_own_answer(output: JsonValue) -> bool:
    """Return whether an output is exactly one Memoranda response."""
    text = output_text(output).strip()
    opened = re.match(rf"<({OWN}[\w-]{{1,40}})\b", text)
    return opened is not None and text.endswith(f"</{opened[1]}>")


def _with(tags: tuple[str, ...], tag: str) -> tuple[str, ...]:
    return tags if tag in tags else (*tags, tag)
