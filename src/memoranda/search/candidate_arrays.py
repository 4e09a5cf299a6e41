"""Candidates for a question and the turns around them, as arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from memoranda.search.passages import SHORT
from memoranda.search.record_feature_format import read_features
from memoranda.search.table import INSTRUCTION, PREFERENCE, SearchEntry

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]
    Places: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]

WORK = 0.2
"""Minimum fraction of tool calls for records to count as tool work rather than conversation."""
AROUND = (-2, -1, 1, 2)
"""Distances of the turns whose words are the context of a short record."""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """Numbers of the query's terms, each with its idf."""

    numbers: Sequence[int]
    idf: Sequence[float]


class CandidatePool:
    """Candidates and adjacent records, with one array per property.

    ``chosen`` selects the candidates among all records. ``previous`` and similar arrays contain,
    for every record, the index of a neighbour, or -1, which selects the empty last row of every
    context array.
    """

    def __init__(
        self, entries: Sequence[SearchEntry], candidates: Sequence[str], terms: QueryTerms
    ) -> None:
        self.entries = entries
        table = read_features([entry.features for entry in entries])
        heads: Any = table.heads
        self.role = heads["role"].astype(np.float32)
        self.time = heads["time"].astype(bool)
        self.number = heads["number"].astype(bool)
        self.first_person = heads["first_person"].astype(np.float32)
        self.capitals = heads["capitals"].astype(np.float32)
        self.speaker = heads["speaker"]
        self.chars = heads["chars"].astype(np.float32)
        self.distinct = heads["distinct"].astype(np.float32)
        self.short = self.chars <= SHORT
        self.parts = heads["passages"].astype(np.int64)
        self.first_part = np.cumsum(self.parts) - self.parts
        self.owner = np.repeat(np.arange(len(entries)), self.parts)
        passages: Any = table.passages
        self.part_words = passages["words"].astype(np.float32)
        self.last_part = self.first_part + self.parts - 1
        ends = (passages["start"] + passages["length"])[self.last_part]
        self.truncated = np.flatnonzero(ends < heads["chars"])
        """Indices of the records whose passages are only the start of their text."""
        wanted = set(candidates)
        self.chosen = np.flatnonzero([entry.source in wanted for entry in entries])
        self.chosen_entries = [entries[place] for place in self.chosen.tolist()]
        self.idf = np.array(terms.idf or (0.0,), np.float32)
        self.found = self._found(table.words, terms.numbers)
        self.own = np.add.reduceat(self.found, self.first_part, axis=0)

    def add_rest(self, term: int, sources: Collection[str]) -> None:
        """Add a term to truncated records whose passages lack it, in the last passage.

        Args:
            term: its position among the query's terms.
            sources: ids of the records that contain it.
        """
        for place in self.truncated.tolist():
            if self.entries[place].source in sources and not self.own[place, term]:
                self.found[self.last_part[place], term] = 1
                self.own[place, term] = 1

    def _found(self, words: NDArray[np.uint32], numbers: Sequence[int]) -> Floats:
        """Return the count of each term per passage: (passages, terms) float32."""
        shape = (len(self.part_words), max(1, len(numbers)))
        if not numbers:
            return np.zeros(shape, np.float32)
        wanted = np.array(numbers, np.uint32)
        order = np.argsort(wanted)
        ranked = wanted[order]
        near = np.minimum(np.searchsorted(ranked, words), len(ranked) - 1)
        hits = np.flatnonzero(ranked[near] == words)
        part = np.repeat(np.arange(shape[0]), self.part_words.astype(np.int64))[hits]
        cells = np.bincount(part * shape[1] + order[near[hits]], minlength=shape[0] * shape[1])
        return cells.reshape(shape).astype(np.float32)

    @cached_property
    def standing(self) -> NDArray[np.int64]:
        """Kind of standing statement of each record; 0 for none."""
        return np.array([entry.standing for entry in self.entries], np.int64)

    @property
    def instruction(self) -> Flags:
        """Which records are standing instructions."""
        return np.equal(self.standing, INSTRUCTION)

    @property
    def preference(self) -> Flags:
        """Which records are preferences."""
        return np.equal(self.standing, PREFERENCE)

    @cached_property
    def of_tool(self) -> Flags:
        """Which records are tool calls."""
        return np.array([entry.of_tool for entry in self.entries], bool)

    @cached_property
    def account(self) -> Flags:
        """Which records are generated memories about past work, such as a task's archive."""
        episodic = np.array([entry.episodic for entry in self.entries], bool)
        result: Flags = episodic & (self.role < 0)
        return result

    @cached_property
    def of_work(self) -> bool:
        """Whether the records are tool work rather than conversation."""
        return float(self.of_tool.mean()) >= WORK

    @cached_property
    def session(self) -> Places:
        """A number for the task of each record; -1 for records without a task."""
        numbers: dict[str, int] = {}
        return np.array(
            [numbers.setdefault(e.task, len(numbers)) if e.task else -1 for e in self.entries]
        )

    @cached_property
    def neighbours(self) -> Mapping[int, Places]:
        """Index of the neighbour at each distance in the same task.

        -1 where there is none.
        """
        places = [(e.task or "", e.position) for e in self.entries]
        at = {place: number for number, place in enumerate(places) if place[0]}
        return {
            distance: np.array([at.get((task, p + distance), -1) for task, p in places], np.int64)
            for distance in AROUND
        }

    @cached_property
    def context(self) -> Mapping[int, Places]:
        """Neighbours of short records; long records have no context."""
        return {d: np.where(self.short, near, -1) for d, near in self.neighbours.items()}

    @cached_property
    def short_found(self) -> Floats:
        """Term counts of short records: (records + 1, terms).

        The last row is empty.
        """
        rows = self.own * self.short[:, None]
        return np.vstack([rows, np.zeros((1, rows.shape[1]), np.float32)])

    @cached_property
    def short_words(self) -> Floats:
        """Word counts of short records; the last one is 0."""
        own = np.add.reduceat(self.part_words, self.first_part)
        return np.append(np.where(self.short, own, 0), np.float32(0))

    def best_part(self, values: Floats) -> Floats:
        """Return the maximum over each record's passages."""
        best: Floats = np.maximum.reduceat(values, self.first_part)
        return best
