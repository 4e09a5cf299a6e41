"""Callers that were known a moment ago, so that each request need not ask the store."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from memoranda.identity.principal import Principal

SECONDS = 3.0
"""How long somebody stays known; another process may revoke a credential at any time."""
MOST = 10_000
"""Callers that are known at once."""


@dataclass(frozen=True, slots=True)
class _CachedCaller:
    principal: Principal
    until: float


class CallerCache:
    """Callers by the hash of what they showed. Safe to share by threads.

    It goes by a clock that nobody can set: a machine whose time is put back must not go on
    knowing whom another process revoked.
    """

    def __init__(self, elapsed: Callable[[], float] = time.monotonic) -> None:
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._callers = OrderedDict[bytes, _CachedCaller]()
        self._generation = 0

    @property
    def generation(self) -> int:
        """How often everybody was forgotten."""
        return self._generation

    def get(self, text: str) -> Principal | None:
        """Return whom a text stands for, if that was found out just now.

        Texts of sessions are put and asked for with a line break before them, which no credential
        has: what a browser shows is good for nothing elsewhere.
        """
        with self._lock:
            found = self._callers.get(_digest(text))
            return found.principal if found and self._elapsed() < found.until else None

    def put(self, text: str, principal: Principal, generation: int) -> None:
        """Remember a caller, unless everybody was forgotten while he was looked up."""
        with self._lock:
            if generation != self._generation:
                return
            digest = _digest(text)
            self._callers[digest] = _CachedCaller(principal, self._elapsed() + SECONDS)
            self._callers.move_to_end(digest)
            while len(self._callers) > MOST:
                self._callers.popitem(last=False)

    def forget(self) -> None:
        """Forget everybody: something was revoked."""
        with self._lock:
            self._generation += 1
            self._callers.clear()


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
