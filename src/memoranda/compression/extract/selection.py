"""Greedy selection of units by worth per token, until nothing fits."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memoranda.compression.extract.passage_statistics import AnalysedUnit, Corpus
from memoranda.language.text_overlap import DENSITY, BestFirst, Coverage
from memoranda.language.words import GRAMMAR, stem

_OUTDATED = 0.6
_WORTHLESS = 0.003


@dataclass(frozen=True, slots=True)
class UnitCandidates:
    """Units that can be selected, with their costs."""

    stage: Corpus
    worths: Sequence[float]
    costs: Sequence[int]
    """Number of tokens in each unit on its own line."""
    labels: Mapping[int, int]
    """Number of tokens in each source's name, by the source's position."""
    successors: Mapping[int, int]
    """For each outdated unit, the newer unit that must be selected with it."""


@dataclass(slots=True)
class UnitSelection:
    """Selected units, in order of selection."""

    candidates: UnitCandidates
    order: list[int] = field(default_factory=list)
    _taken: set[int] = field(default_factory=set)
    _sources: Counter[int] = field(default_factory=Counter)
    _covered: Coverage = field(default_factory=Coverage)
    _contents: dict[int, dict[str, float]] = field(default_factory=dict)

    def pin(self) -> None:
        """Select the units that must be kept."""
        for at, reading in enumerate(self.candidates.stage.readings):
            if reading.unit.pinned:
                self._take(at)

    def take(self, units: Sequence[int], room: int) -> int:
        """Select several units together if they fit; return their tokens."""
        new = [at for at in units if at not in self._taken]
        cost = sum(self.candidates.costs[at] for at in new)
        places = {self.candidates.stage.readings[at].unit.source.place for at in new}
        cost += sum(self.candidates.labels[place] for place in places if not self._sources[place])
        if cost > room:
            return 0
        for at in new:
            self._take(at)
        return cost

    def fill(self, room: int) -> bool:
        """Select units as long as any fits; return whether any was selected."""
        before = len(self.order)
        waiting: defaultdict[int, list[int]] = defaultdict(list)
        queue = BestFirst(self._density, ((at, self._bound(at)) for at in self._open()))
        for at, _ in queue:
            cost = self.cost(at)
            if cost > room:
                continue
            successor = self.candidates.successors.get(at)
            if successor is not None and successor not in self._taken:
                waiting[successor].append(at)
                continue
            room -= cost
            self._take(at)
            for outdated in waiting.pop(at, ()):
                queue.put(outdated)
        return len(self.order) > before

    def drop(self, tokens: int) -> bool:
        """Remove latest units of about ``tokens`` tokens; return whether any was."""
        dropped = 0
        while dropped < tokens and self.order:
            at = self.order[-1]
            if self.candidates.stage.readings[at].unit.pinned:
                break
            dropped += self.candidates.costs[at]
            self._release(at)
        return dropped > 0

    def cost(self, at: int) -> int:
        """Return the number of tokens that a unit would add to the selection."""
        place = self.candidates.stage.readings[at].unit.source.place
        return self.candidates.costs[at] + (
            0 if self._sources[place] else self.candidates.labels[place]
        )

    def __contains__(self, at: int) -> bool:
        return at in self._taken

    def _open(self) -> list[int]:
        worths = self.candidates.worths
        return [
            at for at in range(len(worths)) if worths[at] > _WORTHLESS and at not in self._taken
        ]

    def _bound(self, at: int) -> float:
        """Return an upper bound of a unit's gain per token. Cheap to compute."""
        return float(self.candidates.worths[at] / self.candidates.costs[at] ** DENSITY)

    def _density(self, at: int) -> float:
        """Return the gain per token of adding a unit to the selection."""
        candidates = self.candidates
        outdated = at in candidates.successors or candidates.stage.readings[at].unit.outdated
        score = candidates.worths[at] * (_OUTDATED if outdated else 1.0)
        return self._covered.gain(score, self._content(at), candidates.costs[at])

    def _content(self, at: int) -> dict[str, float]:
        if at not in self._contents:
            self._contents[at] = _content(self.candidates.stage, self.candidates.stage.readings[at])
        return self._contents[at]

    def _take(self, at: int) -> None:
        self.order.append(at)
        self._taken.add(at)
        self._sources[self.candidates.stage.readings[at].unit.source.place] += 1
        self._covered.add(self._content(at))

    def _release(self, at: int) -> None:
        self.order.pop()
        self._taken.remove(at)
        self._sources[self.candidates.stage.readings[at].unit.source.place] -= 1
        self._covered.remove(self._content(at))


def _content(stage: Corpus, reading: AnalysedUnit) -> dict[str, float]:
    """Return the content of a unit: stems and values, each with its rarity."""
    content = {stem(word) for word in reading.words if word not in GRAMMAR}
    content |= {atom.value for atom in reading.atoms}
    return {item: 1 + stage.log_units * stage.rarity(item) for item in sorted(content)}
