"""Working memory of a task: put, get, list and delete entries."""

from __future__ import annotations

from memoranda.exceptions import NotFound
from memoranda.operation_declaration import read, write
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.resource import Resource
from memoranda.tasks.reference import TaskReference
from memoranda.working.model import WorkingEntry, WorkingKey, new_entry


class WorkingMemoryResource(Resource):
    """``memory.working``: working memory of tasks.

    A task is specified by its name, its number, its id, or a unique prefix of its id.
    """

    @write("working.put")
    def put(
        self, task: TaskReference, key: str, value: object, ttl: int | None = None
    ) -> WorkingEntry:
        """Store a value under a key of a task, for a limited time.

        Return the entry. Without ``ttl``, the lifetime in the settings applies, by default an hour.
        An existing value under the key is replaced. The value is returned exactly as it was stored.

        Raises:
            InvalidInput: the key does not have 1 to 200 characters, the value is not JSON or has
                more than 1 MB of JSON text, the key or the value contains a credential, or ``ttl``
                is not between 1 second and 30 days.
            NotFound: there is no such task.
        """
        ttl = self._services.settings.working_memory_ttl if ttl is None else ttl
        place = self._task_id(task)
        checked = new_entry(self._scope.team, place, key, value, ttl, 0)  # before costly work
        sanitiser = self._services.sanitiser
        name = sanitiser.checked_name("a key", checked.key)
        state = sanitiser.state(f"the entry {name!r}", checked.value, None)
        return self._services.working.put(self._scope.team, place, name, state, ttl)

    @read("working.get")
    def get(self, task: TaskReference, key: str) -> WorkingEntry:
        """Show the value that a task has stored under a key.

        Raises:
            NotFound: there is no such value, or it has expired.
        """
        entry = self._services.working.get(self._scope.team, self._task_id(task), key)
        if entry is None:
            raise NotFound(f"no value for {key!r} in this task; it may have expired")
        return entry

    @read("working.list")
    def list(
        self, task: TaskReference, cursor: str | None = None, limit: int = 50
    ) -> Page[WorkingKey]:
        """List the keys of a task, without the values.

        They are sorted by their characters.
        """
        checked_limit(limit)
        place, after = self._task_id(task), place_of(cursor, first="")
        keys = self._services.working.keys(self._scope.team, place, after=after, limit=limit + 1)
        return page_of(keys, limit, lambda key: key.key)

    @write("working.delete")
    def delete(self, task: TaskReference, key: str) -> bool:
        """Delete the value that a task has stored under a key.

        Return whether the value existed.
        """
        return self._services.working.delete(self._scope.team, self._task_id(task), key)

    def _task_id(self, task: TaskReference) -> str:
        result = self._within(None, task).task
        assert result is not None
        return result
