"""Open errors of a task and of earlier tasks, updated after each call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from memoranda.errors.check_commands import SHELL
from memoranda.errors.outcome_parser import NO_OUTCOME, outcome_of
from memoranda.errors.resolution_rules import AttemptedCall, ends_error, is_inspection

Text = Callable[[], str]
"""Function that returns the readable text of a call."""


class ErrorTarget(NamedTuple):
    """Task and target of an error."""

    task: str
    target: str


@dataclass(frozen=True, slots=True)
class CapturedCall:
    """Tool call, whose output is read only if needed."""

    target: str
    text: Text
    failed: bool

    def attempted(self) -> AttemptedCall:
        """Return the call with its outcome."""
        text = self.text()
        outcome = outcome_of(text, failed=self.failed) if text else NO_OUTCOME
        return AttemptedCall(self.target, outcome, self.failed)


@dataclass(slots=True)
class OpenErrors:
    """Errors that are still open.

    Outputs are read only if they are needed to decide on a resolution.
    """

    found: dict[ErrorTarget, str]
    """Id of the newest error of each task and target."""
    stored: Callable[[str], str]
    """Function that returns the text of a stored error; empty if it no longer exists."""
    _texts: dict[str, Text] = field(default_factory=dict)
    _seen: dict[str, AttemptedCall] = field(default_factory=dict)

    def open(self, place: ErrorTarget, id: str, text: Text | None = None) -> list[ErrorTarget]:
        """Add an open error, which replaces earlier ones for the same target.

        Return the targets of replaced errors in other tasks.
        """
        earlier = [
            target for target in self.found if target.target == place.target and target != place
        ]
        self.drop(earlier)
        self.found[place] = id
        if text:
            self._texts[id] = text
        return earlier

    def ended(self, call: CapturedCall) -> list[ErrorTarget]:
        """Return the task and target of each error that a call resolves.

        Even a failed call may resolve some.
        """
        if not self.found:
            return []
        if not call.target.startswith(SHELL) or is_inspection(call.target):
            return [
                target for target in self.found if target.target == call.target and not call.failed
            ]
        passed = call.attempted()
        return [
            error_target
            for error_target in self.found
            if ends_error(passed, self._error(error_target))
        ]

    def drop(self, places: Iterable[ErrorTarget]) -> str | None:
        """Remove errors; return the id of the newest."""
        return max((self.found.pop(target) for target in places), default=None)

    def _error(self, place: ErrorTarget) -> AttemptedCall:
        id = self.found[place]
        if id not in self._seen:
            text = self._texts.get(id, partial(self.stored, id))
            self._seen[id] = CapturedCall(place.target, text, failed=True).attempted()
        return self._seen[id]
