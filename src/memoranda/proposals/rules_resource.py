"""Methods for approval rules, which replace a person's review."""

from __future__ import annotations

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.id_prefix import full_id
from memoranda.journal import table as journal
from memoranda.memories.model import Category, MemorySource
from memoranda.observations.model import Origin
from memoranda.operation_declaration import REVIEWERS, read, write
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.proposals import approval_table as approval_rules
from memoranda.proposals.approval_rule import ApprovalRule
from memoranda.proposals.approval_table import MAXIMUM
from memoranda.resource import Resource, member
from memoranda.store.database import Transaction
from memoranda.text import normalise


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

        The rule needs a source, a category or a confidence, or ``every``.

        Args:
            confidence: minimum confidence, 0 to 1.
            origin: minimum trust.
            agents: also approve statements of agents, not only facts derived from the record.
            every: confirm that the rule approves every new memory, from any source.

        Raises:
            Forbidden: the caller is an agent.
            InvalidInput: a value is not acceptable, there is no condition, or there are too many
                rules.
        """
        if not (every or source or category or confidence):
            raise InvalidInput(
                "this rule would approve every new memory; specify a source, a category or a"
                " confidence, or `every` if this is intended"
            )
        scope = self._within(workspace, None)
        rule = ApprovalRule(
            team=scope.team,
            id=self._services.ids.new(),
            source=member(MemorySource, source) if source else None,
            category=member(Category, category) if category else None,
            confidence=confidence,
            origin=member(Origin, origin),
            agents=agents,
            workspace=scope.workspace,
            enabled=True,
            created_by=self._actor,
            created_at=self._services.clock.now(),
        )

        def work(tx: Transaction) -> ApprovalRule:
            if len(approval_rules.listed(tx, rule.team, limit=MAXIMUM)) >= MAXIMUM:
                raise InvalidInput(
                    f"there are {MAXIMUM} rules, which is the maximum; remove one with `memoranda"
                    f" pending rules remove`"
                )
            approval_rules.put(tx, rule)
            self._journal(tx, "rule add", rule.id)
            return rule

        return self._database.write(work)

    @read("rules.list", alias=("pending.rules.list",))
    def list(
        self, *, workspace: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[ApprovalRule]:
        """List the rules for automatic approval, oldest first."""
        scope = self._within(workspace, None)
        checked_limit(limit)
        team, place, after = scope.team, scope.workspace, place_of(cursor, first="")
        rules = self._database.read(
            lambda tx: approval_rules.listed(tx, team, place, after=after, limit=limit + 1)
        )
        return page_of(rules, limit, lambda rule: rule.id)

    @write("rules.remove", roles=REVIEWERS, alias=("pending.rules.remove",))
    def remove(self, id: str) -> str:
        """Remove an approval rule; memories that it approved remain approved.

        The rule is specified by its id or a unique prefix of its id.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such rule.
        """
        team, name = self._scope.team, normalise(id)

        def work(tx: Transaction) -> str:
            whole = full_id(tx, team, name, approval_rules.by_prefix, "rule")
            if whole is None or not approval_rules.delete(tx, team, whole):
                raise NotFound(f"no rule {name!r}; `memoranda pending rules list` lists the rules")
            self._journal(tx, "rule remove", whole)
            return whole

        return self._database.write(work)

    def _journal(self, tx: Transaction, operation: str, subject: str) -> None:
        now = self._services.clock.now()
        note = journal.NewJournalEntry(now, self._actor, operation, subject, {})
        journal.append(tx, self._scope.team, note)
