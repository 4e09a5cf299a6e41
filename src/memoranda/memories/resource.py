"""Use cases: memories stored, listed, explained, removed; errors listed."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.errors import note_table as error_notes
from memoranda.errors.error_log import ErrorFilter
from memoranda.errors.model import ErrorDay, ErrorPattern, ErrorRecord
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.measurement import count_one, measured
from memoranda.memories import table as memories
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, Evidence, Memory, MemoryStatus
from memoranda.memories.removal import RemovalReceipt, RemovalSelection
from memoranda.observations import table as observations
from memoranda.observations.backlinks import checked, errors_of
from memoranda.observations.link_model import ErrorCount
from memoranda.observations.model import Origin
from memoranda.page import Page, checked_limit
from memoranda.ports import Figures
from memoranda.resource import Resource
from memoranda.store.database import Transaction
from memoranda.text import normalise

ANY_ERROR = ErrorFilter()


def _removed(receipt: RemovalReceipt) -> Figures:
    return {"records": 0 if receipt.dry_run else receipt.observations + receipt.memories}


class MemoriesResource(Resource):
    """Operations on memories by hand."""

    @measured("remember", count_one)
    def remember(self, statement: str | NewMemory, *, workspace: str | None = None) -> Memory:
        """Store a memory; a person's is approved at once, an agent's is pending.

        Whose it is follows from how the memory was opened (with an agent or without), never from
        the statement.
        """
        if isinstance(statement, str):
            statement = NewMemory(statement)
        scope = self._within(workspace, None, new=True)
        origin = Origin.AGENT if self._scope.agent else Origin.HUMAN
        memory = self._rooms.memories.remember(statement, scope, origin, self._actor)
        self._rooms.enqueue_rendering(memory.workspace)
        self._rooms.background.wake()
        return memory

    def memories(
        self,
        *,
        workspace: str | None = None,
        status: MemoryStatus | None = None,
        category: Category | None = None,
        critical: bool = False,
        as_of: int | None = None,
        ever: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Memory]:
        """Return memories that this scope sees, newest first.

        They are those that have not ceased to hold.

        Args:
            critical: only those that no context leaves out.
            as_of: those that held at this time instead, in microseconds.
            ever: all, whenever they hold.
        """
        return self._rooms.memories.list(
            self._within(workspace, None),
            status=status,
            category=category,
            critical=critical,
            as_of=as_of,
            ever=ever,
            cursor=cursor,
            limit=limit,
        )

    def why(self, id: str) -> Evidence:
        """Return a memory with the observations it rests on."""
        return self._rooms.memories.why(self._scope, normalise(id))

    def errors(
        self,
        where: ErrorFilter = ANY_ERROR,
        *,
        workspace: str | None = None,
        task: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[ErrorRecord]:
        """Return errors, newest first, each with what ended it."""
        scope = self._within(workspace, task)
        return self._rooms.errors.list(scope, where, cursor=cursor, limit=limit)

    def error_counts(self, tasks: Sequence[str]) -> tuple[ErrorCount, ...]:
        """Return the number of errors and of open errors of some tasks.

        An error is open while nothing has ended it.

        Raises:
            NotFound: there is no such task.
            InvalidInput: there are more than 200.
        """
        checked(tasks)
        chosen = [one.id for one in map(self.task, tasks)]
        return self._database.read(lambda tx: errors_of(tx, self._scope.team, chosen))

    def error_days(
        self, *, workspace: str | None = None, task: str | None = None
    ) -> Sequence[ErrorDay]:
        """Return the days with errors, oldest first, with counts of open errors.

        An error is open while nothing has ended it.
        """
        return self._rooms.errors.days(self._within(workspace, task))

    def error_patterns(
        self, *, workspace: str | None = None, task: str | None = None, limit: int = 50
    ) -> Sequence[ErrorPattern]:
        """Return patterns that recur among errors, the most significant first.

        The same cause again, one soon after another, one mostly with a certain tool, stage or
        agent. Those that deviate most from chance come first.
        """
        checked_limit(limit)
        return self._rooms.errors.patterns(self._within(workspace, task), limit)

    def resolve(self, id: str) -> str:
        """Return the whole id of an observation, memory or error by its prefix.

        Raises:
            NotFound: there is none.
            InvalidInput: there is more than one.
        """
        team, id = self._scope.team, normalise(id)
        agent = self._scope.agent

        def work(tx: Transaction) -> list[str]:
            return [
                *observations.matching_name(tx, team, id),
                *memories.by_prefix(tx, team, id, agent),
                *error_notes.by_prefix(tx, team, id),
            ]

        found = self._database.read(work) if id else []
        if not found:
            raise NotFound(f"no observation or memory {id!r}")
        if len(found) > 1:
            raise InvalidInput(f"more than one id begins with {id!r}; give more of it")
        return found[0]

    @measured("forget", _removed)
    def forget(
        self,
        chosen: RemovalSelection,
        *,
        workspace: str | None = None,
        dry_run: bool = False,
    ) -> RemovalReceipt:
        """Remove observations and memories for good, from every place.

        Return a receipt.

        Raises:
            InvalidInput: nothing was selected.
            Conflict: a protected memory is selected.
        """
        if not dry_run:
            self._rooms.drain.run(wait=True)
        scope = self._within(workspace, None)
        if chosen.workspace and scope.workspace is None:
            raise InvalidInput("say which workspace to forget")
        return self._rooms.forgetting.forget(scope, chosen, self._actor, dry_run=dry_run)

    @measured("forget", _removed)
    def retention(
        self,
        until: int,
        *,
        workspace: str | None = None,
        routine_only: bool = False,
        dry_run: bool = True,
    ) -> RemovalReceipt:
        """Remove observations from before a time; by default only count them.

        The time is in microseconds.
        """
        chosen = RemovalSelection(until=until, routine_only=routine_only)
        scope = self._within(workspace, None)
        return self._rooms.forgetting.forget(scope, chosen, "retention", dry_run=dry_run)
