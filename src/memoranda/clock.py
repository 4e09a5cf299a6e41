"""Time, injected. Stored times are integer microseconds since the epoch, UTC."""

from __future__ import annotations

import threading
import time
from typing import Protocol

MICROSECONDS = 1_000_000
LATEST = 253_402_300_799_999_999
"""The last time of the year 9999, with which the calendar of ISO 8601 ends."""


class Clock(Protocol):
    """Where a component gets the time from."""

    def now(self) -> int:
        """Return microseconds since the epoch; never less than the call before."""
        ...


class SystemClock:
    """The machine's clock, kept from running backwards within this process."""

    def __init__(self) -> None:
        self._last = 0
        self._lock = threading.Lock()

    def now(self) -> int:
        """Return the time, or the last one returned if the machine's clock stepped back."""
        with self._lock:
            self._last = max(self._last, time.time_ns() // 1000)
            return self._last
