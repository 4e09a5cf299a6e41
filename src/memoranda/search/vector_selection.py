"""Selects the passages of a tool's output to embed.

Embedding costs fifty times the rest of the index. Listings, tables of numbers, lock files and
repeated lines are found by full text alone. The first passage is always embedded, as it names the
call.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

FEW = 5
"""Maximum number of passages of a short output, of which all with new content are kept."""
NEW_WORDS = 8
"""Minimum number of words new in a passage for it to count as new content."""
BESIDE_HEAD = 2
"""Maximum number of passages of a longer output, besides the first and prose."""
MOSTLY = 0.5
"""Minimum share of new characters in sentences for a passage to count as prose."""
FAILURE_WEIGHT = 200
"""Number of sentence characters that equal a reported failure."""

_WORD = r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?"
SENTENCE = re.compile(
    rf"(?<![^\W_]){_WORD}(?:[,;:]?[ ]{_WORD}(?![\w(./=\\-])){{4,}}|"
    r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]{8,}"
)
"""Five consecutive words, or eight characters of a script without spaces."""
FAILURE = re.compile(
    r"^.{0,40}?(?:\w*(?:Error|Exception)\b|\b(?:error|fatal|panic(?:ked)?|failed|Traceback)\b:?)"
    r".{0,200}$",
    re.MULTILINE,
)
"""A line that reports a failure near its beginning."""
WORD = re.compile(r"(?<![\w+/=.-])[^\W\d_]{3,}(?![\w+/=.-])")
"""A word that is not part of a path, a compound name or encoded data."""
_NUMBERS = re.compile(r"\d+")


def selected_passages(texts: Sequence[str]) -> set[int]:
    """Return the positions of the passages of a tool's output to embed.

    All prose is selected, and the passages of a short output with new content. From a longer one,
    the first passage and those with the most new sentences, failures and words are selected.
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
    """Return the number of characters in unknown matches; add them to known.

    Matches that differ only in numbers are equal.
    """
    size = 0
    for match in pattern.finditer(text):
        key = _NUMBERS.sub("0", match[0])
        if key not in known:
            known.add(key)
            size += len(key)
    return size
