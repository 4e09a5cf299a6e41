"""Cues: patterns for correction, rejection, approval, instruction, rule.

English only. Loaded from ``cues.tsv``: type, weight, name and a pattern for one line of text in
lower case with plain apostrophes; a row without a name is another pattern of the cue above it.
Every repetition is bounded, so a search takes time linear in the text. Weights were chosen by hand:
3 decides alone, 2 decides unless another cue contradicts it, 1 only adds to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memoranda.feedback.model import FeedbackType
from memoranda.feedback.term_table import rows


@dataclass(frozen=True, slots=True)
class FeedbackCue:
    """Pattern, with the type it indicates, and its weight."""

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
    """Group the wordings of each cue."""
    found: list[tuple[str, str, str, list[str]]] = []
    for kind, weight, name, wording in rows("cues.tsv"):
        if name:
            found.append((kind, weight, name, []))
        found[-1][3].append(wording)
    yield from found
