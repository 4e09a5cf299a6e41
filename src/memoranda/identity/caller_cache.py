"""Cache of recently authenticated callers, which saves store look-ups.

A caller stays cached for three seconds, by a monotonic clock.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from memoranda.identity.principal import Principal

SECONDS = 3.0
"""Seconds for which a caller is cached.

Another process may revoke a credential at any time.
"""
MAXIMUM = 10_000
"""Maximum number of callers in the cache."""


@dataclass(frozen=True, slots=True)
class _CachedCaller:
    principal: Principal
    until: float


class CallerCache:
    """Cache of callers by the hash of their credential. Thread-safe.

    The cache uses a monotonic clock, so that setting the machine's clock back does not prolong the
    access of a revoked caller.
    """

    def __init__(self, elapsed: Callable[[], float] = time.monotonic) -> None:
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._callers = OrderedDict[bytes, _CachedCaller]()
        self._generation = 0

    @property
    def generation(self) -> int:
        """Return the number of times that the cache was cleared."""
        return self._generation

    def get(self, text: str) -> Principal | None:
        """Return the cached principal for a credential, or None.

        Session tokens are cached with a leading line break, which no other credential contains, so
        that a browser session is not accepted elsewhere.
        """
        with self._lock:
            caller = self._callers.get(_digest(text))
            return caller.principal if caller and self._elapsed() < caller.until else None

    def put(self, text: str, principal: Principal, generation: int) -> None:
        """Cache a caller unless the cache was cleared during the look-up."""
        with self._lock:
            if generation != self._generation:
                return
            digest = _digest(text)
            self._callers[digest] = _CachedCaller(principal, self._elapsed() + SECONDS)
            self._callers.move_to_end(digest)
            while len(self._callers) > MAXIMUM:
                self._callers.popitem(last=False)

    def forget(self) -> None:
        """Clear the cache because a credential was revoked."""
        with self._lock:
            self._generation += 1
            self._callers.clear()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
