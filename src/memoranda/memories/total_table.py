"""Counts of memories by workspace, category and status."""

from __future__ import annotations

from memoranda.memories.count import MemoryCount
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def totals(
    tx: Transaction, team: str, workspace: str | None, agent: str | None
) -> list[MemoryCount]:
    """Count memories, those of the whole team first.

    An agent's counts exclude others' private ones.
    """
    bindings = {"team": team, "workspace": workspace, "agent": agent}
    rows = sorted(tx.fetch(SQL["totals"], bindings), key=lambda row: (row[0] or "", *row[1:3]))
    return [
        MemoryCount(name, category, status, *map(int, counts))
        for name, category, status, *counts in rows
    ]
