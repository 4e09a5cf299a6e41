"""Features of each part of a message: its terms, cues and context."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import sqrt

from memoranda.language.words import table_rows
from memoranda.utterances.ngrams import bucket, character_grams, folded, word_grams, words


def cues(text: str) -> list[str]:
    """Return the names of the cues in a person's text, in table order."""
    return [name for name, pattern in _table("cues.tsv") if pattern.search(text)]


def answered(before: str) -> list[str]:
    """Return what an agent's text does: it asks, offers or reports.

    A person's message answers this text. The result is "nothing" without a text, and "other" if
    none of these applies.
    """
    if not before:
        return ["nothing"]
    return [name for name, pattern in _table("answers.tsv") if pattern.search(before)] or ["other"]


@cache
def _table(name: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    wordings: dict[str, list[str]] = {}
    for cue, pattern in table_rows("memoranda.utterances", name)[1:]:
        wordings.setdefault(cue, []).append(pattern)
    return tuple((cue, re.compile("|".join(rows))) for cue, rows in wordings.items())


GRAM_BUCKETS = 8_192
CUE_BUCKETS = 4_096
BUCKETS = GRAM_BUCKETS + CUE_BUCKETS
"""Number of rows of the weights: those of n-grams come first, then those of cues."""
_GRAMS = 2.0
"""Norm of the vector of all n-grams, and norm of the vector of word n-grams alone."""
_OWN, _PAIR, _JOINT, _BESIDE = 0.5, 0.2, 0.25, 0.25
"""Values of a cue: alone, in a pair, with its context, and in an adjacent part."""
_LENGTHS = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class FeatureRow:
    """The non-zero buckets of one part with values, in ascending order."""

    places: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _FeatureCounts:
    text: str
    words: list[str]
    cues: list[str]

    @property
    def first(self) -> str:
        return self.words[0] if self.words else ""

    @property
    def length(self) -> str:
        return str(next((most for most in _LENGTHS if len(self.words) <= most), "more"))


def feature_rows(parts: Sequence[str], before: str) -> list[FeatureRow]:
    """Return the features of the parts of a message.

    The message is an answer to the agent's message.
    """
    counts = [_seen(folded(part)) for part in parts]
    kinds = answered(folded(before))
    return [_row(counts, at, kinds) for at in range(len(counts))]


def _seen(text: str) -> _FeatureCounts:
    return _FeatureCounts(text, words(text), cues(text))


def _row(seen: Sequence[_FeatureCounts], at: int, kinds: list[str]) -> FeatureRow:
    sums: dict[int, float] = {}
    by_words = word_grams(seen[at].words)
    for names in ([*by_words, *character_grams(seen[at].text)], by_words):
        found = {bucket(name, GRAM_BUCKETS) for name in names}
        for place in found:
            sums[place] = sums.get(place, 0.0) + _GRAMS / sqrt(len(found))
    for name, value in _cue_features(seen, at, kinds):
        place = GRAM_BUCKETS + bucket(name, CUE_BUCKETS)
        sums[place] = sums.get(place, 0.0) + value
    places = tuple(sorted(sums))
    return FeatureRow(places, tuple(sums[place] for place in places))


def _cue_features(
    seen: Sequence[_FeatureCounts], at: int, kinds: list[str]
) -> Iterator[tuple[str, float]]:
    part, place, answer = seen[at], _place(at, len(seen)), "+".join(kinds)
    for name in (*part.cues, f"length {part.length}", f"place {place}", *kinds):
        yield name, _OWN
    for first, second in combinations(part.cues, 2):
        yield f"{first} & {second}", _PAIR
    around = (f"{answer} {place}", f"{answer} {place} {part.length}", f"{answer} '{part.first}'")
    for name in around:
        yield name, _JOINT
    for name in part.cues:
        yield f"{answer} & {name}", _JOINT
        yield f"{name} & {part.length}", _JOINT
        if at == 0:
            yield f"first & {name}", _JOINT
    for side, neighbour in (("previous", at - 1), ("next", at + 1)):
        if 0 <= neighbour < len(seen):
            for name in (*seen[neighbour].cues, f"'{seen[neighbour].first}'"):
                yield f"{side} {name}", _BESIDE


def _place(at: int, count: int) -> str:
    if count == 1:
        return "only"
    return "first" if at == 0 else "last" if at == count - 1 else "middle"
