"""Rows of approval rules."""

from __future__ import annotations

from dataclasses import asdict

from memoranda.memories.model import Category, MemorySource
from memoranda.observations.model import Origin
from memoranda.proposals.approval_rule import ApprovalRule
from memoranda.store.database import RowType, Transaction, load_statements

SQL = load_statements(__file__)
MAXIMUM = 100
"""Maximum number of rules of a team."""

RULE = RowType(
    ApprovalRule, source=MemorySource, category=Category, origin=Origin, agents=bool, enabled=bool
)


def put(tx: Transaction, rule: ApprovalRule) -> None:
    """Add a rule, or update whether an existing one is active."""
    row = asdict(rule) | {"agents": int(rule.agents), "enabled": int(rule.enabled)}
    tx.execute(SQL["put"], row)


def listed(
    tx: Transaction, team: str, workspace: str | None = None, *, after: str = "", limit: int
) -> list[ApprovalRule]:
    """Return rules, oldest first; with a workspace, those that may apply."""
    bindings = {"team": team, "workspace": workspace, "after": after, "limit": limit}
    return [RULE(row) for row in tx.fetch(SQL["listed"], bindings)]


def by_prefix(tx: Transaction, team: str, prefix: str) -> list[str]:
    """Return at most six ids that start with a prefix."""
    bindings = {"team": team, "low": prefix, "high": prefix + "~"}
    return [row[0] for row in tx.fetch(SQL["by_prefix"], bindings)]


def delete(tx: Transaction, team: str, id: str) -> bool:
    """Delete a rule; return False if there is none."""
    return tx.execute(SQL["delete"], {"team": team, "id": id}) > 0
