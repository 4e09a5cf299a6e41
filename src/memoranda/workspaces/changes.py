"""Rename, merge and split of workspaces, each in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from memoranda.assembly.services import Services
from memoranda.exceptions import Conflict, InvalidInput, NotFound
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.json_data import JsonValue
from memoranda.mirror import table as mirrors
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.store.table_catalogue import MEMORY, OBSERVATION, Table
from memoranda.tasks.model import Task, Workspace
from memoranda.workspaces import row_transfer_table as relocation, table as workspaces
from memoranda.workspaces.change_results import WorkspaceChange
from memoranda.workspaces.row_transfer_table import Relocation, RowWorkspace

PAGE = 200
"""Number of records whose full-text entries are recreated at once."""
_NO_PART = ("block", "document")
"""Tables whose rows a merge moves but a split does not."""


@dataclass(frozen=True, slots=True)
class WorkspacePart:
    """The records that are split off from a workspace."""

    tasks: Sequence[Task] = ()
    memories: Sequence[str] = ()
    aliases: Sequence[str] = ()


class WorkspaceChanges:
    """Corrects workspaces that were wrongly joined or separated."""

    def __init__(self, services: Services, scope: Scope, *, dry_run: bool) -> None:
        self._services = services
        self._team = scope.team
        self._actor = scope.actor
        self._dry_run = dry_run

    def rename(self, place: Workspace, name: str) -> WorkspaceChange:
        """Rename a workspace; its previous name still refers to it.

        Raises:
            Conflict: another workspace has the name.
        """

        def work(tx: Transaction) -> WorkspaceChange:
            if workspaces.by_name(tx, self._team, name):
                raise Conflict(
                    f"a workspace {name!r} already exists; merge the workspaces, or"
                    f" choose another name"
                )
            after = replace(place, name=name)
            workspaces.rename(tx, after)
            self._add_alias(tx, place.name, after)
            route = self._route(place, after)
            relocation.rename_everywhere(tx, route)
            return self._done(tx, "workspace rename", WorkspaceChange(
                after, place, {"workspace": 1}, (), (), (), self._dry_run
            ))  # fmt: skip

        return self._carried_out(work)

    def merge(self, source: Workspace, target: Workspace) -> WorkspaceChange:
        """Move everything in one workspace to another, including its aliases.

        Raises:
            Conflict: both workspaces have a document with the same key.
        """
        if source.id == target.id:
            raise InvalidInput(f"{source.name!r} and {target.name!r} are the same workspace")

        def work(tx: Transaction) -> WorkspaceChange:
            route = self._route(source, target)
            if shared := relocation.shared_documents(tx, route):
                raise Conflict(
                    f"both workspaces have the documents {', '.join(shared)}; delete those of one"
                )
            relocation.free_labels(tx, route, self._services.clock.now())
            aliases = workspaces.aliases(tx, self._team, source.id)
            numbers = relocation.numbers(tx, route)
            seen = relocation.observations_of(tx, route, None)
            moved_memories = relocation.memories_of(tx, route)
            with_text = [(OBSERVATION, seen), (MEMORY, moved_memories)]
            rows = self._reindexed(tx, with_text, lambda: relocation.relocate_all(tx, route))
            self._add_alias(tx, source.name, target)
            relocation.drop(tx, route)
            shown = relocation.not_private(tx, self._team, moved_memories)
            return self._done(tx, "workspace merge", WorkspaceChange(
                target, source, rows, tuple(numbers), shown, tuple(aliases), self._dry_run,
                {name: rows[name] for name in _NO_PART if rows.get(name)},
            ))  # fmt: skip

        return self._carried_out(work)

    def split(self, source: Workspace, name: str, part: WorkspacePart) -> WorkspaceChange:
        """Move part of a workspace to another one, which is created if needed.

        The part consists of tasks, the memories that are based on these tasks alone, individually
        named memories, and aliases of the workspace.

        Raises:
            NotFound: a task, a memory or an alias does not belong to the workspace.
        """

        def work(tx: Transaction) -> WorkspaceChange:
            target = workspaces.by_name(tx, self._team, name) or self._new(tx, name)
            if target.id == source.id:
                raise InvalidInput(
                    f"the records are already in {name!r}; specify another workspace"
                )
            route = self._route(source, target)
            ids = [task.id for task in part.tasks]
            shown_ids = relocation.not_private(tx, self._team, relocation.memories_of(tx, route))
            self._check(tx, source, part, shown_ids)
            resting = relocation.memories_of_tasks(tx, route, ids)
            memory_ids = list(dict.fromkeys((*resting, *part.memories)))
            seen = [item for id in ids for item in relocation.observations_of(tx, route, id)]
            with_text = [(OBSERVATION, seen), (MEMORY, memory_ids)]
            rows = self._reindexed(
                tx, with_text, lambda: relocation.relocate_some(tx, route, ids, memory_ids)
            )
            if part.aliases:
                rows["workspace_alias"] = relocation.move_aliases(tx, route, part.aliases)
            numbers = tuple(task.number for task in part.tasks)
            shown = relocation.not_private(tx, self._team, memory_ids)
            return self._done(tx, "workspace split", WorkspaceChange(
                target, source, rows, numbers, shown, tuple(part.aliases), self._dry_run
            ))  # fmt: skip

        return self._carried_out(work)

    def _carried_out(self, work: Callable[[Transaction], WorkspaceChange]) -> WorkspaceChange:
        """Run a function in a transaction, which a dry run rolls back.

        The prepared contexts are rendered immediately, because the next session reads them.
        """
        if not self._dry_run:
            change = self._services.database.write(work)
            self._services.prepare_contexts()
            return change

        def undone(tx: Transaction) -> WorkspaceChange:
            raise _DryRunComplete(work(tx))

        try:
            return self._services.database.write(undone)
        except _DryRunComplete as end:
            return end.change

    def _done(self, tx: Transaction, operation: str, change: WorkspaceChange) -> WorkspaceChange:
        """Record a change in the journal, and enqueue the derived work."""
        now = self._services.clock.now()
        detail: dict[str, JsonValue] = {
            "from": change.former.id,
            "to": change.workspace.id,
            "rows": sum(change.rows.values()),
        }
        note = journal.NewJournalEntry(now, self._actor, operation, change.workspace.id, detail)
        journal.append(tx, self._team, note)
        for place in {change.former.id, change.workspace.id}:
            if workspaces.by_id(tx, self._team, place):
                job = Job.waiting(
                    self._team, self._services.ids.new(), JobKind.RENDER_CONTEXT, place, now
                )
                jobs.enqueue(tx, job, now)
        mirrors.touch(tx, self._team, self._services.ids.new(), now)
        return change

    def _reindexed(
        self,
        tx: Transaction,
        with_text: Sequence[tuple[Table, Sequence[str]]],
        move: Callable[[], dict[str, int]],
    ) -> dict[str, int]:
        """Move rows; update full-text index, vectors and totals."""
        # imported here, because its patterns take 0.1 s to load
        from memoranda.archive.store_copy import texts_of

        for table, ids in with_text:
            for page in _paged(ids):
                tx.text(table.name).remove(self._team, page)
        rows = dict(move())
        for table, ids in with_text:
            for page in _paged(ids):
                found = table.of_ids(tx, self._team, page)
                tx.text(table.name).add(texts_of(tx, self._team, table, found))
        relocation.refresh(tx, self._team)
        return rows

    def _check(
        self, tx: Transaction, source: Workspace, part: WorkspacePart, known: Container[str]
    ) -> None:
        strange = [f"task {task.number}" for task in part.tasks if task.workspace != source.id]
        strange += [f"memory {id}" for id in part.memories if id not in known]
        leading = set(workspaces.aliases(tx, self._team, source.id))
        strange += [alias for alias in part.aliases if alias not in leading]
        if strange:
            raise NotFound(f"not in the workspace {source.name!r}: {', '.join(strange[:5])}")

    def _new(self, tx: Transaction, name: str) -> Workspace:
        services = self._services
        workspace = Workspace(self._team, services.ids.new(), name, None, services.clock.now())
        return workspaces.insert(tx, workspace, [f"name:{name}"])

    def _add_alias(self, tx: Transaction, name: str, to: Workspace) -> None:
        """Make the previous name of a workspace an alias of a workspace."""
        workspaces.take_alias(tx, self._team, to.id, f"name:{name}")

    def _route(self, source: Workspace, target: Workspace) -> Relocation:
        return Relocation(
            self._team, RowWorkspace(source.id, source.name), RowWorkspace(target.id, target.name)
        )


class _DryRunComplete(Exception):
    """Raised to end a dry run."""

    def __init__(self, change: WorkspaceChange) -> None:
        self.change = change


def _paged(ids: Sequence[str]) -> Iterator[list[str]]:
    left = iter(ids)
    while page := list(islice(left, PAGE)):
        yield page
