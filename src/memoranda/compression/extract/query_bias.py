"""Relevance of units to a query, by shared terms weighted by rarity."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from memoranda.compression.extract.corpus import Corpus
from memoranda.compression.extract.words import STOP, stem, words

_OWN, _ASKED = 0.35, 1.5
"""What a unit's own worth counts beside the question, and what a full answer counts."""


def query_bias(stage: Corpus, worths: Sequence[float], query: str) -> list[float]:
    """Return the worth of units for a query; rarer words count more.

    The source as a whole counts too, because an answer need not repeat its question.
    """
    wanted = sorted({stem(word) for word in words(query) if word.lower() not in STOP})
    if not wanted:
        return list(worths)
    held = [{stem(word) for word in reading.words} for reading in stage.readings]
    sources: defaultdict[int, set[str]] = defaultdict(set)
    for reading, said in zip(stage.readings, held, strict=True):
        sources[reading.unit.source.place] |= said.intersection(wanted)
    of_units = _weights(wanted, held)
    of_sources = _weights(wanted, list(sources.values()))
    near = {place: _share(of_sources, said) for place, said in sources.items()}
    return [
        _OWN * worth + _ASKED * (_share(of_units, said) + near[reading.unit.source.place] ** 2)
        for worth, reading, said in zip(worths, stage.readings, held, strict=True)
    ]


def _weights(wanted: Sequence[str], held: Sequence[set[str]]) -> dict[str, float]:
    having = Counter(word for said in held for word in said.intersection(wanted))
    return {word: math.log(1 + len(held) / (1 + having[word])) for word in wanted}


def _share(weights: dict[str, float], said: set[str]) -> float:
    whole = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in said) / whole
