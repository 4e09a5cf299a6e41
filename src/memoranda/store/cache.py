"""Results that can be had again, in this process alone."""

from __future__ import annotations

import threading
from collections import OrderedDict

from memoranda.clock import MICROSECONDS, Clock

ENTRIES = 256
BYTES = 8 << 20


class ProcessCache:
    """Holds the results that were used last, within a bound of number and of bytes."""

    def __init__(self, clock: Clock, *, entries: int = ENTRIES, size: int = BYTES) -> None:
        self._clock = clock
        self._entries = entries
        self._size = size
        self._held: OrderedDict[tuple[str, str], tuple[bytes, int]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, team: str, key: str) -> bytes | None:
        """Return what was put, unless it expired, was cleared or fell out."""
        with self._lock:
            held = self._held.get((team, key))
            if held is None:
                return None
            data, expires_at = held
            if self._clock.now() >= expires_at:
                self._drop((team, key))
                return None
            self._held.move_to_end((team, key))
            return data

    def put(self, team: str, key: str, data: bytes, ttl_seconds: int) -> None:
        """Keep some bytes for a while; what was not used for longest makes room."""
        with self._lock:
            self._drop((team, key))
            self._held[team, key] = data, self._clock.now() + ttl_seconds * MICROSECONDS
            self._bytes += len(data)
            while len(self._held) > self._entries or self._bytes > self._size:
                self._drop(next(iter(self._held)))

    def clear(self, team: str) -> bool:
        """Drop everything of a team."""
        with self._lock:
            for place in [place for place in self._held if place[0] == team]:
                self._drop(place)
        return True

    def _drop(self, place: tuple[str, str]) -> None:
        data, _ = self._held.pop(place, (b"", 0))
        self._bytes -= len(data)
