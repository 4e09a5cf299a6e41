"""Results that can be had again, in Redis or Valkey, for all processes of a team."""

from __future__ import annotations

from typing import Any, cast

from memoranda.exceptions import StorageUnusable
from memoranda.store.redis.server import RedisServer, place

PAGE = 500


class RedisCache:
    """Holds what it is given while the server answers, and nothing while it does not."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server

    def get(self, team: str, key: str) -> bytes | None:
        """Return what was put, unless it expired or was cleared."""
        try:
            return self._server.run(
                lambda client: cast("bytes | None", client.get(_result(team, key)))
            )
        except StorageUnusable:
            return None

    def put(self, team: str, key: str, data: bytes, ttl_seconds: int) -> None:
        """Keep some bytes for a while."""
        try:
            self._server.run(lambda client: client.set(_result(team, key), data, ex=ttl_seconds))
        except StorageUnusable:
            return

    def clear(self, team: str) -> bool:
        """Drop everything of a team; False when the server does not answer."""

        def work(client: Any) -> None:
            cursor = None
            while cursor != 0:
                cursor, names = client.scan(cursor or 0, match=_result(team) + "*", count=PAGE)
                if names:
                    client.delete(*names)

        try:
            self._server.run(work)
        except StorageUnusable:
            return False
        return True


def _result(team: str, key: str = "") -> str:
    """Where a result lies; without a key, what all of the team begin with."""
    return place(team, "cache", key)
