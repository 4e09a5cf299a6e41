"""The clock interface and the system clock, injected into components.

Stored times are integer microseconds since the epoch, UTC.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

MICROSECONDS = 1_000_000
LATEST = 253_402_300_799_999_999
"""Last moment of the year 9999, the last year that ISO 8601 can express."""


class Clock(Protocol):
    """Source of the current time for a component."""

    def now(self) -> int:
        """Return microseconds since the epoch, never less than the previous call."""
        ...


class SystemClock:
    """The machine's clock, which never runs backwards within this process."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def now(self) -> int:
        """Return the time, or the latest returned time if the clock was set back."""
        with self._lock:
            self._last = max(self._last, time.time_ns() // 1000)
            return self._last
