"""Methods for approval rules, which replace a person's review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput
from memoranda.memories.model import Category, MemorySource
from memoranda.observations.model import Origin
from memoranda.operation_declaration import REVIEWERS, read, write
from memoranda.page import Page
from memoranda.resource import Resource, member
from memoranda.text import normalise

if TYPE_CHECKING:
    from memoranda.proposals.approval_rule import ApprovalRule


class RulesResource(Resource):
    """``memory.rules``: rules that approve some new memories automatically."""

    @write("rules.add", roles=REVIEWERS, alias=("pending.rules.add",))
    def add(
        self,
        *,
        source: MemorySource | str | None = None,
        category: Category | str | None = None,
        confidence: float = 0.0,
        origin: Origin | str = Origin.GENERATED,
        agents: bool = False,
        every: bool = False,
        workspace: str | None = None,
    ) -> ApprovalRule:
        """Add a rule that approves new memories automatically.

        It needs a source, a category or a confidence, or ``every``.

        Args:
            confidence: minimum confidence, 0 to 1.
            origin: minimum trust.
            agents: also statements of agents, not only facts from the record.
            every: confirm that it approves every new memory, from any source.

        Raises:
            Forbidden: the caller is an agent.
            InvalidInput: a value is not acceptable, or there is no condition.
        """
        from memoranda.proposals.approval_rules import NewApprovalRule

        if not (every or source or category or confidence):
            raise InvalidInput(
                "this rule would approve every new memory; state a source, a category or a "
                "confidence, or every if that is meant"
            )
        rule = NewApprovalRule(
            member(MemorySource, source) if source else None,
            member(Category, category) if category else None,
            confidence,
            member(Origin, origin),
            agents,
        )
        return self._services.approval_rules.add(self._within(workspace, None), rule)

    @read("rules.list", alias=("pending.rules.list",))
    def list(
        self, *, workspace: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[ApprovalRule]:
        """List the rules for automatic approval, oldest first."""
        scope = self._within(workspace, None)
        return self._services.approval_rules.list(scope, cursor=cursor, limit=limit)

    @write("rules.remove", roles=REVIEWERS, alias=("pending.rules.remove",))
    def remove(self, id: str) -> str:
        """Remove an approval rule; memories that it approved stay approved.

        It is named by its id or a unique prefix.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is none.
        """
        return self._services.approval_rules.remove(self._scope, normalise(id))
