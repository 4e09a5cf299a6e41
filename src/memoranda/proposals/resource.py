"""Use cases: memories edited, archived, restored; proposals decided.

A person's change applies at once; an agent's becomes a proposal that a person decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.exceptions import NotFound
from memoranda.measurement import count_one, measured
from memoranda.memories.model import Memory
from memoranda.page import Page
from memoranda.proposals.model import (
    BulkDecision,
    ChangeResult,
    MemoryEdit,
    MemoryVersion,
    Notification,
    Proposal,
    ProposalStatus,
)
from memoranda.resource import Resource
from memoranda.text import normalise


class ProposalsResource(Resource):
    """Review of memories by a person."""

    @measured("edit", count_one)
    def memory_edit(self, id: str, edit: MemoryEdit, *, reason: str = "") -> ChangeResult:
        """Change the content or the attributes of a memory; keep the old version.

        Raises:
            InvalidInput: nothing is to change, or a text is empty or too long.
            NotFound: there is no such memory.
        """
        return self._made(
            self._rooms.memory_edits.edit(self._scope, self._named_memory(id), edit, reason)
        )

    @measured("archive", count_one)
    def memory_archive(self, id: str, *, reason: str = "") -> ChangeResult:
        """Archive a memory; it can be restored.

        Raises:
            InvalidInput: it is protected.
            NotFound: there is no such memory.
        """
        return self._made(
            self._rooms.memory_edits.archive(self._scope, self._named_memory(id), reason)
        )

    def promote(self, id: str, *, reason: str = "") -> ChangeResult:
        """Extend a memory to every workspace of the team.

        Raises:
            InvalidInput: it holds there already.
            NotFound: there is no such memory.
        """
        return self._made(
            self._rooms.memory_edits.promote(self._scope, self._named_memory(id), reason)
        )

    def demote(self, id: str, workspace: str | None = None, *, reason: str = "") -> ChangeResult:
        """Limit a memory of the whole team to one workspace.

        It is that of this scope unless one is named.

        Raises:
            InvalidInput: it is limited so already.
            NotFound: there is no such memory or workspace.
        """
        place = self._within(workspace, None).workspace
        if place is None:
            raise NotFound("say for which workspace the memory is to hold from now on")
        edits, chosen = self._rooms.memory_edits, self._named_memory(id)
        return self._made(edits.demote(self._scope, chosen, place, reason))

    def memory_history(
        self, id: str, *, cursor: str | None = None, limit: int = 50
    ) -> Page[MemoryVersion]:
        """Return the versions of a memory before each change, newest first."""
        chosen = self._named_memory(id)
        return self._rooms.memory_edits.history(self._scope, chosen, cursor=cursor, limit=limit)

    def memory_restore(self, id: str, version: int, *, reason: str = "") -> Memory:
        """Restore a memory to one of its versions.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such memory or version.
        """
        chosen = self._named_memory(id)
        memory = self._rooms.memory_edits.restore(self._scope, chosen, version, reason)
        self._render(memory)
        return memory

    def proposals(
        self,
        *,
        workspace: str | None = None,
        status: ProposalStatus | None = ProposalStatus.PENDING,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Proposal]:
        """Return proposals, newest first; an agent sees its own."""
        scope = self._within(workspace, None)
        return self._rooms.proposals.list(scope, status, cursor=cursor, limit=limit)

    def proposal(self, id: str) -> Proposal:
        """Return one proposal, by its id or a unique prefix of it."""
        return self._rooms.proposals.show(self._scope, normalise(id))

    def approve(
        self, id: str, shown: str, *, note: str = "", edit: MemoryEdit | None = None
    ) -> Proposal:
        """Make a proposed change, if it is the one that was shown.

        ``shown`` is its hash; with ``edit``, the change is made as the person edited it.

        Raises:
            Forbidden: the caller is an agent.
            Conflict: it is not what was shown, was decided before, or the memory has changed since.
            InvalidInput: a text of the edit is empty or too long.
            NotFound: there is no such proposal.
        """
        decided = self._rooms.proposals.approve(self._scope, normalise(id), shown, note, edit)
        self._decided(decided)
        return decided

    def reject(self, id: str, *, note: str = "") -> Proposal:
        """Reject a proposal; the memory stays as it is.

        One that was to be added is stored as rejected.

        Raises:
            Forbidden: the caller is an agent.
            Conflict: it was decided before.
            NotFound: there is no such proposal.
        """
        decided = self._rooms.proposals.reject(self._scope, normalise(id), note)
        self._decided(decided)
        return decided

    def approve_all(self, shown: Sequence[Proposal]) -> BulkDecision:
        """Approve proposals as they were shown.

        What changed or was decided meanwhile is left.

        Raises:
            Forbidden: the caller is an agent.
        """
        decided = self._rooms.proposals.approve_all(self._scope, shown)
        for proposal in shown:
            if proposal.id in decided.approved:
                self._decided(proposal)
        return decided

    def pending(self, *, workspace: str | None = None) -> int:
        """Return the number of proposals that are pending for a person."""
        return self._rooms.notifications.waiting(self._within(workspace, None))

    def notifications(self, channel: str) -> list[Notification]:
        """Return the undelivered notifications of a channel, oldest first.

        They concern proposals and count as delivered afterwards: every channel gets everything
        once.
        """
        return self._rooms.notifications.tell(self._scope, normalise(channel))

    def _named_memory(self, id: str) -> str:
        """Return the whole id of a memory."""
        return self._rooms.memories.why(self._scope, normalise(id)).memory.id

    def _made(self, changed: ChangeResult) -> ChangeResult:
        self._render(changed.memory)
        return changed

    def _decided(self, proposal: Proposal) -> None:
        self._rooms.enqueue_rendering(proposal.workspace)
        self._rooms.background.wake()

    def _render(self, memory: Memory) -> None:
        self._rooms.enqueue_rendering(memory.workspace)
        self._rooms.background.wake()
