"""Rarity of words in general language, by their position in a vocabulary.

In a small store every word is rare, even "run" and "left". Words that are frequent in any text
match by chance and are therefore weak evidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from memoranda.models.embedding.wordpiece import VOCABULARY

if TYPE_CHECKING:
    from memoranda.search.candidate_arrays import CandidatePool, Floats, Places

FIRST = 1996
"""Vocabulary position of the most frequent word, after symbols and single characters."""
MIN_RARITY = 0.3
"""Rarity of the most frequent words, about a tenth of the maximum."""


@cache
def _places() -> Mapping[str, int]:
    lines = VOCABULARY.read_text("utf-8").removesuffix("\n").split("\n")
    return {token: place for place, token in enumerate(lines)}


def rarity(word: str) -> float:
    """Return how rare a word is in general language, from 0.3 to 3.

    The vocabulary is sorted by frequency; a word that is not in it is among the rarest.
    """
    places = _places()
    return MIN_RARITY + math.log(max(places.get(word, len(places)), FIRST) / FIRST)


def rare_matches(pool: CandidatePool, best: Places, words: Sequence[str]) -> tuple[float, float]:
    """Return how much of a query's rarity occurs in one passage.

    The result is the maximum sum of word rarities over the candidates' passages, and the share of
    that sum in the sum over all words. Passages are used because a long record contains words of
    any query.

    Args:
        best: indices of the candidates.
        words: the words of the pool's terms, in the order of the terms.
    """
    weights: Floats = np.array([rarity(word) for word in words] or [MIN_RARITY], np.float32)
    rows = np.isin(pool.owner, pool.chosen[best])
    sums = ((pool.found[rows] > 0) * weights).sum(axis=1)
    most = float(sums.max(initial=0.0))
    return most, most / float(weights.sum())
