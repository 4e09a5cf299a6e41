"""Proposals of a team: listed, shown, and decided by a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from memoranda.clock import Clock
from memoranda.exceptions import Conflict, Forbidden, NotFound, ProfileFull, Stale
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.memories import table as memories
from memoranda.memories.capacity import REPETITION
from memoranda.memories.duplicates import find_rejected
from memoranda.memories.memory_writer import MemoryChanges, edited
from memoranda.memories.model import Memory, MemoryStatus, Visibility
from memoranda.mirror import table as mirrors
from memoranda.observations.model import Origin
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.profile.limit import has_room
from memoranda.proposals import approval_table as approval_rules, table as proposals
from memoranda.proposals.approval_rule import ApprovalRule
from memoranda.proposals.feedback_settlement import decide_feedback
from memoranda.proposals.model import (
    BulkDecision,
    MemoryEdit,
    MemoryState,
    Notification,
    NotificationKind,
    Proposal,
    ProposalKind,
    ProposalStatus,
    UndecidedProposal,
)
from memoranda.proposals.reference import find_proposal
from memoranda.proposals.superseded_statements import with_replacements
from memoranda.proposals.suspicion import suspicion_about, with_suspicion
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

AT_ONCE = 1_000
"""Maximum number of proposals that one call decides."""
ONLY_PEOPLE = "only a user may decide on proposals, not an agent"
SHOWN = 8
"""Minimum number of characters of a hash that identifies a proposal."""


class Proposals:
    """Proposals by agents, and people's decisions on them.

    A decision is one transaction, applies only to what the person was shown, and is final.
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
        """Return proposals, newest first; an agent sees only its own."""
        checked_limit(limit)
        before = place_of(cursor, first=proposals.NEWEST)
        team, workspace, agent = scope.team, scope.workspace, scope.agent
        found = self._database.read(
            lambda tx: proposals.listed(
                tx, team, workspace, agent, status, before=before, limit=limit + 1
            )
        )
        page = page_of(found, limit, lambda proposal: proposal.id)
        marked = self._database.read(lambda tx: self._marked(tx, team, page.items))
        return replace(page, items=tuple(marked))

    def show(self, scope: Scope, id: str) -> Proposal:
        """Return a proposal by its id or an id prefix; agents see only their own.

        Raises:
            NotFound: there is no such proposal.
            InvalidInput: several ids have the prefix.
        """
        return self._database.read(
            lambda tx: self._marked(tx, scope.team, [self._found(tx, scope, id)])[0]
        )

    def approve(
        self, scope: Scope, id: str, shown: str, note: str = "", edit: MemoryEdit | None = None
    ) -> Proposal:
        """Apply the change that a person was shown, or an edited version of it.

        Args:
            shown: the hash of the proposal as it was shown, at least its first 8 characters.
            edit: the person's changes. The proposal is unchanged, but the memory gets the edited
                state.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such proposal.
            Conflict: the proposal differs from what was shown, was already decided, or the memory
                has changed since it was proposed.
            InvalidInput: a text of the edit is empty or too long.
            ProfileFull: the profile has no capacity for the memory; the proposal remains pending.
        """
        clean_note, now = self._changes.clean_note(note), self._clock.now()
        memory_edit = self._changes.cleaned(edit) if edit is not None else None

        def work(tx: Transaction) -> Proposal:
            proposal = self._as_shown(tx, scope, id, shown)
            decided = self._decided(tx, proposal, ProposalStatus.APPROVED, scope, clean_note, now)
            memory = self._unchanged(tx, proposal)
            why = clean_note or proposal.reason or f"{proposal.kind} approved"
            after = self._edited(memory, proposal, memory_edit)
            if after.content != proposal.after.content:
                memory = replace(memory, origin=Origin.HUMAN, approved_by=scope.actor)
            self._changes.change(tx, memory, after, scope.actor, why, now)
            return decided

        return self._database.write(work)

    def reject(self, scope: Scope, id: str, note: str = "") -> Proposal:
        """Reject a proposal; the memory remains unchanged.

        If the proposal was to add a memory, the memory is stored as rejected.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such proposal.
            Conflict: the proposal was already decided.
        """
        clean_note = self._changes.clean_note(note)
        return self._database.write(lambda tx: self.rejected(tx, scope, id, clean_note))

    def approve_all(self, scope: Scope, shown: Sequence[Proposal]) -> BulkDecision:
        """Approve proposals as they were shown, each in a separate transaction.

        ``shown`` are the proposals that the person was shown. Proposals that were decided or
        changed since are skipped, with the reason. Proposals that read like an instruction to the
        agent, that are replaced by a later statement of a person, or that are private are also
        skipped; they must be approved one by one.
        """
        if scope.agent is not None:
            raise Forbidden(ONLY_PEOPLE)
        approved, left = [], []
        marked = self._database.read(lambda tx: self._marked(tx, scope.team, shown[:AT_ONCE]))
        for proposal in marked:
            doubt = self._database.read(partial(self._suspicion, proposal=proposal))
            if not doubt and proposal.superseded:
                doubt = f"superseded: {proposal.superseded}"
            # The person does not see the memory afterwards, so a bulk approval could not be undone.
            if not doubt and Visibility.AGENT in (
                proposal.before.visibility,
                proposal.after.visibility,
            ):
                doubt = f"private to the agent {proposal.agent}"
            if doubt:
                see = f"`memoranda pending show {proposal.number}`"
                why = f"{doubt}; review and approve it individually: {see}"
                left.append(UndecidedProposal(proposal.id, why))
                continue
            try:
                self.approve(scope, proposal.id, proposal.hash)
                approved.append(proposal.id)
            except (Conflict, NotFound, ProfileFull) as error:
                left.append(UndecidedProposal(proposal.id, str(error)))
        return BulkDecision(tuple(approved), tuple(left))

    def proposed(self, tx: Transaction, memory: Memory, scope: Scope) -> Proposal:
        """Create the proposal for a pending memory that was just written.

        The proposal is created in the same transaction. A requirement is proposed as critical. A
        repetition of what a person has rejected is rejected immediately.
        """
        state = MemoryState.of(memory)
        critical = memory.critical or (
            memory.critical_reason is None and self._changes.requires(memory.content) is not None
        )
        after = replace(state, status=MemoryStatus.APPROVED, critical=critical)
        proposal = self.put(tx, scope, ProposalKind.ADD, memory, after, "")
        if scope.agent is None or proposal.status is not ProposalStatus.PENDING:
            return proposal
        earlier = find_rejected(tx, memory)
        return self._rejected_again(tx, proposal, memory, earlier) if earlier else proposal

    def _marked(self, tx: Transaction, team: str, found: Sequence[Proposal]) -> Sequence[Proposal]:
        return with_replacements(tx, team, found, self._clock.now())

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
        """Store a proposal, replacing the agent's pending proposal for the memory."""
        now = self._clock.now()
        earlier = proposals.waiting(tx, scope.team, memory.id, scope.agent)
        if earlier and earlier.kind is ProposalKind.ADD and kind is not ProposalKind.ARCHIVE:
            kind = ProposalKind.ADD
            after = replace(after, status=MemoryStatus.APPROVED)
        doubt = suspicion_about(tx, memory, after) if scope.agent else ""
        proposal = Proposal(
            team=scope.team,
            id=earlier.id if earlier else self._ids.new(),
            kind=kind,
            memory=memory.id,
            workspace=memory.workspace,
            agent=scope.agent,
            task=scope.task,
            reason=with_suspicion(doubt, reason),
            before=MemoryState.of(memory),
            after=after,
            status=ProposalStatus.PENDING,
            created_at=earlier.created_at if earlier else now,
            decided_at=None,
            decided_by=None,
            note="",
        )
        proposal = proposals.put(tx, proposal)
        note = journal.NewJournalEntry(
            now, scope.actor, "propose", proposal.id, {"kind": kind.value}
        )
        journal.append(tx, scope.team, note)
        mirrors.touch(tx, scope.team, self._ids.new(), now)
        rule = None if doubt else _deciding_rule(tx, proposal, memory)
        if rule is not None and has_room(tx, replace(memory, status=MemoryStatus.APPROVED)):
            return self._by_rule(tx, proposal, memory, rule, now)
        if earlier is None:
            self._notify(tx, proposal, NotificationKind.PENDING, now)
        return proposal

    def withdraw(self, tx: Transaction, scope: Scope, memory: Memory) -> bool:
        """Withdraw an agent's undecided proposal to add its own memory.

        Return False, and change nothing, if there is no such proposal.
        """
        earlier = proposals.waiting(tx, scope.team, memory.id, scope.agent)
        if not scope.agent or memory.status is not MemoryStatus.PENDING or not earlier:
            return False
        if earlier.kind is not ProposalKind.ADD:
            return False
        now = self._clock.now()
        self._decide(tx, earlier, ProposalStatus.REJECTED, scope.actor, "withdrawn", now)
        return True

    def pending(self, tx: Transaction, scope: Scope) -> Sequence[Proposal]:
        """Return the newest pending proposals of all agents."""
        team, place, status = scope.team, scope.workspace, ProposalStatus.PENDING
        return proposals.listed(
            tx, team, place, None, status, before=proposals.NEWEST, limit=AT_ONCE
        )

    def reject_repeated(self, tx: Transaction, scope: Scope, memory: Memory) -> None:
        """Reject agents' proposals that repeat a memory stated by a person.

        A memory of a workspace does not decide on proposals outside that workspace.
        """
        for proposal in self.pending(tx, scope):
            repeats = proposal.kind is ProposalKind.ADD and proposal.memory != memory.id
            repeats = repeats and memory.workspace in (None, proposal.workspace)
            if repeats and _is_same(proposal, memory):
                self.rejected(tx, scope, proposal.id, "a person stated it: the memory is approved")

    def _by_rule(
        self, tx: Transaction, proposal: Proposal, memory: Memory, rule: ApprovalRule, now: int
    ) -> Proposal:
        """Approve a proposal at its creation if a person's rule allows it."""
        decided = self._decide(tx, proposal, ProposalStatus.APPROVED, rule.name, "", now)
        why = proposal.reason or "approved by a rule"
        self._changes.change(tx, memory, proposal.after, rule.name, why, now)
        return decided

    def _rejected_again(
        self, tx: Transaction, proposal: Proposal, memory: Memory, earlier: Memory
    ) -> Proposal:
        """Reject a repetition of a rejected memory in the proposing transaction."""
        now, note = (
            self._clock.now(),
            f"a person has already rejected the same memory: {earlier.id}",
        )
        decided = self._decide(tx, proposal, ProposalStatus.REJECTED, REPETITION, note, now)
        state = replace(MemoryState.of(memory), status=MemoryStatus.REJECTED)
        self._changes.change(tx, memory, state, REPETITION, note, now)
        return decided

    def rejected(self, tx: Transaction, scope: Scope, id: str, clean_note: str) -> Proposal:
        """Reject a proposal in a transaction. Raises the same errors as `reject`."""
        now = self._clock.now()
        proposal = self._found(tx, scope, id)
        decided = self._decided(tx, proposal, ProposalStatus.REJECTED, scope, clean_note, now)
        memory = self._of_proposal(tx, proposal)
        if proposal.kind is ProposalKind.ADD and memory.status is MemoryStatus.PENDING:
            state = replace(MemoryState.of(memory), status=MemoryStatus.REJECTED)
            self._changes.change(tx, memory, state, scope.actor, clean_note or "rejected", now)
        return decided

    def _as_shown(self, tx: Transaction, scope: Scope, id: str, shown: str) -> Proposal:
        proposal = self._found(tx, scope, id)
        if len(shown) < SHOWN or not proposal.hash.startswith(shown):
            raise Stale(
                "the proposal has changed since it was shown, or the hash is mistyped; review the"
                " proposal again: `memoranda pending show {proposal.number}`"
            )
        return proposal

    def _unchanged(self, tx: Transaction, proposal: Proposal) -> Memory:
        memory = self._of_proposal(tx, proposal)
        if MemoryState.of(memory) != proposal.before:
            raise Conflict(
                "the memory has changed since the proposal was made; reject the proposal, or undo"
                " the change: `memoranda memory history {memory.id}`"
            )
        return memory

    def _edited(self, memory: Memory, proposal: Proposal, edit: MemoryEdit | None) -> MemoryState:
        """Return the proposed state with a person's edit."""
        if edit is None:
            return proposal.after
        return self._changes.recast(memory, edited(proposal.after, edit))

    def _decided(
        self,
        tx: Transaction,
        proposal: Proposal,
        status: ProposalStatus,
        scope: Scope,
        note: str,
        now: int,
    ) -> Proposal:
        """Store a person's decision; only the first decision is stored."""
        if scope.agent is not None:
            raise Forbidden(ONLY_PEOPLE)
        decided = self._decide(tx, proposal, status, scope.actor, note, now)
        decide_feedback(tx, decided)
        return decided

    def _decide(
        self,
        tx: Transaction,
        proposal: Proposal,
        status: ProposalStatus,
        by: str,
        note: str,
        now: int,
    ) -> Proposal:
        """Store a decision; only the first decision is stored."""
        decided = replace(proposal, status=status, decided_at=now, decided_by=by, note=note)
        if not proposals.decide(tx, decided):
            raise Conflict(f"the proposal was already {proposal.status} by {proposal.decided_by}")
        self._notify(tx, decided, NotificationKind(status.value), now)
        detail = {"kind": proposal.kind.value}
        entry = journal.NewJournalEntry(now, by, f"proposal {status}", proposal.id, detail)
        journal.append(tx, proposal.team, entry)
        mirrors.touch(tx, proposal.team, self._ids.new(), now)
        return decided

    def _notify(
        self, tx: Transaction, proposal: Proposal, notice: NotificationKind, now: int
    ) -> None:
        notification = Notification(proposal.team, self._ids.new(), notice, proposal.id, now)
        proposals.put_notification(tx, notification)

    def _suspicion(self, tx: Transaction, proposal: Proposal) -> str:
        found = memories.of_any_agent(tx, proposal.team, [proposal.memory])
        memory = found.get(proposal.memory)
        return suspicion_about(tx, memory, proposal.after) if memory else ""

    def _found(self, tx: Transaction, scope: Scope, id: str) -> Proposal:
        proposal = find_proposal(tx, scope, id)
        if proposal is None:
            raise NotFound(f"no proposal {id!r}; `memoranda pending list` lists the proposals")
        return proposal

    def _of_proposal(self, tx: Transaction, proposal: Proposal) -> Memory:
        return memories.of_any_agent(tx, proposal.team, [proposal.memory])[proposal.memory]


def _is_same(proposal: Proposal, memory: Memory) -> bool:
    texts = (proposal.after.content, memory.content)
    item, other = (" ".join(text.casefold().split()).strip(" .!\"'") for text in texts)
    return item == other


def _deciding_rule(tx: Transaction, proposal: Proposal, memory: Memory) -> ApprovalRule | None:
    """Return the oldest rule that approves a proposal when it is created."""
    rules = approval_rules.listed(tx, proposal.team, limit=approval_rules.MAXIMUM)
    return next((rule for rule in rules if rule.admits(proposal, memory)), None)
