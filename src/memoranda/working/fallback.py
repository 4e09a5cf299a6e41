"""Working memory on a server, with the store's table as a fallback.

An entry may be in both places: it was written to the server, the server became unavailable, and the
key was written again to the table. Every entry therefore records when it was written. The newer
entry is used; if the times are equal, the entry in the table is used, since a write to the server
deletes older entries in the table. Entries that expired or were deleted while the server was
unavailable remain in the table, invisible, as long as the server may have an older entry with the
same key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from heapq import merge
from itertools import groupby, islice
from operator import attrgetter

from memoranda.clock import Clock
from memoranda.exceptions import NotFound, StorageUnusable
from memoranda.ports import WorkingMemory
from memoranda.working.model import WorkingEntry, WorkingKey
from memoranda.working.table_memory import TableWorkingMemory

PAGE = 200
"""Number of keys that are loaded at once when both the server and the table are read."""


class FallbackWorkingMemory:
    """Writes to the server, or to the table as a fallback; reads both."""

    def __init__(self, server: WorkingMemory, table: TableWorkingMemory, clock: Clock) -> None:
        """Create a working memory that uses a server and a table.

        ``server`` must raise StorageUnusable promptly while it is unavailable.
        """
        self._server = server
        self._table = table
        self._clock = clock

    def put(self, team: str, task: str, key: str, value: object, ttl_seconds: int) -> WorkingEntry:
        """Store an entry, replacing any entry with the same key."""
        try:
            entry = self._server.put(team, task, key, value, ttl_seconds)
        except StorageUnusable:
            return self._table.put(team, task, key, value, ttl_seconds)
        try:
            self._table.outdate(entry)
        except NotFound:  # the task was forgotten, so the new entry must be deleted
            with suppress(StorageUnusable):
                self._server.forget(team, [task])
            raise
        return entry

    def get(self, team: str, task: str, key: str) -> WorkingEntry | None:
        """Return an entry that has not expired, or None."""
        try:
            there = self._server.get(team, task, key)
        except StorageUnusable:
            return self._table.get(team, task, key)
        here = self._table.get_even_expired(team, task, key)
        if here is None or (there is not None and there.written_at > here.written_at):
            return there
        return here if here.alive(self._clock.now()) else None

    def delete(self, team: str, task: str, key: str) -> bool:
        """Delete an entry; return whether it existed.

        While the server is unavailable, only the table is checked.
        """
        was_alive = self.get(team, task, key) is not None
        try:
            self._server.delete(team, task, key)
        except StorageUnusable:
            return self._table.bury(team, task, key)
        if self._table.get_even_expired(team, task, key) is not None:
            self._table.delete(team, task, key)
        return was_alive

    def keys(self, team: str, task: str, *, after: str = "", limit: int) -> list[WorkingKey]:
        """Return unexpired entries with a key above ``after``, in key order."""

        def here(after: str) -> list[WorkingKey]:
            return self._table.keys_even_expired(team, task, after=after, limit=PAGE)

        def there(after: str) -> list[WorkingKey]:
            return self._server.keys(team, task, after=after, limit=PAGE)

        # For equal keys, merge yields the table's entry first, and max keeps the first.
        both = merge(_walk(here, after), _walk(there, after), key=attrgetter("key"))
        newest = (
            max(keys, key=attrgetter("written_at"))
            for _, keys in groupby(both, key=attrgetter("key"))
        )
        now = self._clock.now()
        try:
            return list(islice((key for key in newest if now < key.expires_at), limit))
        except StorageUnusable:
            return self._table.keys(team, task, after=after, limit=limit)

    def forget(self, team: str, tasks: Sequence[str]) -> None:
        """Delete all entries of some tasks.

        Raises:
            StorageUnusable: the server does not answer; its entries remain until they expire.
        """
        self._table.forget(team, tasks)
        self._server.forget(team, tasks)


def _walk(page: Callable[[str], list[WorkingKey]], after: str) -> Iterator[WorkingKey]:
    """Yield all keys after a key, page by page."""
    while keys := page(after):
        yield from keys
        after = keys[-1].key
