"""Counts of memories by workspace, category and status."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.store.database import Transaction, load_statements


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """Number of memories of one workspace, category and status."""

    workspace: str | None
    """Name of the workspace; None for memories of the whole team."""
    category: str
    status: str
    memories: int
    critical: int
    uses: int
    tokens: int


SQL = load_statements(__file__)


def totals(
    tx: Transaction, team: str, workspace: str | None, agent: str | None
) -> list[MemoryCount]:
    """Count memories, those of the whole team first.

    Other agents' private memories are excluded.
    """
    bindings = {"team": team, "workspace": workspace, "agent": agent}
    rows = sorted(tx.fetch(SQL["totals"], bindings), key=lambda row: (row[0] or "", *row[1:3]))
    return [
        MemoryCount(name, category, status, *map(int, counts))
        for name, category, status, *counts in rows
    ]
