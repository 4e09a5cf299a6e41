"""The labelled parts of a message in the form in which a store keeps them.

They are derived data: without them a message is read again, without the network.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoranda.json_data import JsonValue, dump_json
from memoranda.language.quotations import own_text, quotations
from memoranda.utterances.headings import item_lines
from memoranda.utterances.labels import UtterancePart, part_of

if TYPE_CHECKING:
    from memoranda.utterances.classifier import UtteranceClassifier

MAX_LENGTH = 20_000
"""Maximum characters of a message that are read."""
VERSION = 1
"""Version of the model and of the form; others are not read."""
_SCALE = 1_000


@dataclass(frozen=True, slots=True)
class MessageLabels:
    """The parts of a message, and those of its text without quotations."""

    parts: tuple[UtterancePart, ...]
    own: tuple[UtterancePart, ...]

    def stored(self) -> str:
        """Return the form in which a store keeps them."""
        own = _numbers(self.own) if self.own != self.parts else None
        return dump_json([VERSION, _numbers(self.parts), own])


def labels_of(message: str, classifier: UtteranceClassifier) -> MessageLabels:
    """Label the parts of a message; positions are those in `readable_message`."""
    text = readable_message(message)
    parts = classifier.parts(text)
    return MessageLabels(parts, classifier.parts(own_text(text)) if quotations(text) else parts)


def readable_message(message: str) -> str:
    """Return the beginning of a message, with the items of a list on lines of their own."""
    return item_lines(message[:MAX_LENGTH])


def stored_labels(message: str, stored: str) -> MessageLabels | None:
    """Return the labels of a message from their stored form, None if it is of another version."""
    version, numbers, own = json.loads(stored)
    if version != VERSION:
        return None
    text = readable_message(message)
    parts = _parts(text, numbers)
    return MessageLabels(parts, parts if own is None else _parts(own_text(text), own))


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
