"""The labelled parts of a message in stored form.

They are derived data: if they are missing, the message is classified again, without the neural
network.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from memoranda.json_data import JsonValue, dump_json
from memoranda.language.pasted_lines import without_pasted
from memoranda.language.prose import without_fenced
from memoranda.language.quotations import own_text, quotations
from memoranda.utterances.labels import UtterancePart, part_of
from memoranda.utterances.rule_lists import item_lines

if TYPE_CHECKING:
    from memoranda.utterances.classifier import UtteranceClassifier

MAX_LENGTH = 20_000
"""Maximum number of characters of a message that are read, at its start and its end."""
EXAMINED = 2_000_000
"""Maximum number of characters of a message that are searched for pasted lines."""
LONG, READ = 4_000, 32
"""Length of a message above which its readable text is cached, and number of cached texts."""
VERSION, SHORTENED = 1, 2
"""Versions of the model and of the stored form; labels of other versions are ignored.

The second version is for messages that are only partly read; the positions of their labels would
differ.
"""
_SCALE = 1_000


@dataclass(frozen=True, slots=True)
class MessageLabels:
    """The parts of a message, and the parts of its text without quotations."""

    parts: tuple[UtterancePart, ...]
    own: tuple[UtterancePart, ...]
    shortened: bool = False
    """Whether part of the message was not read."""

    def stored(self) -> str:
        """Return the stored form."""
        own = _numbers(self.own) if self.own != self.parts else None
        version = SHORTENED if self.shortened else VERSION
        return dump_json([version, _numbers(self.parts), own])


def labels_of(message: str, classifier: UtteranceClassifier) -> MessageLabels:
    """Label the parts of a message, by position in `readable_message`."""
    text = readable_message(message)
    parts = classifier.parts(text)
    own = classifier.parts(own_text(text)) if quotations(text) else parts
    return MessageLabels(parts, own, len(text) != len(message))


def readable_message(message: str) -> str:
    """Return the lines that a person wrote in a message, without pasted lines.

    Each item of a list is on a separate line. If a message is still too long, only its beginning
    and its end are read.
    """
    return (_readable_long if len(message) > LONG else _readable)(message)


def _readable(message: str) -> str:
    text = without_pasted(_ends(message, EXAMINED))
    if len(text) > MAX_LENGTH:
        text = _ends(without_fenced(text), MAX_LENGTH)
    return item_lines(text)


_readable_long = lru_cache(maxsize=READ)(_readable)


def _ends(text: str, limit: int) -> str:
    """Return a text, or the lines in its first and last half of ``limit``."""
    if len(text) <= limit:
        return text
    first, last = text[: limit // 2], text[1 - limit // 2 :]
    return f"{first[: first.rfind(chr(10))]}\n{last[last.find(chr(10)) + 1 :]}"


def labels_from(text: str, stored: str, *, shortened: bool) -> MessageLabels | None:
    """Return the labels of a readable message, or None if another version stored them."""
    version, numbers, own = json.loads(stored)
    if version != (SHORTENED if shortened else VERSION):
        return None
    parts = _parts(text, numbers)
    return MessageLabels(parts, parts if own is None else _parts(own_text(text), own), shortened)


def _numbers(parts: Iterable[UtterancePart]) -> list[JsonValue]:
    return [
        [part.start, part.end, *(round(chance * _SCALE) for chance in part.chances)]
        for part in parts
    ]


def _parts(text: str, rows: Sequence[Sequence[int]]) -> tuple[UtterancePart, ...]:
    return tuple(
        part_of(text, (start, end), [chance / _SCALE for chance in chances])
        for start, end, *chances in rows
    )
