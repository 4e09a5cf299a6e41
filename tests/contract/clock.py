"""Deterministic time and randomness for tests."""

from __future__ import annotations

import random
import threading

START = 1_750_000_000_000_000
"""Default start of a clock: 15 June 2025, in microseconds."""


class FixedClock:
    """A clock that stands still or advances ``step`` microseconds per reading.

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
        """Advance the clock."""
        with self._lock:
            self._next += microseconds


class SeededBytes:
    """Random bytes for an `IdSource`, determined by a seed."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def __call__(self, size: int) -> bytes:
        """Return the next bytes."""
        return self._random.randbytes(size)
