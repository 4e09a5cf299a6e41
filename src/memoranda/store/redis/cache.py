"""Cache in Redis or Valkey, shared by all processes of a team.

It contains only results that can be computed again.
"""

from __future__ import annotations

from typing import Any, cast

from memoranda.exceptions import StorageUnusable
from memoranda.store.redis.server import RedisServer, place

PAGE = 500


class RedisCache:
    """Cache on a server; disabled while the server does not respond."""

    def __init__(self, server: RedisServer) -> None:
        self._server = server

    def get(self, team: str, key: str) -> bytes | None:
        """Return a cached value unless it expired or was cleared."""
        try:
            return self._server.run(
                lambda client: cast("bytes | None", client.get(_result(team, key)))
            )
        except StorageUnusable:
            return None

    def put(self, team: str, key: str, data: bytes, ttl_seconds: int) -> None:
        """Cache bytes for a time."""
        try:
            self._server.run(lambda client: client.set(_result(team, key), data, ex=ttl_seconds))
        except StorageUnusable:
            return

    def clear(self, team: str) -> bool:
        """Delete all results of a team; False if the server does not respond."""

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
    """Return the key of a result, or without one the prefix of a team's keys."""
    return place(team, "cache", key)
