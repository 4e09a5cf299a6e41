"""Cues: what people say when they correct, reject, approve, instruct, or lay down a rule.

English only. They stand in ``cues.tsv``: type, weight, name and a pattern for one line of text in
lower case with plain apostrophes; a row without a name is another wording of the cue above it.
Every repeat is bounded, so a search takes time linear in the text. Weights were chosen by hand: 3
decides by itself, 2 decides unless something speaks against it, 1 tips.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memoranda.feedback.model import FeedbackType
from memoranda.feedback.tables import rows


@dataclass(frozen=True, slots=True)
class FeedbackCue:
    """A pattern, what it speaks for, and how much it says."""

    type: FeedbackType
    weight: float
    name: str
    pattern: re.Pattern[str]


@cache
def cues() -> tuple[FeedbackCue, ...]:
    """Load the cues, once."""
    return tuple(
        FeedbackCue(FeedbackType(kind), float(weight), name, re.compile("|".join(wordings)))
        for kind, weight, name, wordings in _gathered()
    )


def _gathered() -> Iterator[tuple[str, str, str, list[str]]]:
    """Put the wordings of each cue together."""
    found: list[tuple[str, str, str, list[str]]] = []
    for kind, weight, name, wording in rows("cues.tsv"):
        if name:
            found.append((kind, weight, name, []))
        found[-1][3].append(wording)
    yield from found
