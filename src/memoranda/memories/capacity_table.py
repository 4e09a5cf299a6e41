"""Memories of a kind beyond the capacity of their place."""

from __future__ import annotations

from memoranda.memories.model import MemoryKind
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def surplus(tx: Transaction, team: str, kind: MemoryKind, capacity: int, limit: int) -> list[str]:
    """Return the least useful approved memories of each workspace beyond a number.

    Those of the whole team, and those that only one agent sees, are each a place of their own.
    Critical and protected memories count, and are never returned; nor are those that have ceased
    to hold.
    """
    bindings = {"team": team, "kind": kind.value, "capacity": capacity, "limit": limit}
    return [row[0] for row in tx.fetch(SQL["surplus"], bindings)]
