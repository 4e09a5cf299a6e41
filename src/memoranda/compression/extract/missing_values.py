"""Values in logs and data that no selected line contains.

The values are listed at the end of the text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from memoranda.compression.extract.line_score import TROUBLE
from memoranda.compression.extract.passage_statistics import Corpus
from memoranda.compression.extract.text_values import WEIGHTS
from memoranda.compression.extract.units import RECORDS, UnitKind

_NAMED = frozenset(
    {"code", "path", "version", "hash", "address", "mail", "mixed", "identifier", "money"}
    | {"number", "time", "date"}
)
_MIN_LENGTH, _MAX_LENGTH = 3, 120
_TROUBLED, _AT_END = 1.6, 2.5
_END = 3
"""Number of lines that are the beginning or end of an output."""
_OVERHEAD = 4
"""Overhead in characters of every listed value."""


def ranked(stage: Corpus) -> list[tuple[str, int]]:
    """Return the values of logs and data with their position in the text.

    Values with the highest weight relative to their length come first.
    """
    found: dict[str, tuple[float, int]] = {}
    ends = _ends(stage)
    for at, reading in enumerate(stage.readings):
        if reading.unit.kind not in RECORDS:
            continue
        factor = _TROUBLED if TROUBLE.search(reading.unit.text) else 1.0
        first, last = ends[reading.unit.source.place]
        if reading.unit.kind is UnitKind.LOG and (at - first < _END or last - at < _END):
            factor *= _AT_END
        for atom in reading.atoms:
            value = atom.value
            if atom.kind not in _NAMED or not _MIN_LENGTH <= len(value) <= _MAX_LENGTH:
                continue
            gain = WEIGHTS[atom.kind] * factor * stage.again[value]
            gain /= math.sqrt(stage.counts[value]) * (len(value) + _OVERHEAD)
            if gain > found.get(value, (0.0, 0))[0]:
                found[value] = (gain, at)
    order = sorted(found, key=lambda value: (-found[value][0], value))
    return [(value, found[value][1]) for value in order]


def missing(values: Iterable[tuple[str, int]], text: str) -> list[tuple[str, int]]:
    """Return the values that a text does not contain."""
    return [(value, at) for value, at in values if value not in text]


def _ends(stage: Corpus) -> dict[int, tuple[int, int]]:
    """Return the first and last unit of every source, by its position."""
    result: dict[int, tuple[int, int]] = {}
    for at, reading in enumerate(stage.readings):
        place = reading.unit.source.place
        result[place] = (result.get(place, (at, at))[0], at)
    return result
