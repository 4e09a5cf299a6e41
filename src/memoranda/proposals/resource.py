"""Memories that change: by a person at once, by an agent as a proposal that a person decides."""

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
    """What a person is in charge of: which memories hold."""

    @measured("edit", count_one)
    def memory_edit(self, id: str, edit: MemoryEdit, *, reason: str = "") -> ChangeResult:
        """Change what a memory says or how it is marked; what it was before is kept.

        Raises:
            InvalidInput: nothing is to change, or a text is empty or too long.
            NotFound: there is no such memory.
        """
        return self._made(
            self._rooms.memory_edits.edit(self._scope, self._named_memory(id), edit, reason)
        )

    @measured("archive", count_one)
    def memory_archive(self, id: str, *, reason: str = "") -> ChangeResult:
        """Take a memory out of use; it can be brought back.

        Raises:
            InvalidInput: it is protected.
            NotFound: there is no such memory.
        """
        return self._made(
            self._rooms.memory_edits.archive(self._scope, self._named_memory(id), reason)
        )

    def promote(self, id: str, *, reason: str = "") -> ChangeResult:
        """Have a memory hold in every workspace of the team.

        Raises:
            InvalidInput: it does already.
            NotFound: there is no such memory.
        """
        return self._made(
            self._rooms.memory_edits.promote(self._scope, self._named_memory(id), reason)
        )

    def demote(self, id: str, workspace: str | None = None, *, reason: str = "") -> ChangeResult:
        """Have a memory of the whole team hold in one workspace only, that of this scope unless
        one is named.

        Raises:
            InvalidInput: it does already.
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
        """Return what a memory was before each of its changes, newest first."""
        chosen = self._named_memory(id)
        return self._rooms.memory_edits.history(self._scope, chosen, cursor=cursor, limit=limit)

    def memory_restore(self, id: str, version: int, *, reason: str = "") -> Memory:
        """Have a memory be again what it was as some version.

        Raises:
            Forbidden: an agent asks for it.
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
        """Return one proposal, by its id or a unique beginning of it."""
        return self._rooms.proposals.show(self._scope, normalise(id))

    def approve(
        self, id: str, shown: str, *, note: str = "", edit: MemoryEdit | None = None
    ) -> Proposal:
        """Make a proposed change, if it is the one that was shown: ``shown`` is its hash; with
        ``edit``, as the person words it.

        Raises:
            Forbidden: an agent asks for it.
            Conflict: it is not what was shown, was decided before, or the memory has changed since.
            InvalidInput: a text of the edit is empty or too long.
            NotFound: there is no such proposal.
        """
        decided = self._rooms.proposals.approve(self._scope, normalise(id), shown, note, edit)
        self._decided(decided)
        return decided

    def reject(self, id: str, *, note: str = "") -> Proposal:
        """Leave a memory as it is; one that was to be added is kept as rejected.

        Raises:
            Forbidden: an agent asks for it.
            Conflict: it was decided before.
            NotFound: there is no such proposal.
        """
        decided = self._rooms.proposals.reject(self._scope, normalise(id), note)
        self._decided(decided)
        return decided

    def approve_all(self, shown: Sequence[Proposal]) -> BulkDecision:
        """Approve proposals as they were shown; what changed or was decided meanwhile is left.

        Raises:
            Forbidden: an agent asks for it.
        """
        decided = self._rooms.proposals.approve_all(self._scope, shown)
        for proposal in shown:
            if proposal.id in decided.approved:
                self._decided(proposal)
        return decided

    def pending(self, *, workspace: str | None = None) -> int:
        """Return how many proposals wait for a person."""
        return self._rooms.notifications.waiting(self._within(workspace, None))

    def notifications(self, channel: str) -> list[Notification]:
        """Return what a channel has not been told of proposals, oldest first, and count it as told:
        every channel is told everything once."""
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
