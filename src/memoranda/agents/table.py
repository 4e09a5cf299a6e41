"""Rows of agents, and the shared blocks attached to an agent."""

from __future__ import annotations

from memoranda.agents.model import Agent, AttachedBlock
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def record_seen(tx: Transaction, team: str, id: str, now: int, name: str = "") -> None:
    """Record that an agent was seen; add it if it is new."""
    tx.execute(SQL["see"], {"team": team, "id": id, "name": name, "now": now})


def by_id(tx: Transaction, team: str, id: str) -> Agent | None:
    """Return an agent, or None."""
    row = tx.first(SQL["by_id"], {"team": team, "id": id})
    return Agent(*row) if row else None


def listed(tx: Transaction, team: str, *, after: str = "", limit: int) -> list[Agent]:
    """Return agents sorted by id, starting after an id."""
    rows = tx.fetch(SQL["list"], {"team": team, "after": after, "limit": limit})
    return [Agent(*row) for row in rows]


def attached_blocks(tx: Transaction, team: str, agent: str) -> list[AttachedBlock]:
    """Return the shared blocks that are attached to an agent."""
    return [
        AttachedBlock(*row) for row in tx.fetch(SQL["attached"], {"team": team, "agent": agent})
    ]
