"""Changes of memories that wait for a person: shown, and decided once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memoranda.clock import Clock
from memoranda.errors import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.ids import IdSource
from memoranda.learn.memory_changes import MemoryChanges, actor
from memoranda.store.database import Database, Transaction
from memoranda.store.tables import journal, memories, notifications, proposals
from memoranda.values.memory import Memory, MemoryStatus
from memoranda.values.page import Page, checked_limit
from memoranda.values.proposal import (
    Decided,
    MemoryState,
    Notice,
    Notification,
    Proposal,
    ProposalKind,
    ProposalStatus,
)
from memoranda.values.scope import Scope

AT_ONCE = 1_000
"""Proposals that one call decides."""
SHOWN = 8
"""Characters of a hash that say which one is meant, at least."""


class Proposals:
    """What agents want of memories, and what people make of it.

    A decision is one transaction, bound to what the person was shown, and made once.
    """

    def __init__(
        self, database: Database, changes: MemoryChanges, clock: Clock, ids: IdSource
    ) -> None:
        self._database = database
        self._changes = changes
        self._clock = clock
        self._ids = ids

    def list(
        self,
        scope: Scope,
        status: ProposalStatus | None = ProposalStatus.PENDING,
        *,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Proposal]:
        """Return proposals, newest first; an agent sees its own."""
        checked_limit(limit)
        before = cursor or proposals.NEWEST
        team, workspace, agent = scope.team, scope.workspace, scope.agent
        found = self._database.read(
            lambda tx: proposals.listed(
                tx, team, workspace, agent, status, before=before, limit=limit + 1
            )
        )
        items = tuple(found[:limit])
        return Page(items, items[-1].id if len(found) > limit else None)

    def show(self, scope: Scope, id: str) -> Proposal:
        """Return one proposal by its id or a beginning of it; an agent sees its own.

        Raises:
            NotFound: there is none.
            InvalidInput: several ids begin so.
        """
        return self._database.read(lambda tx: self._found(tx, scope, id))

    def approve(self, scope: Scope, id: str, shown: str, note: str = "") -> Proposal:
        """Make the change that a person was shown.

        Args:
            shown: the hash of the proposal as it was shown, at least its first 8 characters.

        Raises:
            Forbidden: an agent asks for it.
            NotFound: there is no such proposal.
            Conflict: it is not what was shown, it was decided already, or the memory has changed
                since it was proposed.
        """
        told, now = self._changes.told(note), self._clock.now()

        def work(tx: Transaction) -> Proposal:
            proposal = self._found(tx, scope, id)
            if len(shown) < SHOWN or not proposal.hash.startswith(shown):
                raise Conflict(
                    "the proposal is not what was shown; look at it again: "
                    f"`memoranda pending show {proposal.id}`"
                )
            decided = self._decided(tx, proposal, ProposalStatus.APPROVED, scope, told, now)
            memory = self._of_proposal(tx, proposal)
            if MemoryState.of(memory) != proposal.before:
                raise Conflict(
                    "the memory has changed since this was proposed; reject the proposal, or undo "
                    f"the change: `memoranda memory history {memory.id}`"
                )
            why = told or proposal.reason or f"{proposal.kind} approved"
            self._changes.change(tx, memory, proposal.after, actor(scope), why, now)
            return decided

        return self._database.write(work)

    def reject(self, scope: Scope, id: str, note: str = "") -> Proposal:
        """Leave the memory as it is; one that was to be added is kept as rejected.

        Raises:
            Forbidden: an agent asks for it.
            NotFound: there is no such proposal.
            Conflict: it was decided already.
        """
        told, now = self._changes.told(note), self._clock.now()

        def work(tx: Transaction) -> Proposal:
            proposal = self._found(tx, scope, id)
            decided = self._decided(tx, proposal, ProposalStatus.REJECTED, scope, told, now)
            memory = self._of_proposal(tx, proposal)
            if proposal.kind is ProposalKind.ADD and memory.status is MemoryStatus.PENDING:
                state = replace(MemoryState.of(memory), status=MemoryStatus.REJECTED)
                self._changes.change(tx, memory, state, actor(scope), told or "rejected", now)
            return decided

        return self._database.write(work)

    def approve_all(self, scope: Scope, shown: Sequence[Proposal]) -> Decided:
        """Approve proposals that a person was shown, each in a transaction of its own.

        What was decided or changed meanwhile is left, with the reason.
        """
        approved, left = [], []
        for proposal in shown[:AT_ONCE]:
            try:
                self.approve(scope, proposal.id, proposal.hash)
                approved.append(proposal.id)
            except (Conflict, NotFound) as error:
                left.append((proposal.id, str(error)))
        return Decided(tuple(approved), tuple(left))

    def proposed(self, tx: Transaction, memory: Memory, scope: Scope) -> Proposal:
        """Propose a memory that was just written and waits, in the same transaction."""
        state = MemoryState.of(memory)
        after = replace(state, status=MemoryStatus.APPROVED)
        return self.put(tx, scope, ProposalKind.ADD, memory, after, "")

    # ------------------------------------------------------------------ inside a transaction

    def put(
        self,
        tx: Transaction,
        scope: Scope,
        kind: ProposalKind,
        memory: Memory,
        after: MemoryState,
        reason: str,
    ) -> Proposal:
        """Write a proposal in a transaction, over what the agent still wanted of the memory."""
        now = self._clock.now()
        earlier = proposals.waiting(tx, scope.team, memory.id, scope.agent)
        if earlier and earlier.kind is ProposalKind.ADD and kind is not ProposalKind.ARCHIVE:
            kind = ProposalKind.ADD
            after = replace(after, status=MemoryStatus.APPROVED)
        proposal = Proposal(
            team=scope.team,
            id=earlier.id if earlier else self._ids.new(),
            kind=kind,
            memory=memory.id,
            workspace=memory.workspace,
            agent=scope.agent,
            task=scope.task,
            reason=reason,
            before=MemoryState.of(memory),
            after=after,
            status=ProposalStatus.PENDING,
            created_at=earlier.created_at if earlier else now,
            decided_at=None,
            decided_by=None,
            note="",
        )
        proposals.put(tx, proposal)
        if earlier is None:
            self._notify(tx, proposal, Notice.PENDING, now)
        note = journal.Note(now, actor(scope), "propose", proposal.id, {"kind": kind.value})
        journal.append(tx, scope.team, note)
        return proposal

    def _decided(
        self,
        tx: Transaction,
        proposal: Proposal,
        status: ProposalStatus,
        scope: Scope,
        note: str,
        now: int,
    ) -> Proposal:
        """Write a decision of a person, the first one only."""
        if scope.agent is not None:
            raise Forbidden("a proposal is decided by a person, not by an agent")
        decided = replace(
            proposal, status=status, decided_at=now, decided_by=actor(scope), note=note
        )
        if not proposals.decide(tx, decided):
            raise Conflict(f"the proposal was {proposal.status} before, by {proposal.decided_by}")
        self._notify(tx, decided, Notice(status.value), now)
        detail = {"kind": proposal.kind.value}
        entry = journal.Note(now, actor(scope), f"proposal {status}", proposal.id, detail)
        journal.append(tx, scope.team, entry)
        return decided

    def _notify(self, tx: Transaction, proposal: Proposal, notice: Notice, now: int) -> None:
        one = Notification(proposal.team, self._ids.new(), notice, proposal.id, now)
        notifications.put(tx, one)

    def _found(self, tx: Transaction, scope: Scope, id: str) -> Proposal:
        ids = [id] if len(id) == 36 else proposals.by_prefix(tx, scope.team, id) if id else []
        if len(ids) > 1:
            raise InvalidInput(f"more than one proposal begins with {id!r}; give more of the id")
        found = proposals.by_id(tx, scope.team, ids[0], scope.agent) if ids else None
        if found is None:
            raise NotFound(f"no proposal {id!r}; `memoranda pending list` shows them")
        return found

    def _of_proposal(self, tx: Transaction, proposal: Proposal) -> Memory:
        return memories.of_any_agent(tx, proposal.team, [proposal.memory])[proposal.memory]
