"""A Redis or Valkey server that may become unavailable at any time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from memoranda.clock import MICROSECONDS, Clock
from memoranda.exceptions import InvalidInput, StorageUnusable

T = TypeVar("T")

TIMEOUT_SECONDS = 0.5
"""Timeout in seconds for a connection and for a response."""
PAUSE = 3 * MICROSECONDS
"""How long an unresponsive server is not used, in microseconds, unless it refuses connections
immediately.
"""
PROMPT_SECONDS = 0.05
"""Maximum seconds in which a server that is down refuses a connection immediately.

Such a server is tried at every call, since an attempt costs little: when the server returns, no
process misses what another process writes there.
"""

logger = logging.getLogger(__name__)


def place(team: str, *parts: str) -> str:
    """Return a key in a team's namespace.

    Different lists of parts never have the same key, whatever they contain.
    """
    encoded = (quote(part, safe="", errors="surrogatepass") for part in (team, *parts))
    return ":".join(("memoranda", *encoded))


class RedisServer:
    """The connections to a server, and whether it is currently available."""

    def __init__(self, url: str, clock: Clock) -> None:
        """Create the client; no connection is opened before the first call.

        Raises:
            InvalidInput: the address is invalid.
        """
        self._clock = clock
        self._lock = threading.Lock()
        self._away = False
        self._next_try: int | None = 0
        try:
            self._client: Any = redis.Redis.from_url(
                url,
                socket_connect_timeout=TIMEOUT_SECONDS,
                socket_timeout=TIMEOUT_SECONDS,
                retry=Retry(NoBackoff(), 0),  # by default the client would retry for seconds
                protocol=2,
            )
        except ValueError as error:
            raise InvalidInput(
                "redis_url must be a URL such as redis://localhost:6379/0"
            ) from error

    def run(self, work: Callable[[Any], T]) -> T:
        """Run a function with a client of the server.

        Raises:
            StorageUnusable: the server does not respond or refuses the call, or did so a moment
                ago.
        """
        if not self._may_answer():
            raise StorageUnusable("Redis did not answer recently; it will be retried soon")
        began = time.monotonic()
        try:
            answer = work(self._client)
        except (redis.RedisError, OSError) as error:
            self._mark_unavailable(error, time.monotonic() - began)
            raise StorageUnusable(f"Redis does not answer: {type(error).__name__}") from error
        self._is_there()
        return answer

    def answers(self) -> bool:
        """Return whether the server responds; do not retry just after a failure."""
        try:
            self.run(lambda client: client.ping())
        except StorageUnusable:
            return False
        return True

    def close(self) -> None:
        """Close every connection. Idempotent."""
        self._client.close()

    def _may_answer(self) -> bool:
        with self._lock:
            if not self._away or self._next_try is None:
                return True
            now = self._clock.now()
            if now < self._next_try:
                return False
            self._next_try = now + PAUSE  # one caller tests the server for all
            return True

    def _mark_unavailable(self, error: Exception, seconds: float) -> None:
        is_prompt = isinstance(error, redis.ConnectionError) and seconds < PROMPT_SECONDS
        with self._lock:
            is_news, self._away = not self._away, True
            self._next_try = None if is_prompt else self._clock.now() + PAUSE
        if is_news:
            trouble = {"error": type(error).__name__}
            logger.warning("Redis does not answer; the store is used instead", extra=trouble)

    def _is_there(self) -> None:
        with self._lock:
            is_news, self._away = self._away, False
        if is_news:
            logger.info("Redis answers again")
