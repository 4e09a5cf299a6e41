"""Time and randomness that come out the same in every run."""

from __future__ import annotations

import random
import threading

START = 1_750_000_000_000_000
"""Where a clock begins unless told otherwise: 15 June 2025, in microseconds."""


class FixedClock:
    """A clock that stands still, or goes on by ``step`` microseconds with each look at it.

    A negative step makes it run backwards, as a machine's clock may.
    """

    def __init__(self, start: int = START, step: int = 0) -> None:
        self._next = start
        self._step = step
        self._lock = threading.Lock()

    def now(self) -> int:
        """Return microseconds since the epoch."""
        with self._lock:
            moment = self._next
            self._next += self._step
            return moment

    def advance(self, microseconds: int) -> None:
        """Let time pass."""
        with self._lock:
            self._next += microseconds


class SeededBytes:
    """Bytes for an `IdSource` that follow from a seed alone."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def __call__(self, size: int) -> bytes:
        """Return the next bytes."""
        return self._random.randbytes(size)
