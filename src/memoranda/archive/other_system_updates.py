"""Updates of imported memories that have since changed in their source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from memoranda.archive.other_system_records import ImportedMemory
from memoranda.clock import Clock
from memoranda.exceptions import ProfileFull
from memoranda.ids import IdSource
from memoranda.memories import table as memories, version_table as memory_versions
from memoranda.memories.memory_service import text_entry
from memoranda.memories.memory_writer import MemoryChanges, edited
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.mirror import table as mirrors
from memoranda.proposals import table as proposals
from memoranda.proposals.model import (
    MemoryEdit,
    MemoryState,
    MemoryVersion,
    Notification,
    NotificationKind,
    Proposal,
    ProposalKind,
    ProposalStatus,
)
from memoranda.proposals.suspicion import suspicion_about, with_suspicion
from memoranda.scope import Scope
from memoranda.store.database import Transaction

VERSIONS = 1_000
"""Maximum number of versions of a memory that are compared with its source."""


def change_reason(source: str) -> str:
    """Return the reason that is recorded for changes made in a source."""
    return f"changed in {source}"


@dataclass(slots=True)
class UpdateResult:
    """Outcome of updating the records that existed before an import."""

    updated: list[tuple[str, str]] = field(default_factory=list)
    """Ids and new texts."""
    unchanged: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Ids and reasons."""

    def count(self, id: str, decision: str | None, text: str) -> None:
        """Count a record: unchanged for None, refused for a reason, else updated."""
        if decision is None:
            self.unchanged += 1
        elif decision:
            self.refused.append((id, decision))
        else:
            self.updated.append((id, text))


Decision: TypeAlias = MemoryState | str | None
"""New state of a memory, a reason for refusing the new state, or None for no change."""


class ForeignUpdates:
    """Applies a source's changes to memories, but keeps people's changes.

    A memory that is not approved yet gets the new text. An approved memory gets the new text
    immediately if the import is trusted; otherwise the text is proposed. Each change is stored as a
    version.
    """

    def __init__(
        self, changes: MemoryChanges, clock: Clock, ids: IdSource, source: str, *, trust: bool
    ) -> None:
        """``source`` names the system that the records come from."""
        self._changes = changes
        self._clock = clock
        self._ids = ids
        self._source = source
        self._trust = trust

    def update(
        self,
        tx: Transaction,
        scope: Scope,
        known: Sequence[tuple[str, ImportedMemory]],
        *,
        dry_run: bool,
    ) -> UpdateResult:
        """Update stored memories, passed as pairs of id and imported memory."""
        result = UpdateResult()
        stored = memories.of_any_agent(tx, scope.team, [id for id, _ in known])
        for id, imported in known:
            decision = self._decision(tx, stored[id], imported) if id in stored else None
            if isinstance(decision, MemoryState):
                refusal = "" if dry_run else self._apply(tx, stored[id], decision)
                result.count(id, refusal, decision.content)
            else:
                result.count(id, decision, "")
        return result

    def _decision(self, tx: Transaction, memory: Memory, imported: ImportedMemory) -> Decision:
        current = MemoryState.of(memory)
        memory_state = self._source_state(current, imported)
        if memory_state == current:
            return None
        versions = memory_versions.listed(tx, memory.team, memory.id, limit=VERSIONS)
        if any(_is_older(imported, version, memory_state) for version in versions):
            return None
        offers = self._offers(tx, memory)
        newest = offers[0] if offers else None
        if (
            newest
            and newest.status is ProposalStatus.REJECTED
            and _has_text(newest.after, memory_state)
        ):
            return "a person rejected this text"
        states = self._source_states(current, versions, offers)
        if _has_text(states[0], memory_state):
            return None  # the text is pending, or the memory was changed here since
        if current.content not in {state.content for state in states}:
            return f"it was edited here, and {change_reason(self._source)}"
        if memory.status in (MemoryStatus.ARCHIVED, MemoryStatus.REJECTED):
            return f"it is {memory.status.value} here, and was {change_reason(self._source)}"
        return memory_state

    def _source_state(self, current: MemoryState, imported: ImportedMemory) -> MemoryState:
        """Return the state of a memory in the source."""
        content = self._changes.clean(imported.content)
        text = current.content if content == current.content.strip() else content
        until = imported.valid_until or current.valid_until
        return edited(current, MemoryEdit(content=text, valid_until=until))

    def _source_states(
        self, current: MemoryState, versions: Sequence[MemoryVersion], offers: Sequence[Proposal]
    ) -> list[MemoryState]:
        """Return the states that imports stored or proposed, newest first."""
        dated, after = [(proposal.created_at, proposal.after) for proposal in offers], current
        for version in versions:
            if version.actor == self._source:
                dated.append((version.created_at, after))
            after = version.state
        dated.append((0, after))
        return [state for _, state in sorted(dated, key=lambda one: -one[0])]

    def _offers(self, tx: Transaction, memory: Memory) -> list[Proposal]:
        """Return the changes that imports proposed for a memory, newest first."""
        found = proposals.of_memory(tx, memory.team, memory.id)
        reason = change_reason(self._source)
        return [
            proposal
            for proposal in found
            if proposal.agent is None and proposal.reason.endswith(reason)
        ]

    def _apply(self, tx: Transaction, memory: Memory, after: MemoryState) -> str:
        """Apply or propose a change; return the reason if the store refuses it."""
        if memory.status is MemoryStatus.APPROVED and not self._trust:
            self._propose(tx, memory, after)
            return ""
        reason, now = change_reason(self._source), self._clock.now()
        try:
            changed = self._changes.change(tx, memory, after, self._source, reason, now)
        except ProfileFull as error:
            return str(error)
        if changed.approved_by:  # nobody has seen the new text
            changed = replace(changed, approved_by=None)
            memories.update(tx, changed, text_entry(changed))
        waiting = proposals.waiting(tx, memory.team, memory.id, None)
        if waiting and waiting.kind is ProposalKind.ADD:
            approved = replace(after, status=MemoryStatus.APPROVED)
            proposals.put(tx, replace(waiting, before=after, after=approved))
        return ""

    def _propose(self, tx: Transaction, memory: Memory, after: MemoryState) -> None:
        now, team = self._clock.now(), memory.team
        offers = self._offers(tx, memory)
        pending = next((offer for offer in offers if offer.status is ProposalStatus.PENDING), None)
        proposal = Proposal(
            team=team,
            id=pending.id if pending else self._ids.new(),
            kind=ProposalKind.UPDATE,
            memory=memory.id,
            workspace=memory.workspace,
            agent=None,
            task=None,
            reason=with_suspicion(suspicion_about(tx, memory, after), change_reason(self._source)),
            before=MemoryState.of(memory),
            after=after,
            status=ProposalStatus.PENDING,
            created_at=now,
            decided_at=None,
            decided_by=None,
            note="",
        )
        proposals.put(tx, proposal)
        mirrors.touch(tx, team, self._ids.new(), now)
        if pending is None:
            kind, id = NotificationKind.PENDING, self._ids.new()
            proposals.put_notification(tx, Notification(team, id, kind, proposal.id, now))


def _has_text(state: MemoryState, wanted: MemoryState) -> bool:
    return (state.content, state.valid_until) == (wanted.content, wanted.valid_until)


def _is_older(imported: ImportedMemory, version: MemoryVersion, wanted: MemoryState) -> bool:
    """Return whether the source's text was replaced by a later change."""
    at = imported.updated_at
    return at is not None and at <= version.created_at and _has_text(version.state, wanted)
