"""Table of a memory's external references."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.memories.link_model import Reference, ReferenceKind
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def put(tx: Transaction, team: str, memory: str, references: Sequence[Reference]) -> None:
    """Add references of a memory; existing ones stay."""
    rows = [
        {"team": team, "memory": memory, "kind": one.kind, "value": one.value} for one in references
    ]
    tx.many(SQL["put"], rows)


def of_memory(tx: Transaction, team: str, memory: str) -> tuple[Reference, ...]:
    """Return the references of a memory, by kind and value."""
    rows = tx.fetch(SQL["of_memory"], {"team": team, "memory": memory})
    return tuple(Reference(ReferenceKind(kind), value) for kind, value in rows)


def served(tx: Transaction, team: str, task: str, minimum: int) -> list[str]:
    """Return approved memories used by this and other completed tasks.

    Each must refer to at least ``minimum`` such tasks. Memories whose criticality was set manually
    are excluded.
    """
    bindings = {"team": team, "task": task, "least": minimum}
    return [row[0] for row in tx.fetch(SQL["served"], bindings)]
