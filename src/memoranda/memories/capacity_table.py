"""Query for the memories of a kind above the capacity of their scope."""

from __future__ import annotations

from memoranda.memories.model import MemoryKind
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def surplus(tx: Transaction, team: str, kind: MemoryKind, capacity: int, limit: int) -> list[str]:
    """Return the least useful approved memories above each scope's capacity.

    Scopes are each workspace, the whole team, and each agent's private memories. Critical and
    protected memories count towards the capacity but are never returned; memories no longer valid
    are not returned either.
    """
    bindings = {"team": team, "kind": kind.value, "capacity": capacity, "limit": limit}
    return [row[0] for row in tx.fetch(SQL["surplus"], bindings)]
