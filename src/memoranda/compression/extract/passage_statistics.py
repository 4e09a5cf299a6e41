"""Statistics over all passages: rarity of terms, and recurring values."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoranda.compression.extract.reference_frequencies import FrequencyTable
from memoranda.compression.extract.text_values import Atom, atoms
from memoranda.compression.extract.units import RECORDS, Unit, UnitKind
from memoranda.compression.model import PassageSpeaker
from memoranda.language.words import GRAMMAR, spelt_words

_MOSTLY_PLAIN = 0.3
"""Fraction of lower-case occurrences above which a word is not a name."""
_AGAIN, _MAX_REPEATED, _USED = 0.5, 4, 1.5
_ACTION = "$ "
_WORDED = frozenset({UnitKind.PROSE, UnitKind.HEADING})
_FIGURES = frozenset({UnitKind.LOG, UnitKind.CODE})


@dataclass(frozen=True, slots=True)
class AnalysedUnit:
    """Unit with its words and atoms."""

    unit: Unit
    words: tuple[str, ...]
    """Words, in lower case."""
    atoms: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Units of a stage, with their shared statistics."""

    readings: tuple[AnalysedUnit, ...]
    units_with: Counter[str]
    """Number of units with each word."""
    counts: Counter[str]
    """Number of units with each value."""
    again: dict[str, float]
    """Factor for values that occur in several sources or were used."""
    log_units: float
    """Logarithm of the number of units plus one."""

    @classmethod
    def of(cls, units: Sequence[Unit], table: FrequencyTable) -> Corpus:
        """Parse units into a stage."""
        spelt = [spelt_words(unit.text) for unit in units]
        units_with: Counter[str] = Counter()
        plain: Counter[str] = Counter()
        for spelling in spelt:
            units_with.update({word.lower() for word in spelling})
            plain.update({word for word in spelling if word.islower()})
        names = _Names(units_with, plain, table)
        readings = tuple(
            AnalysedUnit(unit, tuple(word.lower() for word in spelling), tuple(names.atoms(unit)))
            for unit, spelling in zip(units, spelt, strict=True)
        )
        counts = Counter(
            value for reading in readings for value in {atom.value for atom in reading.atoms}
        )
        return cls(readings, units_with, counts, _again(readings), math.log(len(readings) + 1))

    def rarity(self, word: str) -> float:
        """Return the rarity of a word: 1 if in one unit, 0 if in all."""
        return 1 - math.log(self.units_with[word] or 1) / self.log_units

    @property
    def record_share(self) -> float:
        """Return the fraction of the text that consists of logs and data."""
        sizes = [0, 0]
        for reading in self.readings:
            sizes[reading.unit.kind in RECORDS] += len(reading.unit.text) + 1
        return sizes[1] / max(1, sum(sizes))


@dataclass(frozen=True, slots=True)
class _Names:
    """Classifier that separates names from words that only start a sentence."""

    units_with: Counter[str]
    plain: Counter[str]
    table: FrequencyTable

    def atoms(self, unit: Unit) -> Iterator[Atom]:
        for atom in atoms(unit.text, quoted=unit.kind in _WORDED):
            if atom.kind == "name" and not self._is_name(atom):
                continue
            if atom.kind == "number" and len(atom.value) < 2 and unit.kind in _FIGURES:
                continue
            yield atom

    def _is_name(self, atom: Atom) -> bool:
        word = atom.value.lower()
        if word in GRAMMAR:
            return False
        plain = self.plain[word]
        if plain and (atom.start == 0 or plain >= self.units_with[word] * _MOSTLY_PLAIN):
            return False
        return atom.start > 0 or word not in self.table.words


def _again(readings: Sequence[AnalysedUnit]) -> dict[str, float]:
    """Return the extra weight of values that recur or were used.

    Values in several sources are likely to be needed again, and used values even more so.
    """
    places: defaultdict[str, set[int]] = defaultdict(set)
    used: set[str] = set()
    for reading in readings:
        unit = reading.unit
        acts = unit.source.speaker is PassageSpeaker.ASSISTANT or unit.text.startswith(_ACTION)
        for atom in reading.atoms:
            places[atom.value].add(unit.source.place)
            if acts:
                used.add(atom.value)
    return {
        value: (1 + _AGAIN * min(_MAX_REPEATED, len(found) - 1))
        * (_USED if value in used and len(found) > 1 else 1)
        for value, found in places.items()
    }
