"""Selects the passages of a tool's output that get a vector.

A vector finds text by its meaning, which costs fifty times the rest of the index. Listings, tables
of numbers, lock files and repeated lines have no meaning beyond their words, and full text finds
those. The beginning always gets a vector: it says what was called.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

FEW = 5
"""Number of passages up to which an output keeps all that have `NEW_WORDS`."""
NEW_WORDS = 8
"""Number of words that no earlier passage has, from which on a passage says something new."""
BESIDE_HEAD = 2
"""Maximum number of passages with a vector of longer ones, besides the head and prose."""
MOSTLY = 0.5
"""Share of characters in sentences from which a passage is read as prose."""
FAILURE_WEIGHT = 200
"""Number of characters of sentences that a reported failure is worth."""

_WORD = r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?"
SENTENCE = re.compile(
    rf"(?<![^\W_]){_WORD}(?:[,;:]?[ ]{_WORD}(?![\w(./=\\-])){{4,}}|"
    r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]{8,}"
)
"""Five words in a row, or eight characters of a script without spaces."""
FAILURE = re.compile(
    r"^.{0,40}?(?:\w*(?:Error|Exception)\b|\b(?:error|fatal|panic(?:ked)?|failed|Traceback)\b:?)"
    r".{0,200}$",
    re.MULTILINE,
)
"""A line that reports a failure in its first words."""
WORD = re.compile(r"(?<![\w+/=.-])[^\W\d_]{3,}(?![\w+/=.-])")
"""A word that is no part of a path, of a name with several parts or of encoded data."""
_NUMBERS = re.compile(r"\d+")


def selected_passages(texts: Sequence[str]) -> set[int]:
    """Return the places of the passages of a tool's output that get a vector.

    Prose keeps all of its passages, and a short output those with new words. Of a longer one it is
    the head and the passages with most sentences, failures and words that no earlier one has.
    """
    known: set[str] = set()
    chosen, ranked = {0}, []
    for place, text in enumerate(texts):
        fresh = _unknown(SENTENCE, text, known)
        failures = _unknown(FAILURE, text, known)
        words = {word.lower() for word in WORD.findall(text)} - known
        known |= words
        if place and fresh >= MOSTLY * len(text):
            chosen.add(place)
        elif place and (fresh or failures or len(words) >= NEW_WORDS):
            ranked.append((-fresh - FAILURE_WEIGHT * bool(failures) - len(words), place))
    most = FEW if len(texts) <= FEW else BESIDE_HEAD
    return chosen | {place for _, place in sorted(ranked)[:most]}


def _unknown(pattern: re.Pattern[str], text: str, known: set[str]) -> int:
    """Return how many characters of the matches are not known; they are from then on.

    Lines that differ in numbers alone are the same.
    """
    size = 0
    for match in pattern.finditer(text):
        key = _NUMBERS.sub("0", match[0])
        if key not in known:
            known.add(key)
            size += len(key)
    return size
