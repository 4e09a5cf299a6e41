"""Operations for memories: list, explain, change, restore and relate."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from contextlib import suppress

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.documents.model import MEMORY_METADATA, NewDocument, checked_document
from memoranda.exceptions import NotFound, StorageError
from memoranda.instrumentation import count_one, measured
from memoranda.memories import count_table as memory_totals
from memoranda.memories.context_names import NamedRecords, of_memory
from memoranda.memories.count_table import MemoryCount
from memoranda.memories.link_model import MemoryConflict, MemoryDetail
from memoranda.memories.model import Category, Memory, MemoryStatus, NamedEvidence
from memoranda.operation_declaration import REVIEWERS, read, write
from memoranda.page import Page
from memoranda.proposals.model import ChangeResult, MemoryChange, MemoryEdit, MemoryVersion
from memoranda.resource import Resource
from memoranda.store.database import Transaction
from memoranda.tasks.reference import TaskReference
from memoranda.text import normalise

COMPARED, BESIDE_ONE = 200, 5
"""Maximum number of pending comparisons made before listing conflicts, or before showing one
memory.

Among 100,000 memories each comparison takes about 100 ms.
"""

PATIENCE = 0.25
"""Seconds to wait for a concurrent comparison.

After that, the results known so far are returned.
"""


class MemoriesResource(Resource):
    """``memory.memories``: memories; a person's change takes effect at once.

    An agent's change becomes a proposal, which a person approves or rejects.
    """

    @read("memories.list", alias=("memory.list",))
    def list(
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
        """List memories, newest first.

        By default the list contains all memories that the caller may read, with any status, whose
        validity has not ended. The validity of a superseded memory has ended; an archived memory is
        listed with its status.

        Args:
            critical: list only critical memories, which every context includes.
            as_of: list the memories valid at this time instead, in microseconds.
            ever: also list memories whose validity has ended, such as superseded ones.
        """
        from memoranda.memories.table import MemoryFilter

        scope = self._within(workspace, None)
        ended = None if ever else self._services.clock.now()
        where = MemoryFilter(
            scope.workspace,
            scope.agent,
            status,
            category,
            critical=int(critical),
            begun_by=as_of,
            unended_at=ended if as_of is None else as_of,
        )
        return self._services.memories.list(scope.team, where, cursor=cursor, limit=limit)

    @read("memories.show", alias=("memory.show",))
    def show(self, id: str) -> MemoryDetail:
        """Show a memory in full, with its sources and relations.

        Raises:
            NotFound: there is no such memory.
        """
        self._relate(BESIDE_ONE, again=False)
        chosen = self._services.memories.why(self._scope, normalise(id)).memory.id
        return self._services.memory_details.show(self._scope, chosen)

    @read("memories.evidence", alias=("why",))
    def evidence(
        self, id: str, *, workspace: str | None = None, task: TaskReference | None = None
    ) -> NamedEvidence:
        """Show the record that a name in a context refers to, and its evidence.

        The name may refer to a memory (its id or the beginning of its id), an observation
        (``3#42``, or ``#42`` with its task), a reported error, a task (``task 3``) or a block
        (``block notes``).

        Args:
            workspace: workspace in which the label of a block is looked up.
            task: task in which the label of a block, or the number of an observation, is looked up.

        Raises:
            InvalidInput: an id prefix is ambiguous, or a number is passed without its task.
            NotFound: nothing in the scope has this name.
        """
        self._within(workspace, task)
        name = normalise(id).strip()
        try:
            evidence = self._services.memories.why(self._scope, name)
        except NotFound:
            return NamedRecords(self.memory, workspace, task).record(name)
        return of_memory(evidence)

    @read("memories.conflicts", alias=("memory.conflicts",))
    def conflicts(
        self, *, workspace: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[MemoryConflict]:
        """List memories that contradict each other, newest first."""
        self._relate(COMPARED)
        scope = self._within(workspace, None)
        return self._services.memory_details.conflicts(scope, cursor=cursor, limit=limit)

    @write("memories.supersede", alias=("memory.supersede",))
    @measured("supersede", count_one)
    def supersede(self, old: str, new: str, *, reason: str = "") -> ChangeResult:
        """Replace one memory with another; the old one remains readable.

        Raises:
            InvalidInput: both memories are the same, the newer one is not approved or became valid
                before the older one, or they would supersede each other in a cycle.
            Conflict: the older one was superseded before.
            NotFound: there is no such memory.
        """
        older, newer = (
            self._services.memories.why(self._scope, normalise(id)).memory.id for id in (old, new)
        )
        changed = self._services.memory_edits.supersede(self._scope, older, newer, reason)
        self._services.enqueue_rendering(changed.memory.workspace)
        self._services.background.wake()
        return changed

    @write("memories.edit", alias=("memory.edit",))
    @measured("edit", count_one)
    def edit(self, id: str, edit: MemoryEdit, *, reason: str = "") -> ChangeResult:
        """Change a memory; its previous version is kept.

        The content and the attributes can be changed.

        Raises:
            InvalidInput: there is nothing to change, or a text is empty or too long.
            NotFound: there is no such memory.
        """
        return self._made(
            self._services.memory_edits.edit(self._scope, self._named_memory(id), edit, reason)
        )

    @write("memories.archive", alias=("memory.archive",))
    @measured("archive", count_one)
    def archive(self, id: str, *, reason: str = "") -> ChangeResult:
        """Archive a memory; it can be restored.

        Raises:
            InvalidInput: the memory is protected.
            NotFound: there is no such memory.
        """
        return self._made(
            self._services.memory_edits.archive(self._scope, self._named_memory(id), reason)
        )

    @write("memories.change-all", alias=("memory.change-all",))
    def change_all(
        self, changes: Sequence[MemoryChange], *, reason: str = ""
    ) -> builtins.list[ChangeResult]:
        """Edit or archive many memories atomically.

        Return the results in the order of the changes.

        Args:
            changes: at most 1,000, of different memories.

        Raises:
            InvalidInput: there are too many changes, a memory occurs twice, a change is not
                possible, or the metadata contains a credential.
            NotFound: there is no such memory.
            Stale: a memory has changed since the time that a change names.
        """
        documents = [
            self.memory.documents._checked(
                checked_document(NewDocument(change.id, change.metadata)), SecretPolicy.REFUSE
            )
            for change in changes
            if change.metadata is not None
        ]
        shelf = self.memory.documents._shelf(MEMORY_METADATA, None)

        def beside(tx: Transaction) -> None:
            if documents:
                self._services.documents.put_within(tx, shelf, documents)

        edits = self._services.memory_edits
        changed = edits.change_all(self._scope, changes, reason, beside)
        for place in {result.memory.workspace for result in changed}:
            self._services.enqueue_rendering(place)
        self._services.background.wake()
        return changed

    @read("memories.history", alias=("memory.history",))
    def history(
        self, id: str, *, cursor: str | None = None, limit: int = 50
    ) -> Page[MemoryVersion]:
        """List the earlier versions of a memory, newest first."""
        chosen = self._named_memory(id)
        return self._services.memory_edits.history(self._scope, chosen, cursor=cursor, limit=limit)

    @write("memories.restore", roles=REVIEWERS, alias=("memory.restore",))
    def restore(self, id: str, version: int, *, reason: str = "") -> Memory:
        """Restore a memory to an earlier version.

        Raises:
            Forbidden: the caller is an agent.
            InvalidInput: the only change after the version was an approval.
            NotFound: there is no such memory or version.
        """
        chosen = self._named_memory(id)
        memory = self._services.memory_edits.restore(self._scope, chosen, version, reason)
        self._render(memory)
        return memory

    @write("memories.promote", alias=("promote",))
    def promote(self, id: str, *, reason: str = "") -> ChangeResult:
        """Extend a memory to every workspace of the team.

        Raises:
            InvalidInput: the memory already applies to the whole team.
            NotFound: there is no such memory.
        """
        return self._made(
            self._services.memory_edits.promote(self._scope, self._named_memory(id), reason)
        )

    @write("memories.demote", alias=("demote",))
    def demote(self, id: str, workspace: str | None = None, *, reason: str = "") -> ChangeResult:
        """Restrict a memory of the whole team to one workspace.

        The default is the workspace of this scope.

        Raises:
            InvalidInput: the memory is already limited to a workspace.
            NotFound: there is no such memory or workspace.
        """
        place = self._within(workspace, None).workspace
        if place is None:
            raise NotFound("specify the workspace that the memory should apply to")
        edits, chosen = self._services.memory_edits, self._named_memory(id)
        return self._made(edits.demote(self._scope, chosen, place, reason))

    @read("memories.stats", alias=("memory.stats",))
    def stats(self, *, workspace: str | None = None) -> Sequence[MemoryCount]:
        """Count memories by workspace, category and status."""
        scope, now = self._within(workspace, None), self._services.clock.now()

        def work(tx: Transaction) -> Sequence[MemoryCount]:
            return memory_totals.totals(tx, scope.team, scope.workspace, scope.agent, now)

        return self._database.read(work)

    def _relate(self, most: int, *, again: bool = True) -> None:
        """Perform some pending comparisons, so that results are up to date."""
        with suppress(StorageError):  # a read-only caller gets the stored results
            self._services.encodings.encode()
            self._services.relating.relate(most, PATIENCE, again=again)

    def _named_memory(self, id: str) -> str:
        """Return the full id of a memory."""
        return self._services.memories.why(self._scope, normalise(id)).memory.id

    def _made(self, changed: ChangeResult) -> ChangeResult:
        self._render(changed.memory)
        return changed

    def _render(self, memory: Memory) -> None:
        self._services.enqueue_rendering(memory.workspace)
        self._services.background.wake()
