"""Counts memories, and finds memories in excess of a scope's capacity."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.memories.model import MemoryKind
from memoranda.store.database import Transaction, load_statements


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """Number of memories by workspace, category and status."""

    workspace: str | None
    """Name of the workspace; None for memories of the whole team."""
    category: str
    status: str
    """Status; ``ended`` for approved memories that are no longer valid."""
    memories: int
    critical: int
    uses: int
    tokens: int


SQL = load_statements(__file__)


def totals(
    tx: Transaction, team: str, workspace: str | None, agent: str | None, now: int | None = None
) -> list[MemoryCount]:
    """Count memories; those of the whole team come first.

    Other agents' private memories are excluded.
    """
    bindings = {"team": team, "workspace": workspace, "agent": agent, "now": now}
    rows = sorted(tx.fetch(SQL["totals"], bindings), key=lambda row: (row[0] or "", *row[1:3]))
    return [
        MemoryCount(name, category, status, *map(int, counts))
        for name, category, status, *counts in rows
    ]


def surplus(tx: Transaction, team: str, kind: MemoryKind, capacity: int, limit: int) -> list[str]:
    """Return the least useful approved memories above each scope's capacity.

    The scopes are each workspace, the whole team, and each agent's private memories. Critical and
    protected memories count towards the capacity but are never returned; memories that are no
    longer valid are not returned either.
    """
    bindings = {"team": team, "kind": kind.value, "capacity": capacity, "limit": limit}
    return [row[0] for row in tx.fetch(SQL["surplus"], bindings)]
