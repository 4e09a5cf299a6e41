"""Working memory in a table of the store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from memoranda.clock import Clock
from memoranda.exceptions import NotFound
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.working import table as working
from memoranda.working.model import WorkingEntry, WorkingKey, checked_key, new_entry
from memoranda.working.table import EVER


class TableWorkingMemory:
    """Stores entries in the database; later writes delete expired ones."""

    def __init__(self, database: Database, clock: Clock, *, keep: int = 0) -> None:
        """Create the working memory.

        ``keep`` is the time in microseconds for which an expired entry remains in the table,
        invisible.
        """
        self._database = database
        self._clock = clock
        self._keep = keep

    def put(self, team: str, task: str, key: str, value: object, ttl_seconds: int) -> WorkingEntry:
        """Store an entry, replacing any entry with the same key."""
        entry = new_entry(team, task, key, value, ttl_seconds, self._clock.now())
        self._write(entry)
        return entry

    def get(self, team: str, task: str, key: str) -> WorkingEntry | None:
        """Return an entry that has not expired, or None."""
        return self._get(team, task, key, self._clock.now())

    def delete(self, team: str, task: str, key: str) -> bool:
        """Delete an entry; return whether it existed."""
        key, now = checked_key(key), self._clock.now()

        def work(tx: Transaction) -> bool:
            was_alive = working.get(tx, team, task, key, now) is not None
            working.delete(tx, team, task, key)
            working.sweep(tx, team, now - self._keep)
            return was_alive

        return self._database.of(team).write(work)

    def keys(self, team: str, task: str, *, after: str = "", limit: int) -> list[WorkingKey]:
        """Return unexpired entries with a key above ``after``, in key order."""
        return self._keys(team, task, self._clock.now(), after, limit)

    def forget(self, team: str, tasks: Sequence[str]) -> None:
        """Delete all entries of some tasks."""
        self._database.of(team).write(lambda tx: working.clear(tx, team, tasks))

    # The following methods are for `FallbackWorkingMemory`, which uses the table as a fallback.

    def get_even_expired(self, team: str, task: str, key: str) -> WorkingEntry | None:
        """Return an entry even if it has expired."""
        return self._get(team, task, key, EVER)

    def keys_even_expired(
        self, team: str, task: str, *, after: str = "", limit: int
    ) -> list[WorkingKey]:
        """Return keys even if they have expired."""
        return self._keys(team, task, EVER, after, limit)

    def bury(self, team: str, task: str, key: str) -> bool:
        """Mark a key as deleted; return whether it existed."""
        now = self._clock.now()
        grave = WorkingEntry(team, task, checked_key(key), None, now, now)
        was_alive = self.get(team, task, grave.key) is not None
        with suppress(NotFound):  # the task no longer exists
            self._write(grave)
        return was_alive

    def outdate(self, entry: WorkingEntry) -> None:
        """Delete an entry that is older than one with the same key elsewhere.

        Raises:
            NotFound: the task no longer exists.
        """
        database = self._database.of(entry.team)
        place = (entry.team, entry.task, entry.key)

        def look(tx: Transaction) -> WorkingEntry | None:
            _require_task(tx, entry.team, entry.task)
            return working.get(tx, *place, EVER)

        working_entry = database.read(look)
        if working_entry and working_entry.written_at <= entry.written_at:
            database.write(lambda tx: working.delete(tx, *place, entry.written_at))

    def _get(self, team: str, task: str, key: str, alive_at: int) -> WorkingEntry | None:
        key = checked_key(key)
        return self._database.of(team).read(lambda tx: working.get(tx, team, task, key, alive_at))

    def _keys(
        self, team: str, task: str, alive_at: int, after: str, limit: int
    ) -> list[WorkingKey]:
        return self._database.of(team).read(
            lambda tx: working.listed(tx, team, task, alive_at, after=after, limit=limit)
        )

    def _write(self, entry: WorkingEntry) -> None:
        def work(tx: Transaction) -> None:
            _require_task(tx, entry.team, entry.task)
            working.put(tx, entry)
            working.sweep(tx, entry.team, entry.written_at - self._keep)

        self._database.of(entry.team).write(work)


def _require_task(tx: Transaction, team: str, task: str) -> None:
    if tasks.by_id(tx, team, task) is None:
        raise NotFound(f"no task {task!r}; `memoranda task list` lists the tasks")
