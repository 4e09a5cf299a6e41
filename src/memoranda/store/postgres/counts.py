"""Counts of very many rows, which are taken anew only after a while.

To count takes a look at every row, and is done to choose a way of looking or to tell rare words
from common ones: among so many, what a few minutes add or take away makes no difference.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

MANY = 1_000
"""Rows from which on a count is kept; fewer are counted each time, in a millisecond."""
KEPT_SECONDS = 300.0
MOST = 20_000
"""Counts that are kept, those that were asked for last; some megabytes."""


class CachedCounts:
    """What was counted of late, of every team. Safe to use from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[str | None, ...], tuple[int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, *what: str | None) -> int | None:
        """Return how many there were, None where that has to be counted."""
        with self._lock:
            count, until = self._kept.get(what, (0, 0.0))
            if not count or self._clock() >= until:
                return None
            self._kept.move_to_end(what)
            return count

    def keep(self, count: int, *what: str | None) -> None:
        """Note how many there are, the team first in what names them; few are not kept."""
        if count < MANY:
            return
        with self._lock:
            self._kept[what] = count, self._clock() + KEPT_SECONDS
            self._kept.move_to_end(what)
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
