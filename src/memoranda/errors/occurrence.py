"""Occurrences of errors, with what the search for patterns needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Attributes of an error that patterns need."""

    task: str
    step: int
    """Position in the task, usually the sequence number of its observation."""
    signature: str
    contexts: Mapping[str, str]
    """Contexts by name, such as tool, stage and agent; without unknown ones."""
    ref: str
    """Short name of the error."""
    created_at: int
    line: str = ""
    """Message of the error."""
    target: str = ""
    """Target of the failed step, such as a command or a file."""
    fix: str = ""
    """Recorded resolution; empty while the error is open."""


class OccurrenceLog:
    """Errors in order, grouped once for all queries.

    A failed retry is not a new error. The units of statistics are therefore episodes: runs of
    errors of one cause in one task without a long pause, each represented by its first error.
    """

    def __init__(self, occurrences: Sequence[Occurrence], pause: int) -> None:
        """Sort errors; ``pause`` steps without the same cause end an episode."""
        self.all = sorted(occurrences, key=lambda one: (one.task, one.step, one.ref))
        self.by_signature: dict[str, list[Occurrence]] = defaultdict(list)
        self.bouts: dict[str, list[Occurrence]] = defaultdict(list)
        """Episodes by signature."""
        self.bouts_by_task: dict[str, list[Occurrence]] = defaultdict(list)
        self._last: dict[str, int] = {}
        before: dict[tuple[str, str], int] = {}
        for occurrence in self.all:
            key = occurrence.task, occurrence.signature
            if key not in before or occurrence.step - before[key] > pause:
                self.bouts[occurrence.signature].append(occurrence)
                self.bouts_by_task[occurrence.task].append(occurrence)
            before[key] = occurrence.step
            self.by_signature[occurrence.signature].append(occurrence)
            self._last[occurrence.task] = occurrence.step

    @property
    def steps(self) -> int:
        """Number of steps of all tasks up to their last errors."""
        return sum(step + 1 for step in self._last.values())


def tasks(occurrences: Sequence[Occurrence]) -> int:
    """Return the number of tasks with errors."""
    return len({occurrence.task for occurrence in occurrences})
