"""In-process cache of results that can be recomputed."""

from __future__ import annotations

import threading
from collections import OrderedDict

from memoranda.clock import MICROSECONDS, Clock

ENTRIES = 256
BYTES = 8 << 20


class ProcessCache:
    """LRU cache of results, limited by number and bytes."""

    def __init__(self, clock: Clock, *, entries: int = ENTRIES, size: int = BYTES) -> None:
        self._clock = clock
        self._entries = entries
        self._size = size
        self._cached: OrderedDict[tuple[str, str], tuple[bytes, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, team: str, key: str) -> bytes | None:
        """Return a cached value unless it expired, was cleared or was evicted."""
        with self._lock:
            entry = self._cached.get((team, key))
            if entry is None:
                return None
            data, expires_at = entry
            if self._clock.now() >= expires_at:
                self._drop((team, key))
                return None
            self._cached.move_to_end((team, key))
            return data

    def put(self, team: str, key: str, data: bytes, ttl_seconds: int) -> None:
        """Cache bytes for a time; the least recently used results are evicted."""
        with self._lock:
            self._drop((team, key))
            self._cached[team, key] = data, self._clock.now() + ttl_seconds * MICROSECONDS
            self._bytes += len(data)
            while len(self._cached) > self._entries or self._bytes > self._size:
                self._drop(next(iter(self._cached)))

    def clear(self, team: str) -> bool:
        """Delete all results of a team."""
        with self._lock:
            for place in [place for place in self._cached if place[0] == team]:
                self._drop(place)
        return True

    def _drop(self, place: tuple[str, str]) -> None:
        data, _ = self._cached.pop(place, (b"", 0))
        self._bytes -= len(data)
