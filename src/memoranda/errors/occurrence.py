"""Occurrences of errors, as the search for patterns needs them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Error, as far as patterns need it."""

    task: str
    step: int
    """Position in the task, such as the sequence of its observation."""
    signature: str
    contexts: Mapping[str, str]
    """Context by name, such as tool, stage, agent; left out where unknown."""
    ref: str
    """Short name that finds it again."""
    created_at: int
    line: str = ""
    """Message of the error."""
    target: str = ""
    """Target of the step: a command, a file."""
    fix: str = ""
    """What ended it, as recorded; empty while nothing did."""


class OccurrenceLog:
    """Errors in order, counted once for all queries.

    An agent that tries again and fails again has not erred twice. The units of statistics are
    therefore bouts: a bout is a run of errors of one cause in one task without a long pause, and it
    is represented by its first error.
    """

    def __init__(self, occurrences: Sequence[Occurrence], pause: int) -> None:
        """Sort errors; ``pause``: steps without the cause that end a bout."""
        self.all = sorted(occurrences, key=lambda one: (one.task, one.step, one.ref))
        self.by_signature: dict[str, list[Occurrence]] = defaultdict(list)
        self.bouts: dict[str, list[Occurrence]] = defaultdict(list)
        """By signature."""
        self.bouts_by_task: dict[str, list[Occurrence]] = defaultdict(list)
        self._last: dict[str, int] = {}
        before: dict[tuple[str, str], int] = {}
        for one in self.all:
            key = one.task, one.signature
            if key not in before or one.step - before[key] > pause:
                self.bouts[one.signature].append(one)
                self.bouts_by_task[one.task].append(one)
            before[key] = one.step
            self.by_signature[one.signature].append(one)
            self._last[one.task] = one.step

    @property
    def steps(self) -> int:
        """Return the steps of all tasks up to their last error."""
        return sum(step + 1 for step in self._last.values())


def tasks(occurrences: Sequence[Occurrence]) -> int:
    """Count the tasks that errors happened in."""
    return len({one.task for one in occurrences})
