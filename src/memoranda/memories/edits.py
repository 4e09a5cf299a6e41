"""Changes to memories: people's are applied, agents' are proposed.

An agent's change is pending until a person decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from memoranda.clock import Clock
from memoranda.exceptions import Forbidden, InvalidInput, NotFound, Stale
from memoranda.memories import version_table as memory_versions
from memoranda.memories.memory_writer import MemoryChanges, archived, current, edited
from memoranda.memories.model import Memory, MemoryStatus, Visibility, checked_confidence
from memoranda.memories.supersession_rules import refuse_circle, superseded
from memoranda.observations.model import Origin
from memoranda.page import Page, checked_limit, number_of, page_of
from memoranda.proposals.decisions import Proposals
from memoranda.proposals.model import (
    ChangeResult,
    MemoryChange,
    MemoryEdit,
    MemoryState,
    MemoryVersion,
    ProposalKind,
)
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

Wish = Callable[[MemoryState], MemoryState]
Beside = Callable[[Transaction], object]
AT_ONCE = 1_000
"""Maximum number of memories that one call may change."""


class MemoryEdits:
    """Changes to memories, each in one transaction that keeps the old version."""

    def __init__(
        self, database: Database, changes: MemoryChanges, waiting: Proposals, clock: Clock
    ) -> None:
        self._database = database
        self._changes = changes
        self._proposals = waiting
        self._clock = clock

    def edit(self, scope: Scope, id: str, edit: MemoryEdit, reason: str) -> ChangeResult:
        """Change the content or the attributes of a memory.

        Raises:
            InvalidInput: there is nothing to change, or a text is empty or too long.
            NotFound: there is no such memory in the scope.
        """
        sure, edit = edit.confidence, replace(edit, confidence=None)
        if sure is not None and scope.agent is not None:
            raise Forbidden("only a person can set the confidence of a memory")
        if sure is None or edit != MemoryEdit():
            memory_edit = self._changes.cleaned(edit)
            result = self._wish(
                scope, id, ProposalKind.UPDATE, partial(edited, edit=memory_edit), reason
            )
        return result if sure is None else self._set_confidence(scope, id, checked_confidence(sure))

    def _set_confidence(self, scope: Scope, id: str, confidence: float) -> ChangeResult:
        """Set a memory's confidence without creating a version."""
        now = self._clock.now()

        def work(tx: Transaction) -> ChangeResult:
            memory = current(tx, scope.team, id, scope.agent)
            return ChangeResult(
                self._changes.set_confidence(tx, memory, confidence, scope.actor, now), None
            )

        return self._database.write(work)

    def change_all(
        self, scope: Scope, changes: Sequence[MemoryChange], reason: str, beside: Beside
    ) -> list[ChangeResult]:
        """Apply changes in one transaction, either all or none.

        The function ``beside`` runs in the same transaction.

        Raises:
            InvalidInput: there are too many changes, a memory occurs twice, or a change is invalid.
            NotFound: there is no such memory in the scope.
            Stale: a memory has changed since the caller read it.
        """
        memory_changes = [self._checked(change) for change in _distinct(changes)]
        signed = self._changes.clean_note(reason), self._clock.now()

        def work(tx: Transaction) -> list[ChangeResult]:
            results = [self._one_of_many(tx, scope, change, signed) for change in memory_changes]
            beside(tx)
            return results

        return self._database.write(work)

    def archive(self, scope: Scope, id: str, reason: str) -> ChangeResult:
        """Archive a memory.

        What an agent itself proposed is archived at once, without a person's decision.

        Raises:
            InvalidInput: the memory is protected.
            NotFound: there is no such memory in the scope.
        """
        return self._wish(scope, id, ProposalKind.ARCHIVE, archived, reason)

    def promote(self, scope: Scope, id: str, reason: str) -> ChangeResult:
        """Extend a memory's scope to the whole team.

        Raises:
            InvalidInput: the memory already applies to the whole team.
            NotFound: there is no such memory in the scope.
        """

        def wish(state: MemoryState) -> MemoryState:
            if state.visibility is Visibility.TEAM:
                raise InvalidInput("the memory already applies to the whole team")
            return replace(state, visibility=Visibility.TEAM, workspace=None)

        return self._wish(scope, id, ProposalKind.PROMOTE, wish, reason)

    def demote(self, scope: Scope, id: str, workspace: str, reason: str) -> ChangeResult:
        """Limit a memory's scope to one workspace.

        Raises:
            InvalidInput: the memory is already limited to a workspace.
            NotFound: there is no such memory in the scope.
        """

        def wish(state: MemoryState) -> MemoryState:
            if state.visibility is not Visibility.TEAM:
                raise InvalidInput("the memory does not apply to the whole team")
            return replace(state, visibility=Visibility.WORKSPACE, workspace=workspace)

        return self._wish(scope, id, ProposalKind.DEMOTE, wish, reason)

    def supersede(self, scope: Scope, older: str, newer: str, reason: str) -> ChangeResult:
        """Replace one memory with another when the newer one becomes valid.

        Raises:
            InvalidInput: both memories are the same, the newer one is not approved or became valid
                before the older one, or they would supersede each other in a cycle.
            Conflict: the older memory was superseded before.
            NotFound: there is no such memory in the scope.
        """
        note, now = self._changes.clean_note(reason), self._clock.now()

        def work(tx: Transaction) -> ChangeResult:
            memory, by = (current(tx, scope.team, id, scope.agent) for id in (older, newer))
            after = superseded(memory, by)
            refuse_circle(tx, memory, by.id)
            if scope.agent is None:
                why = note or f"superseded by {by.id}"
                return ChangeResult(
                    self._changes.change(tx, memory, after, scope.actor, why, now), None
                )
            kind = ProposalKind.UPDATE
            return ChangeResult(memory, self._proposals.put(tx, scope, kind, memory, after, note))

        return self._database.write(work)

    def restore(self, scope: Scope, id: str, version: int, reason: str) -> Memory:
        """Restore a memory to one of its versions.

        A version that was pending becomes approved.

        Raises:
            InvalidInput: the only change after the version was an approval.
            NotFound: there is no such memory or version.
        """
        note, now = self._changes.clean_note(reason), self._clock.now()

        def work(tx: Transaction) -> Memory:
            memory = current(tx, scope.team, id, scope.agent)
            memory_version = memory_versions.by_number(tx, scope.team, id, version)
            if memory_version is None:
                raise NotFound(
                    f"the memory has no version {version}; see: memoranda memory history {id}"
                )
            why = note or f"restored version {version}"
            state = memory_version.state
            was_pending = state.status is MemoryStatus.PENDING
            if was_pending:
                state = replace(state, status=MemoryStatus.APPROVED)
            after = self._changes.change(tx, memory, state, scope.actor, why, now, "restore")
            if was_pending and after is memory:
                raise InvalidInput(
                    f"version {version} differs only in that it was pending approval, and an "
                    "approval is not undone by a restore; to withdraw the memory: "
                    f"memoranda memory archive {id}"
                )
            return after

        return self._database.write(work)

    def history(
        self, scope: Scope, id: str, *, cursor: str | None = None, limit: int = 50
    ) -> Page[MemoryVersion]:
        """Return the versions of a memory before each change, newest first.

        Raises:
            NotFound: there is no such memory in the scope.
        """
        checked_limit(limit)
        before = number_of(cursor, first=memory_versions.NEWEST)

        def work(tx: Transaction) -> list[MemoryVersion]:
            current(tx, scope.team, id, scope.agent)
            return memory_versions.listed(tx, scope.team, id, before=before, limit=limit + 1)

        versions = self._database.read(work)
        return page_of(versions, limit, lambda version: version.version)

    def _wish(
        self, scope: Scope, id: str, kind: ProposalKind, wish: Wish, reason: str
    ) -> ChangeResult:
        note, now = self._changes.clean_note(reason), self._clock.now()

        def work(tx: Transaction) -> ChangeResult:
            memory = current(tx, scope.team, id, scope.agent)
            return self._wished(tx, scope, memory, (kind, wish), (note, now))

        return self._database.write(work)

    def _one_of_many(
        self, tx: Transaction, scope: Scope, change: MemoryChange, signed: tuple[str, int]
    ) -> ChangeResult:
        memory = current(tx, scope.team, change.id, scope.agent)
        if change.updated_at not in (None, memory.updated_at):
            raise Stale(f"memory {change.id} has changed since it was read; read it again")
        if change.archive:
            return self._wished(tx, scope, memory, (ProposalKind.ARCHIVE, archived), signed)
        if change.edit is None:
            return ChangeResult(memory, None)
        wish = partial(edited, edit=change.edit)
        return self._wished(tx, scope, memory, (ProposalKind.UPDATE, wish), signed)

    def _wished(
        self,
        tx: Transaction,
        scope: Scope,
        memory: Memory,
        wanted: tuple[ProposalKind, Wish],
        signed: tuple[str, int],
    ) -> ChangeResult:
        """Apply or propose a change; ``signed`` contains the reason and the time."""
        (kind, wish), (note, now) = wanted, signed
        after = self._changes.recast(memory, wish(MemoryState.of(memory)))
        withdrawn = kind is ProposalKind.ARCHIVE and self._proposals.withdraw(tx, scope, memory)
        if scope.agent is None or withdrawn:
            if scope.agent is None and after.content != memory.content:
                memory = replace(memory, origin=Origin.HUMAN)  # the person wrote this text
            why = note or f"{kind} by {'its agent' if withdrawn else 'a person'}"
            return ChangeResult(
                self._changes.change(tx, memory, after, scope.actor, why, now), None
            )
        if after == MemoryState.of(memory):
            raise InvalidInput("the memory already has these values")
        return ChangeResult(memory, self._proposals.put(tx, scope, kind, memory, after, note))

    def _checked(self, change: MemoryChange) -> MemoryChange:
        if change.archive and change.edit is not None:
            raise InvalidInput(f"memory {change.id}: use either edit or archive")
        if not (change.archive or change.edit is not None or change.metadata is not None):
            raise InvalidInput(f"memory {change.id}: nothing to change; use edit or archive")
        edit = None if change.edit is None else self._changes.cleaned(change.edit)
        return replace(change, edit=edit)


def _distinct(changes: Sequence[MemoryChange]) -> Sequence[MemoryChange]:
    """Return changes after checking that they are distinct and not too many.

    Raises:
        InvalidInput: there are too many changes, or a memory occurs twice.
    """
    if len(changes) > AT_ONCE:
        raise InvalidInput(f"at most {AT_ONCE:,} changes at once, not {len(changes):,}")
    if len({change.id for change in changes}) < len(changes):
        raise InvalidInput("a memory occurs twice in these changes; list each one once")
    return changes
