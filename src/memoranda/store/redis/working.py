"""Working memory in Redis or Valkey, with commands of Redis 6.

An entry is one string, which the server itself expires. The keys of a task's entries are in a
sorted set, all with the same score, so that the server keeps the keys in order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from redis import WatchError

from memoranda.clock import Clock
from memoranda.json_data import dump_json
from memoranda.store.redis.server import RedisServer, place
from memoranda.working.model import MAX_SECONDS, WorkingEntry, WorkingKey, checked_key, new_entry

DIGITS = 20
"""Number of digits of each of the two times at the start of an entry."""
PAGE = 500
KEYS_SECONDS = MAX_SECONDS + 60
"""Seconds for which the sorted set is kept after the newest entry was stored.

No entry outlives the set.
"""


class RedisWorkingMemory:
    """Stores entries on a server.

    Every call raises StorageUnusable while the server does not respond.
    """

    def __init__(self, server: RedisServer, clock: Clock) -> None:
        self._server = server
        self._clock = clock

    def put(self, team: str, task: str, key: str, value: object, ttl_seconds: int) -> WorkingEntry:
        """Store an entry, replacing any with the same key."""
        entry = new_entry(team, task, key, value, ttl_seconds, self._clock.now())
        times = f"{entry.written_at:0{DIGITS}d}{entry.expires_at:0{DIGITS}d}"
        data = (times + dump_json(entry.value)).encode()

        def work(client: Any) -> None:
            with client.pipeline(transaction=True) as pipe:
                pipe.set(_entry(team, task, entry.key), data, ex=ttl_seconds)
                pipe.zadd(_keys(team, task), {entry.key.encode(): 0})
                pipe.expire(_keys(team, task), KEYS_SECONDS)
                pipe.execute()

        self._server.run(work)
        return entry

    def get(self, team: str, task: str, key: str) -> WorkingEntry | None:
        """Return an entry that has not expired, or None."""
        key = checked_key(key)
        found = self._server.run(lambda client: client.get(_entry(team, task, key)))
        if found is None:
            return None
        written_at, expires_at = _times(found)
        value = json.loads(found[2 * DIGITS :])
        return WorkingEntry(team, task, key, value, written_at, expires_at)

    def delete(self, team: str, task: str, key: str) -> bool:
        """Delete an entry; return whether it existed."""
        key = checked_key(key)
        return self._server.run(lambda client: _delete(client, team, task, [key.encode()])) > 0

    def keys(self, team: str, task: str, *, after: str = "", limit: int) -> list[WorkingKey]:
        """Return unexpired entries with a key above ``after``, in key order."""

        def work(client: Any) -> list[WorkingKey]:
            keys: list[WorkingKey] = []
            low = after.encode()
            while (most := limit - len(keys)) > 0 and (
                names := _names(client, team, task, low, min(most, PAGE))
            ):
                heads = _heads(client, team, task, names)
                keys += [
                    WorkingKey(name.decode(), *_times(head))
                    for name, head in zip(names, heads, strict=True)
                    if head
                ]
                gone = [name for name, head in zip(names, heads, strict=True) if not head]
                if gone:
                    _tidy(client, team, task, gone)
                low = names[-1]
            return keys

        return self._server.run(work)

    def forget(self, team: str, tasks: Sequence[str]) -> None:
        """Delete all entries of the given tasks."""

        def work(client: Any) -> None:
            for task in tasks:
                while names := _names(client, team, task):
                    _delete(client, team, task, names)

        self._server.run(work)


def _entry(team: str, task: str, key: str) -> str:
    return place(team, "working", task, key)


def _keys(team: str, task: str) -> str:
    return place(team, "keys", task)


def _times(head: bytes) -> tuple[int, int]:
    return int(head[:DIGITS]), int(head[DIGITS : 2 * DIGITS])


def _names(client: Any, team: str, task: str, after: bytes = b"", limit: int = PAGE) -> list[bytes]:
    """Return a page of the sorted set; part of the page may have expired."""
    result: list[bytes] = client.zrangebylex(
        _keys(team, task), b"(" + after, b"+", start=0, num=limit
    )
    return result


def _heads(client: Any, team: str, task: str, names: Sequence[bytes]) -> list[bytes]:
    """Return each entry's times without the value; empty for missing entries."""
    with client.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.getrange(_entry(team, task, name.decode()), 0, 2 * DIGITS - 1)
        result: list[bytes] = pipe.execute()
        return result


def _delete(client: Any, team: str, task: str, names: Sequence[bytes]) -> int:
    """Delete entries with their names; return how many existed."""
    with client.pipeline(transaction=True) as pipe:
        pipe.delete(*(_entry(team, task, name.decode()) for name in names))
        pipe.zrem(_keys(team, task), *names)
        deleted, _ = pipe.execute()
        return int(deleted)


def _tidy(client: Any, team: str, task: str, names: Sequence[bytes]) -> None:
    """Remove the names of deleted entries, unless one was written again."""
    entries = [_entry(team, task, name.decode()) for name in names]
    with client.pipeline(transaction=True) as pipe:
        try:
            pipe.watch(*entries)
            if pipe.exists(*entries):
                return
            pipe.multi()
            pipe.zrem(_keys(team, task), *names)
            pipe.execute()
        except WatchError:
            return
