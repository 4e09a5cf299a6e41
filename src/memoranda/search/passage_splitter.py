"""Splits a record into passages, the units for vectors and excerpts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from memoranda.language.sentences import sentence_spans

SHORT = 700
"""Maximum number of characters of a text that remains a single passage.

Above this length, one vector no longer represents the content well.
"""
LONG = 400
"""Approximate number of characters of the passages into which a longer text is split."""
MAXIMUM = 48
"""Maximum number of passages per record; the full-text index covers the rest."""
MAX_OF_TOOL_OUTPUT = 8
"""Maximum number of passages of tool output, counted from its start.

The rest of the output, such as listings and logs, is only in the full-text index.
"""
EMBEDDED_OF_TOOLS = 2
"""Number of passages of tool output that have a vector: the call and the start of its output.

Full-text search finds the other passages. Embedding costs fifty times as much as the rest of
indexing. Of the questions on two recorded projects, the proportion answered among ten hits is .83
with vectors of one passage, .88 with two and .89 with three.
"""


@dataclass(frozen=True, slots=True)
class TextPassage:
    """A part of a text, given by character positions."""

    start: int
    length: int


def passages(text: str, most: int = MAXIMUM) -> list[TextPassage]:
    """Split a text at the ends of sentences and lines.

    The result contains at least one passage, in order.
    """
    if len(text) <= SHORT:
        return [TextPassage(0, len(text))]
    text_passages: list[TextPassage] = []
    begun = at = 0
    for end in _ends(text[: 2 * LONG * (most + 2)]):  # a passage has at most 2 * LONG characters
        if end - begun > LONG and at > begun:
            text_passages.append(TextPassage(begun, at - begun))
            begun = at
        at = end
        if len(text_passages) == most:
            return text_passages
    text_passages.append(TextPassage(begun, len(text) - begun))
    return text_passages[:most]


def _ends(text: str) -> Iterator[int]:
    """Yield the possible ends of a passage, in order.

    Passages may end after sentences and lines, and anywhere in text that contains neither.
    """
    before = 0
    starts = (start for start, _ in islice(sentence_spans(text), 1, None))
    for end in chain(starts, (len(text),)):
        while end - before > 2 * LONG:
            before += LONG
            yield before
        yield end
        before = end
