"""How common words are, alone and one after another, in prose that explains things.

What an assistant explains sounds like a manual; what somebody tells of themselves or decides does
not. The table is small and kept in the file beside this module, which is read at the first use.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memoranda.compression.extract.words import stem
from memoranda.text import text_lines

_FILE = Path(__file__).with_name("words.z")
_STEPS = 2.0
"""Steps of a count: it is two to the power of ``steps / _STEPS``."""
_START = "^"
_KNOWN, _UNKNOWN = 10.0, 14.0
_UNKNOWN_LEAST, _UNKNOWN_MOST = 0.4, 1.6
_TOP = 3
_HALF_LOG = math.log(2) / _STEPS


@dataclass(frozen=True, slots=True)
class FrequencyTable:
    """Logarithms of counts."""

    words: Mapping[str, float]
    pairs: Mapping[str, float]
    """Of two words that follow each other, with an underscore between them."""
    total: float
    most: float

    def strangeness(self, word: str) -> float:
        """Return 0 for the commonest word, 1 for one that is not known."""
        return 1 - (self.words.get(word) or self.words.get(stem(word), 0.0)) / self.most

    def surprise(self, said: Sequence[str]) -> tuple[float, float]:
        """Return how unlike the table's prose some words follow one another: mean, and highest.

        The highest is the mean of the three most unlike.
        """
        if len(said) < 2:
            return 0.0, 0.0
        steps = [self._step(one, two) for one, two in zip([_START, *said], said, strict=False)]
        top = sorted(steps, reverse=True)[:_TOP]
        return sum(steps) / len(steps), sum(top) / len(top)

    def _step(self, one: str, two: str) -> float:
        pair = self.pairs.get(f"{one}_{two}")
        if pair is not None:
            return max(0.0, self.words.get(one, 0.0) - pair) / _KNOWN
        unknown = _UNKNOWN_LEAST + (self.total - self.words.get(two, 0.0)) / _UNKNOWN
        return min(_UNKNOWN_MOST, unknown)


@cache
def table() -> FrequencyTable:
    """Read the table; it is the same one every time."""
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
    found: dict[str, float] = {}
    for line in text_lines(part):
        steps, *said = line.split(" ")
        found.update(dict.fromkeys(said, int(steps) * _HALF_LOG))
    return found
