"""Frequencies of terms and term pairs in explanatory prose.

An assistant's explanations resemble a manual; a person's statements and decisions do not. The table
is stored in a file next to this module and read at first use.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memoranda.language.words import stem
from memoranda.text import text_lines

_FILE = Path(__file__).with_name("words.z")
_STEPS = 2.0
"""Number of steps per doubling of a count: a count is two to the power of ``steps / _STEPS``."""
_START = "^"
_KNOWN, _UNKNOWN = 10.0, 14.0
_UNKNOWN_MIN, _UNKNOWN_MAX = 0.4, 1.6
_TOP = 3
_HALF_LOG = math.log(2) / _STEPS


@dataclass(frozen=True, slots=True)
class FrequencyTable:
    """Table of logarithms of counts."""

    words: Mapping[str, float]
    pairs: Mapping[str, float]
    """Pairs of consecutive words, joined by an underscore."""
    total: float
    most: float

    def strangeness(self, word: str) -> float:
        """Return 0 for the most common word, 1 for an unknown one."""
        return 1 - (self.words.get(word) or self.words.get(stem(word), 0.0)) / self.most

    def surprise(self, tokens: Sequence[str]) -> tuple[float, float]:
        """Return how unusual the word pairs are: mean, and mean of the top three.

        The reference is the table's prose.
        """
        if len(tokens) < 2:
            return 0.0, 0.0
        steps = [
            self._step(item, two) for item, two in zip([_START, *tokens], tokens, strict=False)
        ]
        top = sorted(steps, reverse=True)[:_TOP]
        return sum(steps) / len(steps), sum(top) / len(top)

    def _step(self, one: str, two: str) -> float:
        pair = self.pairs.get(f"{one}_{two}")
        if pair is not None:
            return max(0.0, self.words.get(one, 0.0) - pair) / _KNOWN
        unknown = _UNKNOWN_MIN + (self.total - self.words.get(two, 0.0)) / _UNKNOWN
        return min(_UNKNOWN_MAX, unknown)


@cache
def table() -> FrequencyTable:
    """Return the table, which is loaded once."""
    words, pairs = zlib.decompress(_FILE.read_bytes()).decode().split("\n\n")
    single = _counts(words)
    total = math.log(sum(map(math.exp, single.values())))
    most = max(value for word, value in single.items() if word != _START)
    return FrequencyTable(
        single,
        {pair.replace("_", " "): value for pair, value in _counts(pairs).items()},
        total,
        most,
    )


def _counts(part: str) -> dict[str, float]:
    result: dict[str, float] = {}
    for line in text_lines(part):
        steps, *tokens = line.split(" ")
        result.update(dict.fromkeys(tokens, int(steps) * _HALF_LOG))
    return result
