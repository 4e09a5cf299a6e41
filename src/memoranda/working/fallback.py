"""Working memory on a server, with the store's table as a fallback.

An entry may be in both places: it was written to the server, the server became unavailable, and the
key was written again to the table. So every entry records when it was written. The newer one
counts, and of two of the same moment the one in the table, since the server's own writes delete
older entries there. What expired or was deleted while the server was unavailable stays in the
table, not returned, for as long as the server may have something older under its key.
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
"""Keys fetched at once where both stores are read in parallel."""


class FallbackWorkingMemory:
    """Writes to the server, or to the table while it is away; reads both."""

    def __init__(self, server: WorkingMemory, table: TableWorkingMemory, clock: Clock) -> None:
        """Create the working memory of a server and a table.

        ``server`` raises StorageUnusable, soon, while it is away.
        """
        self._server = server
        self._table = table
        self._clock = clock

    def put(self, team: str, task: str, key: str, value: object, ttl_seconds: int) -> WorkingEntry:
        """Write an entry, replacing any under its key."""
        try:
            entry = self._server.put(team, task, key, value, ttl_seconds)
        except StorageUnusable:
            return self._table.put(team, task, key, value, ttl_seconds)
        try:
            self._table.outdate(entry)
        except NotFound:  # the task was forgotten; what was just written must not outlive it
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

        While the server is away, only the table can say that.
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
        """Return unexpired entries in the order of keys, those above ``after``."""

        def here(after: str) -> list[WorkingKey]:
            return self._table.keys_even_expired(team, task, after=after, limit=PAGE)

        def there(after: str) -> list[WorkingKey]:
            return self._server.keys(team, task, after=after, limit=PAGE)

        # Of equals, merge gives those of the first list first and max takes the first.
        both = merge(_walk(here, after), _walk(there, after), key=attrgetter("key"))
        newest = (
            max(found, key=attrgetter("written_at"))
            for _, found in groupby(both, key=attrgetter("key"))
        )
        now = self._clock.now()
        try:
            return list(islice((key for key in newest if now < key.expires_at), limit))
        except StorageUnusable:
            return self._table.keys(team, task, after=after, limit=limit)

    def forget(self, team: str, tasks: Sequence[str]) -> None:
        """Delete everything of some tasks.

        Raises:
            StorageUnusable: the server does not answer; its entries expire by themselves.
        """
        self._table.forget(team, tasks)
        self._server.forget(team, tasks)


def _walk(page: Callable[[str], list[WorkingKey]], after: str) -> Iterator[WorkingKey]:
    """Yield all keys after a key, page by page."""
    while found := page(after):
        yield from found
        after = found[-1].key
