"""The sentence of a text that contains most terms of a query."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from memoranda.search.passages import BREAK, TextPassage
from memoranda.search.words import stems, words


def matched_sentence(text: str, terms: Iterable[str]) -> TextPassage | None:
    """Return the first sentence or line with the most terms; None without any.

    Terms are compared by their stems, as full-text search compares them.
    """
    wanted = frozenset(stems(terms))
    found = [(_count(text[one.start : one.start + one.length], wanted), one) for one in _cut(text)]
    most, best = max(found, key=lambda pair: pair[0], default=(0, None))
    return best if most else None


def _count(sentence: str, wanted: Collection[str]) -> int:
    return len(set(stems(words(sentence))).intersection(wanted))


def _cut(text: str) -> Iterator[TextPassage]:
    start = 0
    for end, following in [*(one.span() for one in BREAK.finditer(text)), (len(text), len(text))]:
        if end > start:
            yield TextPassage(start, end - start)
        start = following
