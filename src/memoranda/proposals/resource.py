"""Methods for proposals, which await a person's decision."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoranda.operation_declaration import MEMBERS, REVIEWERS, SHOWN_PROPOSALS, read, write
from memoranda.proposals import table
from memoranda.proposals.model import (
    BulkDecision,
    MemoryEdit,
    Notification,
    Proposal,
    ProposalStatus,
)
from memoranda.resource import Resource
from memoranda.store.database import Transaction
from memoranda.text import normalise

if TYPE_CHECKING:
    from memoranda.page import Page
    from memoranda.proposals.reference import ProposalReference

AT_ONCE = 1_000
"""Maximum number of notifications delivered by one call."""


class ProposalsResource(Resource):
    """``memory.proposals``: changes to memories that a person reviews."""

    @read("proposals.list", roles=SHOWN_PROPOSALS, alias=("pending.list",))
    def list(
        self,
        *,
        workspace: str | None = None,
        status: ProposalStatus | None = ProposalStatus.PENDING,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Proposal]:
        """List proposals, newest first.

        An agent sees only its own proposals.
        """
        scope = self._within(workspace, None)
        return self._services.proposals.list(scope, status, cursor=cursor, limit=limit)

    @read("proposals.show", roles=SHOWN_PROPOSALS, alias=("pending.show",))
    def show(self, id: ProposalReference) -> Proposal:
        """Show a proposal, with the memory before and after the change.

        The proposal is specified by its number, its id or a unique prefix of its id.
        """
        return self._services.proposals.show(self._scope, normalise(id))

    @write("proposals.approve", roles=REVIEWERS, alias=("pending.approve",))
    def approve(
        self, id: ProposalReference, shown: str, *, note: str = "", edit: MemoryEdit | None = None
    ) -> Proposal:
        """Approve a proposal as it was shown.

        ``shown`` is the hash of the proposal; with ``edit``, the change is made as the person
        edited it.

        Raises:
            Forbidden: the caller is an agent.
            Conflict: the proposal differs from what was shown, was already decided, or the memory
                has changed since.
            InvalidInput: a text of the edit is empty or too long.
            NotFound: there is no such proposal.
        """
        decided = self._services.proposals.approve(self._scope, normalise(id), shown, note, edit)
        self._decided(decided)
        return decided

    @write("proposals.approve-all", roles=REVIEWERS, alias=("pending.approve-all",))
    def approve_all(self, shown: Sequence[Proposal]) -> BulkDecision:
        """Approve proposals as they were shown; skip those that have changed.

        Proposals that were changed or decided in the meantime are skipped.

        Raises:
            Forbidden: the caller is an agent.
        """
        decided = self._services.proposals.approve_all(self._scope, shown)
        for proposal in shown:
            if proposal.id in decided.approved:
                self._decided(proposal)
        return decided

    @write("proposals.reject", roles=REVIEWERS, alias=("pending.reject",))
    def reject(self, id: ProposalReference, *, note: str = "") -> Proposal:
        """Reject a proposal; the memory remains unchanged.

        If the proposal was to add a memory, the memory is stored as rejected.

        Args:
            note: why.

        Raises:
            Forbidden: the caller is an agent.
            Conflict: the proposal was already decided.
            NotFound: there is no such proposal.
        """
        decided = self._services.proposals.reject(self._scope, normalise(id), note)
        self._decided(decided)
        return decided

    @read("proposals.count", alias=("pending.count",))
    def count(self, *, workspace: str | None = None) -> int:
        """Count the pending proposals that the caller may list."""
        scope = self._within(workspace, None)
        return self._database.read(
            lambda tx: table.count(tx, scope.team, scope.workspace, scope.agent)
        )

    @write("proposals.notifications", roles=MEMBERS, alias=("pending.news",))
    def notifications(self, channel: str) -> builtins.list[Notification]:
        """List decisions on proposals since the channel's last call.

        The decisions count as delivered afterwards: every channel receives each decision once.
        """
        team, channel = self._scope.team, normalise(channel)
        if not self._database.read(lambda tx: table.undelivered(tx, team, channel, limit=1)):
            return []

        def work(tx: Transaction) -> builtins.list[Notification]:
            notifications = table.undelivered(tx, team, channel, limit=AT_ONCE)
            now = self._services.clock.now()
            table.deliver(tx, team, channel, notifications, now)
            return notifications

        return self._database.write(work)

    def _decided(self, proposal: Proposal) -> None:
        self._services.enqueue_rendering(proposal.workspace)
        self._services.background.wake()
