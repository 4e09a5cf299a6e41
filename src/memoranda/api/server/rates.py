"""Rate limits: token buckets that refill with time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

MOST = 10_000
"""Maximum number of buckets.

The least recently used one is dropped, which makes it full again.
"""


@dataclass(slots=True)
class _Bucket:
    level: float
    at: float


class TokenBuckets:
    """Token buckets by key, full at first and refilled at a steady rate.

    For one thread, such as that of an event loop.
    """

    def __init__(
        self,
        rate: float,
        burst: float,
        clock: Callable[[], float] = time.monotonic,
        most: int = MOST,
    ) -> None:
        """Make the buckets.

        ``rate`` is per second, ``burst`` is the capacity of a bucket.
        """
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._most = most
        self._buckets: OrderedDict[Hashable, _Bucket] = OrderedDict()

    def take(self, key: Hashable) -> float:
        """Take one token; return 0, or the seconds until there is one again."""
        bucket = self._filled(key)
        if bucket.level < 1.0:
            return (1.0 - bucket.level) / self._rate
        bucket.level -= 1.0
        return 0.0

    def pause(self, key: Hashable) -> float:
        """Return what `take` would, without taking a token."""
        level = self._filled(key).level if key in self._buckets else self._burst
        return max(0.0, 1.0 - level) / self._rate

    def __len__(self) -> int:
        return len(self._buckets)

    def _filled(self, key: Hashable) -> _Bucket:
        now = self._clock()
        bucket = self._buckets.pop(key, None) or _Bucket(self._burst, now)
        bucket.level = min(self._burst, bucket.level + (now - bucket.at) * self._rate)
        bucket.at = now
        self._buckets[key] = bucket
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return bucket
