"""Relevance of units to a query, by shared terms weighted by rarity."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from memoranda.compression.extract.corpus import Corpus
from memoranda.language.words import GRAMMAR, spelt_words, stem

_OWN, _QUERY = 0.35, 1.5
"""Weight of a unit's own worth, and weight of its match with the query."""


def query_bias(stage: Corpus, worths: Sequence[float], query: str) -> list[float]:
    """Return the worth of units for a query; rarer words count more.

    The source as a whole counts too, because an answer may not repeat the terms of its question.
    """
    wanted = sorted({stem(word) for word in spelt_words(query) if word.lower() not in GRAMMAR})
    if not wanted:
        return list(worths)
    stem_sets = [{stem(word) for word in reading.words} for reading in stage.readings]
    sources: defaultdict[int, set[str]] = defaultdict(set)
    for reading, stems in zip(stage.readings, stem_sets, strict=True):
        sources[reading.unit.source.place] |= stems.intersection(wanted)
    of_units = _weights(wanted, stem_sets)
    of_sources = _weights(wanted, list(sources.values()))
    near = {place: _share(of_sources, stems) for place, stems in sources.items()}
    return [
        _OWN * score + _QUERY * (_share(of_units, stems) + near[reading.unit.source.place] ** 2)
        for score, reading, stems in zip(worths, stage.readings, stem_sets, strict=True)
    ]


def _weights(wanted: Sequence[str], stem_sets: Sequence[set[str]]) -> dict[str, float]:
    having = Counter(word for stems in stem_sets for word in stems.intersection(wanted))
    return {word: math.log(1 + len(stem_sets) / (1 + having[word])) for word in wanted}


def _share(weights: dict[str, float], stems: set[str]) -> float:
    whole = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in stems) / whole
