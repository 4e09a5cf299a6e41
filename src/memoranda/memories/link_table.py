"""Rows of links between memories, and of their external references."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.memories.link_model import LinkKind, MemoryLink, Reference, ReferenceKind
from memoranda.store.database import RowType, Transaction, load_statements

SQL = load_statements(__file__)

LINK = RowType(MemoryLink, kind=LinkKind)

LAST = ("~", "~")


def put(tx: Transaction, link: MemoryLink) -> bool:
    """Add a link; return False if one of its kind exists."""
    row = {name: getattr(link, name) for name in MemoryLink.__slots__}
    return tx.execute(SQL["put"], row) > 0


def of_memory(tx: Transaction, team: str, memory: str, limit: int) -> list[MemoryLink]:
    """Return the links of a memory at either end, newest first."""
    bindings = {"team": team, "memory": memory, "limit": limit}
    return [LINK(row) for row in tx.fetch(SQL["of_memory"], bindings)]


def among(tx: Transaction, team: str, ids: Sequence[str], kind: LinkKind) -> list[MemoryLink]:
    """Return the links of a kind between some memories, oldest first."""
    bindings = {"team": team, "ids": dump_json([*ids]), "kind": kind}
    return [LINK(row) for row in tx.fetch(SQL["among"], bindings)]


def conflicts(
    tx: Transaction,
    team: str,
    workspace: str | None,
    agent: str | None,
    *,
    now: int,
    before: tuple[str, str] = LAST,
    limit: int,
) -> list[MemoryLink]:
    """Return links between contradicting valid memories, newest first.

    Only links with both ends below ``before`` and visible to the caller are returned.
    """
    bindings = {
        "team": team,
        "workspace": workspace,
        "agent": agent,
        "now": now,
        "memory": before[0],
        "other": before[1],
        "limit": limit,
    }
    return [LINK(row) for row in tx.fetch(SQL["conflicts"], bindings)]


def drop_derived(tx: Transaction, team: str, memory: str, actor: str) -> int:
    """Delete a memory's links that an actor derived; return how many.

    The deleted links will be derived again. Links of supersession are kept.
    """
    return tx.execute(SQL["drop_derived"], {"team": team, "memory": memory, "actor": actor})


def put_references(
    tx: Transaction, team: str, memory: str, references: Sequence[Reference]
) -> None:
    """Add references of a memory; keep existing ones."""
    rows = [
        {"team": team, "memory": memory, "kind": reference.kind, "value": reference.value}
        for reference in references
    ]
    tx.many(SQL["put_references"], rows)


def references_of(tx: Transaction, team: str, memory: str) -> tuple[Reference, ...]:
    """Return the references of a memory, by kind and value."""
    rows = tx.fetch(SQL["references_of"], {"team": team, "memory": memory})
    return tuple(Reference(ReferenceKind(kind), value) for kind, value in rows)


def served(tx: Transaction, team: str, task: str, least: int) -> list[str]:
    """Return approved memories used by this and other completed tasks.

    Each memory must have been used by at least ``least`` such tasks. Memories whose criticality was
    set manually are excluded.
    """
    bindings = {"team": team, "task": task, "least": least}
    return [row[0] for row in tx.fetch(SQL["served"], bindings)]
