"""Rarity of words in general language, by their place in a vocabulary.

In a small store every word is rare, "run" and "left" too. What a record has in common with a query
by chance are words that are frequent in any text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from memoranda.models.embedding.wordpiece import VOCABULARY

if TYPE_CHECKING:
    from memoranda.search.pool import CandidatePool, Floats, Places

FIRST = 1996
"""Place of the most frequent word; before it are signs and single characters."""
LEAST = 0.3
"""Rarity of the most frequent words, about a tenth of the highest."""


@cache
def _places() -> Mapping[str, int]:
    lines = VOCABULARY.read_text("utf-8").removesuffix("\n").split("\n")
    return {token: place for place, token in enumerate(lines)}


def rarity(word: str) -> float:
    """Return how rare a word is in general language, from 0.3 to 3.

    The vocabulary is sorted by frequency; a word that is not in it is among the rarest.
    """
    places = _places()
    return LEAST + math.log(max(places.get(word, len(places)), FIRST) / FIRST)


def rare_matches(pool: CandidatePool, best: Places, words: Sequence[str]) -> tuple[float, float]:
    """Return how much of a query's words one passage has, weighted by their rarity.

    Both are maxima over the passages of some candidates: the sum of the rarities that the passage
    has, and its share of that of all words. A long record has words of any query, a passage less.

    Args:
        best: indices of the candidates.
        words: the words of the pool's terms, in their order.
    """
    weights: Floats = np.array([rarity(word) for word in words] or [LEAST], np.float32)
    rows = np.isin(pool.owner, pool.chosen[best])
    sums = ((pool.found[rows] > 0) * weights).sum(axis=1)
    most = float(sums.max(initial=0.0))
    return most, most / float(weights.sum())
