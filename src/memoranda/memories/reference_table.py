"""What memories refer to outside of themselves."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.memories.links import Reference, ReferenceKind
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def put(tx: Transaction, team: str, memory: str, references: Sequence[Reference]) -> None:
    """Add what a memory refers to; what is known already stays."""
    rows = [
        {"team": team, "memory": memory, "kind": one.kind, "value": one.value} for one in references
    ]
    tx.many(SQL["put"], rows)


def of_memory(tx: Transaction, team: str, memory: str) -> tuple[Reference, ...]:
    """Return what a memory refers to, by kind and value."""
    rows = tx.fetch(SQL["of_memory"], {"team": team, "memory": memory})
    return tuple(Reference(ReferenceKind(kind), value) for kind, value in rows)


def served(tx: Transaction, team: str, task: str, least: int) -> list[str]:
    """Return the approved memories that refer to a task that was completed and to others, so many
    at least together; those whose criticality somebody has decided on are left out."""
    bindings = {"team": team, "task": task, "least": least}
    return [row[0] for row in tx.fetch(SQL["served"], bindings)]
