"""Removal of observations and memories, with a receipt.

Data is removed wherever it can be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from memoranda.calls.argument_check import stated_time
from memoranda.capture import observation_completion_table as completions
from memoranda.clock import Clock
from memoranda.compression import table as compressions
from memoranda.conversations import table as compactions
from memoranda.documents import table as documents
from memoranda.documents.model import MEMORY_METADATA
from memoranda.documents.table import SpaceAddress
from memoranda.errors import note_table as error_notes
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.feedback import suggestion_table as suggestions
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.lessons import table as lessons
from memoranda.memories import table as memories, tombstone_table as tombstones
from memoranda.memories.derived_memories import all_derived, derived_memories
from memoranda.memories.source_statements import source_statements, withdraw
from memoranda.mirror import table as mirrors
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.profile import table as profiles
from memoranda.scope import Scope
from memoranda.search import (
    rating_table as ratings,
    retrieval_table as retrievals,
    table as entries,
)
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.event_updates import with_goal_of
from memoranda.tasks.model import Task
from memoranda.tasks.reference import TaskReference

PAGE = 500
"""Number of observations removed per transaction."""
NOTES = 10_000
"""Maximum number of reported errors that one call removes."""


def protection(id: str, title: str) -> str:
    """Return instructions for removing a protected memory."""
    return f"memory {id} is protected ({title}); run: memoranda memory edit {id} --unprotected"


@dataclass(frozen=True, slots=True)
class RemovalSelection:
    """Selection of the records to remove.

    At least one criterion is required. The result is the union of all criteria, except that
    ``since`` and ``until`` restrict the scope.
    """

    ids: Sequence[str] = ()
    """Ids of observations, memories and reported errors."""
    task: TaskReference | None = None
    workspace: bool = False
    """Everything in the scope's workspace: captured data, memories, blocks, documents and the rest.

    With a task or a time range, only what was captured in that task or time range.
    """
    since: int | None = None
    until: int | None = None
    routine_only: bool = False
    """Whether to remove only observations of low salience and folded repeats in the scope."""
    mentions: str = ""
    """Name; everything that mentions it is removed from the team's entire store; excludes all other
    criteria.
    """

    def __post_init__(self) -> None:
        for name in ("since", "until"):
            object.__setattr__(self, name, stated_time(getattr(self, name), name))


STILL_MENTIONED = "still mentions the name"
"""Marks an entry in a receipt where the name remains."""


@dataclass(frozen=True, slots=True)
class NameMention:
    """A record that mentions the name."""

    kind: str
    """Kind of the record, such as observation, memory, block, task or document."""
    id: str
    line: str
    """First line that mentions the name, shortened."""
    opening: str = ""
    """First line of a record that is removed completely, if the name is mentioned in another line.
    """


@dataclass(slots=True)
class RemovalReceipt:
    """Report on removed data."""

    observations: int = 0
    memories: int = 0
    """Number of selected memories and of memories derived from removed data."""
    contents: int = 0
    """Number of full contents that only removed records referred to."""
    tasks: int = 0
    errors: int = 0
    """Number of errors that were reported manually."""
    removed: dict[str, int] = field(default_factory=dict)
    """Number of other records of an entire workspace, by kind, such as block or document."""
    places: list[str] = field(default_factory=list)
    """Places that were cleared."""
    not_reached: list[str] = field(default_factory=list)
    """Places outside Memoranda's control where copies may remain."""
    mentions: list[NameMention] = field(default_factory=list)
    """Records that mention the name, at most 100."""
    mention_counts: dict[str, int] = field(default_factory=dict)
    """Number of records that mention the name, by kind."""
    similar: list[str] = field(default_factory=list)
    """Similar forms of the name that remain, such as "d.smith"; at most 20."""
    statements: list[str] = field(default_factory=list)
    """Messages that remain but whose statement of an erased memory no longer applies."""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class ExternalCleanup:
    """Data that was cleared outside the database tables."""

    places: list[str]
    not_reached: list[str]


class MemoryRemover:
    """Permanently removes observations and memories.

    The keys of removed records are stored as tombstones, so that no import of a transcript, an
    archive or another system's file restores the records.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        ids: IdSource,
        afterwards: Callable[[Sequence[Task]], ExternalCleanup],
    ) -> None:
        """Create the remover.

        ``afterwards`` clears data outside the tables: the function receives the tasks that were
        removed completely and returns the names of the places that it cleared.
        """
        self._database = database
        self._clock = clock
        self._ids = ids
        self._afterwards = afterwards

    def forget(
        self,
        scope: Scope,
        chosen: RemovalSelection,
        actor: str,
        *,
        dry_run: bool,
        private: bool = False,
        within: Sequence[Task] = (),
    ) -> RemovalReceipt:
        """Remove a selection within the scope; a dry run only counts.

        Args:
            private: also remove data that is private to any agent.
            within: tasks to remove even if they have no observations.

        Raises:
            InvalidInput: nothing is selected; removing everything must be requested explicitly.
            Conflict: a protected memory is selected.
        """
        by_time = chosen.since is not None or chosen.until is not None
        by_scope = bool(chosen.task or chosen.workspace) or by_time
        if not chosen.ids and not by_scope:
            raise InvalidInput(
                "specify what to forget: ids, a name, a task, a time range or a whole workspace"
            )
        receipt = RemovalReceipt(dry_run=dry_run)
        self._forget_memories(scope, chosen.ids, actor, receipt, private=private)
        self._forget_notes(scope, chosen, actor, receipt)
        listed = self._existing(scope, chosen.ids) if chosen.ids else []
        if dry_run:
            pages = [listed, *(self._pages(scope, chosen) if by_scope else ())]
            receipt.observations = len({id for page in pages for id in page})
            derived = all_derived(self._database, scope.team, pages)
            receipt.memories += len(derived - set(chosen.ids))
            return receipt
        whole = [*within, *self._entire_task(scope, chosen)]
        if listed:
            whole += self._forget_observations(scope, listed, actor, receipt)
        while by_scope and (ids := self._matching(scope, chosen)):
            whole += self._forget_observations(scope, ids, actor, receipt)
        for task in whole:
            self._forget_bare_task(scope, task.id, actor, receipt)
        self._clear_outside(receipt, whole)
        return receipt

    def remove(self, scope: Scope, chosen: RemovalSelection, actor: str) -> RemovalReceipt:
        """Remove records by id, and clear the caches that may contain them.

        Memories that are private to an agent are removed too.
        """
        if chosen.ids:
            return self.forget(scope, chosen, actor, dry_run=False, private=True)
        receipt = RemovalReceipt()
        self._clear_outside(receipt, [])
        return receipt

    def now(self) -> int:
        """Return the current time of the removal's clock."""
        return self._clock.now()

    def _clear_outside(self, receipt: RemovalReceipt, whole: Sequence[Task]) -> None:
        outside = self._afterwards(whole)
        receipt.places = ["rows", "contents", "filters", *outside.places]
        host = "the host's own transcripts"
        receipt.not_reached = [*outside.not_reached, "backups made before", host]

    def _existing(self, scope: Scope, ids: Sequence[str]) -> list[str]:
        found = self._database.read(lambda tx: observations.by_ids(tx, scope.team, ids))
        return [o.id for o in found.values() if scope.workspace in (None, o.workspace)]

    def _entire_task(self, scope: Scope, chosen: RemovalSelection) -> list[Task]:
        """Return the task that is selected as a whole, if it is in scope."""
        in_part = chosen.routine_only or (chosen.since, chosen.until) != (None, None)
        if chosen.task is None or in_part:
            return []
        id = chosen.task
        task = self._database.read(lambda tx: tasks.by_id(tx, scope.team, id))
        return [task] if task and scope.workspace in (None, task.workspace) else []

    def _matching(self, scope: Scope, chosen: RemovalSelection, after: str = "") -> list[str]:
        """Return the next page of observations in the scope and time range."""
        span = observations.ObservationSpan(
            scope.workspace,
            chosen.task or scope.task,
            chosen.since,
            chosen.until,
            chosen.routine_only,
        )
        return self._database.read(
            lambda tx: observations.matching(tx, scope.team, span, after=after, limit=PAGE)
        )

    def _pages(self, scope: Scope, chosen: RemovalSelection) -> Iterator[list[str]]:
        """Yield all observations in the scope and time range."""
        after = ""
        while page := self._matching(scope, chosen, after):
            yield page
            after = page[-1]

    def _forget_observations(
        self, scope: Scope, ids: Sequence[str], actor: str, receipt: RemovalReceipt
    ) -> list[Task]:
        """Remove some observations; return the tasks that were removed with them."""
        now = self._clock.now()

        def work(tx: Transaction) -> tuple[int, int, int, list[Task]]:
            chosen = [*ids, *completions.superseded(tx, scope.team, ids)]
            stating = with_goal_of(tx, scope.team, chosen)
            removed = observations.delete(tx, scope.team, chosen, now)
            entries.delete(tx, scope.team, chosen)
            entries.drop_speakers(tx, scope.team)
            ratings.delete(tx, scope.team, ids)
            retrievals.delete(tx, scope.team, ids)
            derived = self._drop_derived(tx, scope.team, ids, removed.tasks)
            suggestions.drop_unanswered(tx, scope.team)
            emptied = [
                t for t in removed.tasks if not observations.has_observations(tx, scope.team, t)
            ]
            gone = [item for id in emptied if (item := tasks.by_id(tx, scope.team, id))]
            hashes, summaries = list(removed.hashes), list[str]()
            for task in removed.tasks:
                if task in emptied:
                    hashes += self._delete_task(tx, scope.team, task)
                else:
                    tasks.restate(tx, scope.team, task, lost=task in stating)
                    summaries += compactions.drop_outdated(tx, scope.team, [task])
                    summaries += compressions.drop(tx, scope.team, [task])
                    self._enqueue(tx, scope.team, JobKind.DISTIL, task)
            contents = blobs.delete_unused(tx, scope.team, hashes)
            blobs.delete_unused(tx, scope.team, summaries)
            detail = {"observations": removed.observations, "contents": contents}
            note = journal.NewJournalEntry(now, actor, "forget", ids[0], detail)
            journal.append(tx, scope.team, note)
            self._enqueue(tx, scope.team, JobKind.PURGE_TEXT, "full text")
            mirrors.touch(tx, scope.team, self._ids.new(), now)
            return removed.observations, derived, contents, gone

        rows, derived, contents, gone = self._database.write(work)
        receipt.observations += rows
        receipt.memories += derived
        receipt.contents += contents
        receipt.tasks += len(gone)
        return gone

    def _drop_derived(
        self, tx: Transaction, team: str, ids: Sequence[str], of: Sequence[str]
    ) -> int:
        """Remove derived data that quotes deleted observations.

        Approved memories are kept; derived data of the remaining tasks is created again.
        """
        found = derived_memories(tx, team, ids, of)
        if not found:
            return 0
        for task in of if lessons.drop_archives(tx, team, of) else ():
            self._enqueue(tx, team, JobKind.TASK_ENDED, task)
        lessons.drop(tx, team, found)
        return self._delete_memories(tx, team, found)

    def _forget_bare_task(
        self, scope: Scope, task: str, actor: str, receipt: RemovalReceipt
    ) -> None:
        """Remove a task without observations."""
        now = self._clock.now()

        def work(tx: Transaction) -> tuple[int, int]:
            exists = tasks.by_id(tx, scope.team, task) is not None
            if not exists or observations.has_observations(tx, scope.team, task):
                return 0, 0
            contents = blobs.delete_unused(tx, scope.team, self._delete_task(tx, scope.team, task))
            note = journal.NewJournalEntry(
                now, actor, "forget", task, {"tasks": 1, "contents": contents}
            )
            journal.append(tx, scope.team, note)
            mirrors.touch(tx, scope.team, self._ids.new(), now)
            return 1, contents

        gone, contents = self._database.write(work)
        receipt.tasks += gone
        receipt.contents += contents

    def _delete_task(self, tx: Transaction, team: str, id: str) -> list[str]:
        """Remove a task with its blocks and checkpoints; return its contents."""
        hashes = tasks.contents(tx, team, id)
        task = tasks.by_id(tx, team, id)
        keys = [tombstones.task_key(task.number)] if task else []
        tombstones.add_tombstones(tx, team, keys, self._clock.now())
        tasks.delete(tx, team, id)
        suggestions.drop_unanswered(tx, team)
        return hashes

    def _enqueue(self, tx: Transaction, team: str, kind: JobKind, subject: str) -> None:
        now = self._clock.now()
        job = Job.waiting(team, self._ids.new(), kind, subject, now)
        jobs.enqueue(tx, job, now)

    def _forget_memories(
        self,
        scope: Scope,
        ids: Sequence[str],
        actor: str,
        receipt: RemovalReceipt,
        *,
        private: bool,
    ) -> None:
        if not ids:
            return
        now = self._clock.now()

        def work(tx: Transaction) -> int:
            known = (
                memories.of_any_agent(tx, scope.team, ids)
                if private
                else memories.by_ids(tx, scope.team, ids, scope.agent)
            )
            found = {
                id: memory
                for id, memory in known.items()
                if None in (scope.workspace, memory.workspace)
                or memory.workspace == scope.workspace
            }
            protected = [memory for memory in found.values() if memory.protected]
            if protected:
                raise Conflict("; ".join(protection(item.id, item.title) for item in protected))
            sources = source_statements(tx, scope.team, list(found.values()), besides=ids)
            receipt.statements = sorted({one.ref for one in sources})
            if receipt.dry_run or not found:
                return len(found)
            withdraw(tx, scope.team, sources, now)
            count = self._delete_memories(tx, scope.team, list(found))
            documents.delete_under(tx, SpaceAddress(scope.team, "", MEMORY_METADATA), list(found))
            note = journal.NewJournalEntry(
                now, actor, "forget", next(iter(found)), {"memories": count}
            )
            journal.append(tx, scope.team, note)
            self._enqueue(tx, scope.team, JobKind.PURGE_TEXT, "full text")
            mirrors.touch(tx, scope.team, self._ids.new(), now)
            return count

        receipt.memories = self._database.write(work)

    def _delete_memories(self, tx: Transaction, team: str, ids: Sequence[str]) -> int:
        """Delete memories with their derived data; record tombstones."""
        tombstones.add_tombstones(tx, team, map(tombstones.memory_key, ids), self._clock.now())
        profiles.drop_previews_of(tx, team, ids)
        entries.delete(tx, team, ids)
        ratings.delete(tx, team, ids)
        retrievals.delete(tx, team, ids)
        return memories.delete(tx, team, ids)

    def _forget_notes(
        self, scope: Scope, chosen: RemovalSelection, actor: str, receipt: RemovalReceipt
    ) -> None:
        """Remove errors that were reported manually.

        Notes about a captured error are removed with that error.
        """
        now, span = self._clock.now(), (chosen.since, chosen.until)
        by_scope = bool(chosen.task or chosen.workspace) or span != (None, None)

        def work(tx: Transaction) -> int:
            team, place, task = scope.team, scope.workspace, chosen.task or scope.task
            named = (error_notes.by_id(tx, team, id) for id in chosen.ids)
            ids = [note.id for note in named if note and place in (None, note.workspace)]
            if by_scope and not chosen.routine_only:
                ids += error_notes.within(tx, team, place, task, span=span, limit=NOTES)
            if not ids or receipt.dry_run:
                return len(set(ids))
            count = error_notes.delete(tx, team, ids)
            entry = journal.NewJournalEntry(now, actor, "forget", ids[0], {"errors": count})
            journal.append(tx, team, entry)
            return count

        receipt.errors = self._database.write(work)
