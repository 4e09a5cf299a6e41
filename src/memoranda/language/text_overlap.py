"""Similarity of texts, and selection of those that add most to known ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Set as AbstractSet
from heapq import heapify, heappop, heappush
from typing import TypeVar

_Member = TypeVar("_Member")

REPEATED = 0.25
"""Share of its worth that a text keeps if all its words are covered."""
NEAR_COPY, COPIED = 0.34, 0.05
"""Share of new words below which a text is nearly a copy, and the factor applied to its worth in
that case.
"""
DENSITY = 0.75
"""Exponent of the cost by which a gain is divided, so that long texts are not excluded."""


def jaccard(one: AbstractSet[_Member], other: AbstractSet[_Member]) -> float:
    """Return the share of all members that both sets contain; 0 if empty.

    Example:
        >>> jaccard({1, 2, 3}, {2, 3, 4})
        0.5
    """
    both = len(one & other)
    every = len(one) + len(other) - both
    return both / every if every else 0.0


def containment(part: AbstractSet[_Member], whole: AbstractSet[_Member]) -> float:
    """Return the share of a set's members that another contains; 0 if empty.

    Example:
        >>> containment({1, 2}, {2, 3, 4})
        0.5
    """
    return len(part & whole) / len(part) if part else 0.0


class BestFirst:
    """Priority queue of candidates, which are numbers, by gain.

    A gain only shrinks as others are taken, so a candidate that is still the best after its gain is
    recomputed is the best of all. Ties go to the lower number.
    """

    def __init__(self, gain: Callable[[int], float], bounds: Iterable[tuple[int, float]]) -> None:
        """Create a queue of candidates with initial gains or their upper bounds."""
        self._gain = gain
        self._heap = [(-bound, at) for at, bound in bounds]
        heapify(self._heap)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        """Remove and yield the best candidate and its gain until none is left."""
        while self._heap:
            _, at = heappop(self._heap)
            gain = self._gain(at)
            if self._heap and (-gain, at) > self._heap[0]:
                heappush(self._heap, (-gain, at))
            else:
                yield at, gain

    def put(self, at: int) -> None:
        """Add back a candidate that was removed."""
        heappush(self._heap, (-self._gain(at), at))

    def rest(self) -> list[int]:
        """Return the remaining candidates in numerical order."""
        return sorted(at for _, at in self._heap)


class Coverage:
    """Words of the selected texts, which reduce the gain of the others."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()

    def add(self, words: Iterable[str]) -> None:
        """Count the words of a selected text."""
        self._times.update(words)

    def remove(self, words: Iterable[str]) -> None:
        """Remove the words of a text that is no longer selected."""
        self._times.subtract(words)

    def left(self, weights: Mapping[str, float]) -> float:
        """Return the share of a text's words, by weight, that are not covered."""
        whole = sum(weights.values())
        times = self._times.get  # bound once: a Counter's own lookup costs an extra call
        new = sum([weight / (1 + times(word, 0)) for word, weight in weights.items()])
        return new / whole if whole else 0.0

    def gain(self, worth: float, weights: Mapping[str, float], cost: float) -> float:
        """Return the current gain of a text for its cost."""
        left = self.left(weights)
        kept = (REPEATED + (1 - REPEATED) * left) * (COPIED if left < NEAR_COPY else 1.0)
        return float(worth * kept / cost**DENSITY)
