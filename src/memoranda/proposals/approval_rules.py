"""Approval rules of a team: added, listed, removed and applied.

Only people add rules; without a rule, every proposal waits.
"""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.clock import Clock
from memoranda.exceptions import Forbidden, InvalidInput, NotFound
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.memories.id_prefix import full_id
from memoranda.memories.model import Category, Memory, MemorySource
from memoranda.observations.model import Origin
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.proposals import approval_table as approval_rules
from memoranda.proposals.approval_rule import ApprovalRule
from memoranda.proposals.model import Proposal
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

MAXIMUM = 100
"""Maximum number of rules of a team."""


@dataclass(frozen=True, slots=True)
class NewApprovalRule:
    """Approval rule that a person requests."""

    source: MemorySource | None = None
    category: Category | None = None
    confidence: float = 0.0
    origin: Origin = Origin.GENERATED
    agents: bool = False


class ApprovalRules:
    """Approval rules of a team and their decisions on proposals."""

    def __init__(self, database: Database, clock: Clock, ids: IdSource) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids

    def add(self, scope: Scope, wanted: NewApprovalRule) -> ApprovalRule:
        """Create a rule for the workspace of the scope, or without one for all.

        Raises:
            Forbidden: the caller is an agent.
            InvalidInput: the confidence is not within 0 and 1, or there are too many rules.
        """
        self._require_person(scope)
        rule = ApprovalRule(
            team=scope.team,
            id=self._ids.new(),
            source=wanted.source,
            category=wanted.category,
            confidence=wanted.confidence,
            origin=wanted.origin,
            agents=wanted.agents,
            workspace=scope.workspace,
            enabled=True,
            created_by=scope.actor,
            created_at=self._clock.now(),
        )

        def work(tx: Transaction) -> ApprovalRule:
            if len(approval_rules.listed(tx, scope.team, limit=MAXIMUM)) >= MAXIMUM:
                raise InvalidInput(
                    f"there are {MAXIMUM} rules; remove one with `memoranda pending rules remove`"
                )
            approval_rules.put(tx, rule)
            self._journal(tx, scope, "rule add", rule.id)
            return rule

        return self._database.write(work)

    def list(
        self, scope: Scope, *, cursor: str | None = None, limit: int = 50
    ) -> Page[ApprovalRule]:
        """Return rules that may apply in the scope, oldest first."""
        checked_limit(limit)
        team, place, after = scope.team, scope.workspace, place_of(cursor, first="")
        rules = self._database.read(
            lambda tx: approval_rules.listed(tx, team, place, after=after, limit=limit + 1)
        )
        return page_of(rules, limit, lambda rule: rule.id)

    def remove(self, scope: Scope, id: str) -> str:
        """Remove a rule by its id or a prefix of it; return the whole id.

        Memories that it approved stay approved.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is none.
            InvalidInput: several ids have the prefix.
        """
        self._require_person(scope)

        def work(tx: Transaction) -> str:
            whole = full_id(tx, scope.team, id, approval_rules.by_prefix, "rule")
            if whole is None or not approval_rules.delete(tx, scope.team, whole):
                raise NotFound(f"no rule {id!r}; `memoranda pending rules list` shows them")
            self._journal(tx, scope, "rule remove", whole)
            return whole

        return self._database.write(work)

    def deciding(self, tx: Transaction, proposal: Proposal, memory: Memory) -> ApprovalRule | None:
        """Return the oldest rule that approves a proposal.

        It runs in the transaction that creates the proposal.
        """
        rules = approval_rules.listed(tx, proposal.team, limit=MAXIMUM)
        return next((rule for rule in rules if rule.admits(proposal, memory)), None)

    def _require_person(self, scope: Scope) -> None:
        if scope.agent is not None:
            raise Forbidden("only a user may add or remove rules, not an agent")

    def _journal(self, tx: Transaction, scope: Scope, operation: str, subject: str) -> None:
        note = journal.NewJournalEntry(self._clock.now(), scope.actor, operation, subject, {})
        journal.append(tx, scope.team, note)
