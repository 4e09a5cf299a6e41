"""Draft of an extract, which is extended up to a token limit.

Tokens are counted with the reader's tokenizer.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memoranda.compression.critical_facts import Fact, repeats, weight
from memoranda.compression.extract.formatter import VALUES, label, lines, marked, rendered
from memoranda.compression.extract.line_score import RecordLines
from memoranda.compression.extract.missing_values import missing, ranked
from memoranda.compression.extract.outdated_statements import successors
from memoranda.compression.extract.passage_statistics import Corpus
from memoranda.compression.extract.reference_frequencies import table
from memoranda.compression.extract.selection import UnitCandidates, UnitSelection
from memoranda.compression.extract.sentence_score import prose_score
from memoranda.compression.extract.units import Unit, UnitKind
from memoranda.compression.model import CompressedLine, PassageSpeaker
from memoranda.language.words import GRAMMAR, spelt_words, stem
from memoranda.ports import TokenCounter

_VALUES_SHARE = 0.5
"""Maximum fraction of the budget for values that no line contains."""
_CARRIED = 2.0
"""Factor applied to the worth of a line that was selected before."""
_CRITICAL = 0.05
"""Worth that a critical fact adds to its unit, per unit of weight."""
_MAX_UNITS = 8
"""Maximum number of units for one fact; further units repeat the same line."""
_FILLS = 8
"""Maximum number of rounds in which the budget is filled.

A text has fewer tokens than the sum of its parts, so every round leaves a smaller part of the
budget.
"""
_OWN, _QUERY = 0.35, 1.5
"""Weight of a unit's own worth, and weight of its match with the query."""


class SummaryDraft:
    """Current selection from a stage."""

    def __init__(
        self, stage: Corpus, counter: TokenCounter, query: str | None, critical: Sequence[Fact] = ()
    ) -> None:
        """Start a draft; ``critical`` contains facts by priority."""
        self._counter = counter
        self._stage = stage
        records = RecordLines.of(stage)
        repeated = _repeats(stage)
        worths = _worths(stage, records)
        worths = [score if repeated.get(at, 1) else 0.0 for at, score in enumerate(worths)]
        outdated = successors(stage, worths)
        self._critical = () if query else _holding(stage, critical)
        self._worths = query_bias(stage, worths, query) if query else self._raised(worths)
        self._units = [
            _with_marks(reading.unit, at in outdated, repeated.get(at) or records.times(at))
            for at, reading in enumerate(stage.readings)
        ]
        self._selection = UnitSelection(
            UnitCandidates(stage, self._worths, self._costs(), self._labels(), outdated)
        )
        self._values: list[tuple[str, int]] = []
        self._counted: tuple[object, int] = (None, 0)

    def fit(self, budget: int, critical: int = 0) -> tuple[list[CompressedLine], list[str], str]:
        """Return lines, values and the text of both, within a token budget.

        Pinned units are kept even if they exceed the budget, and so are critical facts of at most
        ``critical`` tokens.
        """
        self._selection.pin()
        self._take_critical(critical)
        budget = max(budget, min(critical, self._tokens()))
        for_values = int(budget * _VALUES_SHARE * self._stage.record_share)
        self._grow(budget - for_values)
        self._choose_values(min(for_values, budget - self._tokens()))
        self._grow(budget)
        while (over := self._tokens() - budget) > 0:
            if self._values:
                self._values = []
            elif not self._selection.drop(over):
                break
        return self._rendered()

    def _take_critical(self, budget: int) -> None:
        for _ in range(_FILLS):
            before, room = len(self._selection.order), budget - self._tokens()
            for _, units in self._critical:
                room -= self._selection.take(units, room)
            if len(self._selection.order) == before:
                return

    def _raised(self, worths: Sequence[float]) -> Sequence[float]:
        """Return the worth of units, increased for those with a critical fact."""
        raised = list(worths)
        for fact, units in self._critical:
            for at in units:
                raised[at] = worths[at] + _CRITICAL * weight(fact)
        return raised

    def _grow(self, budget: int) -> None:
        for _ in range(_FILLS):
            if not self._selection.fill(budget - self._tokens()):
                return

    def _choose_values(self, room: int) -> None:
        """Add values that no line contains, within the remaining tokens."""
        if room <= 0:
            return
        text = rendered(self._lines(), ())
        found = missing(ranked(self._stage), text)[:room]  # each value has at least one token
        room -= self._counter.count(f"\n{VALUES}")
        costs = self._counter.count_many([f" {value}" for value, _ in found])
        for (value, at), cost in zip(found, costs, strict=True):
            if cost <= room:
                self._values.append((value, at))
                room -= cost
        self._values.sort(key=lambda one: one[1])

    def _rendered(self) -> tuple[list[CompressedLine], list[str], str]:
        compressed_lines = self._lines()
        text = rendered(compressed_lines, ())
        values = [value for value, _ in missing(self._values, text)]
        return compressed_lines, values, rendered(compressed_lines, values)

    def _lines(self) -> list[CompressedLine]:
        return lines([(self._units[at], self._worths[at]) for at in sorted(self._selection.order)])

    def _tokens(self) -> int:
        """Return the token count of the text; recount only after a change."""
        state = tuple(self._selection.order), tuple(self._values)
        if state != self._counted[0]:
            self._counted = state, self._counter.count(self._rendered()[2])
        return self._counted[1]

    def _costs(self) -> list[int]:
        return self._counter.count_many([f" {marked(unit)}\n" for unit in self._units])

    def _labels(self) -> dict[int, int]:
        sources = {unit.source.place: unit.source for unit in self._units}
        counts = self._counter.count_many([label(source) for source in sources.values()])
        return dict(zip(sources, counts, strict=True))


def _holding(stage: Corpus, critical: Sequence[Fact]) -> list[tuple[Fact, list[int]]]:
    """Return facts with the units that state them.

    Facts found in no unit, or in more than eight, are left out.
    """
    units: defaultdict[str, list[int]] = defaultdict(list)
    for at, reading in enumerate(stage.readings):
        units[reading.unit.source.ref].append(at)
    result = []
    for fact in critical:
        near = [at for at in units[fact.ref] if _contains(stage.readings[at].unit, fact.text)]
        if near and len(near) <= _MAX_UNITS:
            result.append((fact, near))
    return result


def _contains(unit: Unit, text: str) -> bool:
    return (
        text in unit.text or (text in unit.sentence) or (len(unit.text) > 8 and unit.text in text)
    )


def _with_marks(unit: Unit, outdated: bool, times: int) -> Unit:
    """Return a unit with marks: outdated, and its number of repeats."""
    if (outdated and not unit.outdated) or times != unit.times:
        return replace(unit, outdated=unit.outdated or outdated, times=times)
    return unit


def _repeats(stage: Corpus) -> Mapping[int, int]:
    """Return, by position, counts of reports that differ only in numbers. Only an agent's reports
    are counted.
    """
    units = [reading.unit for reading in stage.readings]
    by_agent = [
        one.text
        if one.kind is UnitKind.PROSE and one.source.speaker is PassageSpeaker.ASSISTANT
        else ""
        for one in units
    ]
    return repeats(by_agent, [unit.times for unit in units])


def _worths(stage: Corpus, records: RecordLines) -> Sequence[float]:
    """Return the worth of each unit; units selected before get a bonus.

    Such units have already been selected from more text than the new ones.
    """
    words, seen = table(), set[tuple[str, str]]()
    worths = []
    for at, reading in enumerate(stage.readings):
        unit = reading.unit
        if unit.kind not in (UnitKind.PROSE, UnitKind.HEADING):
            score = records.worth(at)
        elif (unit.source.speaker, unit.text) in seen:
            score = 0.0  # an exact repetition
        else:
            score = prose_score(reading, stage, words)
            seen.add((unit.source.speaker, unit.text))
        worths.append(score * (_CARRIED if unit.carried else 1.0))
    return worths


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
