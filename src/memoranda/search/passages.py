"""Cutting a record into passages: what gets a vector, and what a search points to."""

from __future__ import annotations

import re
from dataclasses import dataclass

SHORT = 700
"""Characters up to which a text is one passage. Above it, one vector blurs what it says."""
LONG = 400
"""Characters of the passages that a longer text is cut into, about."""
MOST = 48
"""Passages of one record; full text alone covers what lies beyond them."""
MOST_OF_TOOLS = 8
"""Passages of what a tool said: its beginning. The rest is listings and logs, for full text."""

BREAK = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A part of a text, by characters."""

    start: int
    length: int


def passages(text: str, most: int = MOST) -> list[TextPassage]:
    """Cut a text at ends of sentences and lines; at least one passage, the first first."""
    if len(text) <= SHORT:
        return [TextPassage(0, len(text))]
    found: list[TextPassage] = []
    begun = at = 0
    for end in _ends(text):
        if end - begun > LONG and at > begun:
            found.append(TextPassage(begun, at - begun))
            begun = at
        at = end
        if len(found) == most:
            return found
    found.append(TextPassage(begun, len(text) - begun))
    return found[:most]


def _ends(text: str) -> list[int]:
    """Where a passage may end: after sentences and lines, and within what has neither."""
    ends: list[int] = []
    before = 0
    for end in [match.end() for match in BREAK.finditer(text)] + [len(text)]:
        while end - before > 2 * LONG:
            before += LONG
            ends.append(before)
        ends.append(end)
        before = end
    return ends
