"""Cached counts of large tables, renewed only after some minutes.

A count reads every row; the count is used to choose a query plan or to separate rare terms from
common ones. With so many rows, the changes of a few minutes make no difference.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

MANY = 1_000
"""Number of rows above which a count is cached.

Fewer rows are counted each time, which takes about a millisecond.
"""
KEPT_SECONDS = 300.0
MAXIMUM = 20_000
"""Maximum number of cached counts; the most recently used ones are kept, which takes a few
megabytes.
"""


class CachedCounts:
    """Recent counts of all teams. Safe to use from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[str | None, ...], tuple[int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, *what: str | None) -> int | None:
        """Return a cached count, or None if rows must be counted."""
        with self._lock:
            count, until = self._kept.get(what, (0, 0.0))
            if not count or self._clock() >= until:
                return None
            self._kept.move_to_end(what)
            return count

    def keep(self, count: int, *what: str | None) -> None:
        """Cache a large count with its key, whose first part is the team."""
        if count < MANY:
            return
        with self._lock:
            self._kept[what] = count, self._clock() + KEPT_SECONDS
            self._kept.move_to_end(what)
            while len(self._kept) > MAXIMUM:
                self._kept.popitem(last=False)
