"""Finds the sentence or line of a text with the most query terms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from memoranda.language.sentences import sentence_spans
from memoranda.language.words import indexed_words, stems
from memoranda.search.passage_splitter import LONG, TextPassage

MAX_PLACES = 300
"""Maximum number of occurrences of a term that are compared; rarer terms are decisive anyway."""
BEFORE = 60
"""Maximum number of characters before the term that are returned from a long line."""


def matched_sentence(text: str, terms: Iterable[str]) -> TextPassage | None:
    """Return the first sentence or line with the most terms; None if none.

    Terms are compared by their stems, as in full-text search.
    """
    wanted = frozenset(stems(terms))
    found = [
        (_count(text[passage.start : passage.start + passage.length], wanted), passage)
        for passage in _cut(text)
    ]
    most, best = max(found, key=lambda pair: pair[0], default=(0, None))
    return best if most else None


def better_line(text: str, terms: Iterable[str], shown: str) -> TextPassage | None:
    """Return the first line with the most terms, if ``shown`` has fewer.

    Passages cover only the beginning of a long output; other lines are found by full-text search.
    If a line is long, only the part around a term is returned.
    """
    wanted = frozenset(stems(terms))
    least = _count(shown, wanted)
    if least == len(wanted):
        return None
    places = dict.fromkeys(place for stem in sorted(wanted) for place in _places(text, stem))
    counted = [(_count(text[start:end], wanted), -start, end) for start, end in places]
    most, start, end = max(counted, default=(0, 0, 0))
    return TextPassage(-start, end + start) if most > least else None


def _places(text: str, stem: str) -> Iterator[tuple[int, int]]:
    """Yield the lines, or parts of long lines, that may contain a term."""
    begun = stem[:-1] if len(stem) > 4 else stem  # the stem of "happy" is "happi"
    lower = text.lower()
    lower = lower if len(lower) == len(text) else text
    at = -1
    for _ in range(MAX_PLACES):
        at = lower.find(begun, at + 1)
        if at < 0:
            return
        start = max(text.rfind("\n", 0, at) + 1, at - BEFORE)
        end = text.find("\n", at)
        end = min(len(text) if end < 0 else end, at + LONG // 2)
        yield start, end
        at = end if end - at < LONG // 2 else at


def _count(sentence: str, wanted: Collection[str]) -> int:
    return len(set(stems(indexed_words(sentence))).intersection(wanted))


def _cut(text: str) -> Iterator[TextPassage]:
    return (TextPassage(start, end - start) for start, end in sentence_spans(text))
