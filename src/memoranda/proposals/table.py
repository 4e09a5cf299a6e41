"""Rows of proposals and of notifications about them, by channel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from memoranda.proposals.model import (
    MemoryState,
    Notification,
    NotificationKind,
    Proposal,
    ProposalKind,
    ProposalStatus,
)
from memoranda.store.database import RowType, Transaction, load_statements, row_of

SQL = load_statements(__file__)

PROPOSAL = RowType(
    Proposal,
    kind=ProposalKind,
    before=MemoryState.read,
    after=MemoryState.read,
    status=ProposalStatus,
)

NEWEST = "~"


def put(tx: Transaction, proposal: Proposal) -> Proposal:
    """Add a proposal or replace a pending one; return it with its number."""
    row = row_of(proposal, before=proposal.before.text(), after=proposal.after.text())
    tx.execute(SQL["put"], row)
    stored = by_id(tx, proposal.team, proposal.id)
    assert stored is not None
    return stored


def decide(tx: Transaction, proposal: Proposal) -> bool:
    """Store a decision; return False if another caller decided first."""
    row = row_of(proposal)
    return tx.execute(SQL["decide"], row) > 0


def by_id(tx: Transaction, team: str, id: str, agent: str | None = None) -> Proposal | None:
    """Return a proposal; with an agent, only the agent's own."""
    bindings = {"team": team, "id": id, "agent": agent}
    row = tx.first(SQL["columns"] + SQL["by_id"], bindings)
    return PROPOSAL(row) if row else None


def by_number(tx: Transaction, team: str, number: int, agent: str | None = None) -> Proposal | None:
    """Return a proposal by its number; with an agent, only the agent's own."""
    bindings = {"team": team, "number": number, "agent": agent}
    row = tx.first(SQL["columns"] + SQL["by_number"], bindings)
    return PROPOSAL(row) if row else None


def by_prefix(tx: Transaction, team: str, prefix: str, agent: str | None = None) -> list[str]:
    """Return at most six ids that start with a prefix.

    With an agent, only ids of the agent's proposals are returned.
    """
    bindings = {"team": team, "low": prefix, "high": prefix + "~", "agent": agent}
    return [row[0] for row in tx.fetch(SQL["by_prefix"], bindings)]


def listed(
    tx: Transaction,
    team: str,
    workspace: str | None,
    agent: str | None,
    status: ProposalStatus | None,
    *,
    before: str = NEWEST,
    limit: int,
) -> list[Proposal]:
    """Return proposals with an id below ``before``, newest first.

    With an agent, only the agent's own proposals are returned.
    """
    bindings = {
        "team": team,
        "workspace": workspace,
        "agent": agent,
        "status": status,
        "before_id": before,
        "limit": limit,
    }
    return [PROPOSAL(row) for row in tx.fetch(SQL["columns"] + SQL["listed"], bindings)]


def waiting(tx: Transaction, team: str, memory: str, agent: str | None) -> Proposal | None:
    """Return the pending proposal of an agent for a memory."""
    bindings = {"team": team, "memory": memory, "agent": agent}
    row = tx.first(SQL["columns"] + SQL["waiting"], bindings)
    return PROPOSAL(row) if row else None


def of_memory(tx: Transaction, team: str, memory: str) -> list[Proposal]:
    """Return a memory's newest 100 proposals, including decided ones."""
    bindings = {"team": team, "memory": memory}
    return [PROPOSAL(row) for row in tx.fetch(SQL["columns"] + SQL["of_memory"], bindings)]


def count(tx: Transaction, team: str, workspace: str | None, agent: str | None = None) -> int:
    """Return the number of pending proposals, optionally of one agent."""
    row = tx.first(SQL["count"], {"team": team, "workspace": workspace, "agent": agent})
    return int(row[0]) if row else 0


def put_notification(tx: Transaction, notification: Notification) -> None:
    """Add a notification for every channel."""
    tx.execute(SQL["put_notification"], asdict(notification))


def undelivered(tx: Transaction, team: str, channel: str, *, limit: int) -> list[Notification]:
    """Return the undelivered notifications of a channel, oldest first."""
    bindings = {"team": team, "channel": channel, "limit": limit}
    return [
        Notification(team, id, NotificationKind(notice), proposal, created_at)
        for team, id, notice, proposal, created_at in tx.fetch(SQL["undelivered"], bindings)
    ]


def deliver(
    tx: Transaction, team: str, channel: str, notifications: Sequence[Notification], now: int
) -> None:
    """Record that a channel was notified. Idempotent."""
    rows = [
        {"team": team, "channel": channel, "notification": notification.id, "delivered_at": now}
        for notification in notifications
    ]
    tx.many(SQL["deliver"], rows)
