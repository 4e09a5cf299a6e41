"""Memories, the observations they came from, and their full text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from memoranda.store.database import Row, TextEntry, Transaction, load_statements
from memoranda.values.json import dump_json
from memoranda.values.memory import Category, Memory, MemoryKind, MemoryStatus, Visibility
from memoranda.values.observation import Origin

SQL = load_statements(__file__)

NEWEST = "~"


def _memory(row: Row) -> Memory:
    team, id, workspace, agent, visibility, title, content, kind, category, tags, *rest = row
    origin, confidence, critical, reason, protected, status, *measures = rest
    return Memory(
        team,
        id,
        workspace,
        agent,
        Visibility(visibility),
        title,
        content,
        MemoryKind(kind),
        Category(category),
        tuple(json.loads(tags)),
        Origin(origin),
        confidence,
        bool(critical),
        reason,
        bool(protected),
        MemoryStatus(status),
        *measures,
    )


def insert(tx: Transaction, memory: Memory, text: TextEntry, evidence: Sequence[str]) -> None:
    """Add a memory with its full text and the observations it came from."""
    tx.execute(SQL["insert"], _row(memory))
    tx.text("memory").add([text])
    tx.many(
        SQL["link"],
        [{"team": memory.team, "memory": memory.id, "observation": id} for id in evidence],
    )


def update(tx: Transaction, memory: Memory, text: TextEntry) -> bool:
    """Write a memory over what it was, with its full text; False if there is none. Who made it
    and when stay."""
    if not tx.execute(SQL["update"], _row(memory)):
        return False
    tx.text("memory").remove(memory.team, [memory.id])
    tx.text("memory").add([text])
    return True


def same_content(tx: Transaction, memory: Memory) -> str | None:
    """Return the id of the first memory that says exactly this in the same place, or None."""
    row = tx.first(
        SQL["by_content"],
        {
            "team": memory.team,
            "workspace": memory.workspace,
            "agent": memory.agent if memory.visibility is Visibility.AGENT else None,
            "content_hash": _digest(memory.content),
        },
    )
    return str(row[0]) if row else None


def by_ids(tx: Transaction, team: str, ids: Sequence[str], agent: str | None) -> dict[str, Memory]:
    """Return memories by id, those the agent may see; unknown ids are left out."""
    bindings = {"team": team, "ids": dump_json(list(ids)), "agent": agent}
    return {row[1]: _memory(row) for row in tx.fetch(SQL["by_ids"], bindings)}


def of_any_agent(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, Memory]:
    """Return memories by id, private ones as well: for what is derived, never for a caller."""
    rows = tx.fetch(SQL["of_any_agent"], {"team": team, "ids": dump_json(list(ids))})
    return {row[1]: _memory(row) for row in rows}


def as_value(row: Row) -> Memory:
    """Read a whole row, its columns in the order of the catalogue."""
    return _memory(row[:-1])


def evidence(tx: Transaction, team: str, id: str) -> tuple[str, ...]:
    """Return the observations that a memory came from, oldest first."""
    return tuple(row[0] for row in tx.fetch(SQL["evidence"], {"team": team, "memory": id}))


def by_prefix(tx: Transaction, team: str, prefix: str) -> list[str]:
    """Return at most two ids that begin with the prefix."""
    bindings = {"team": team, "low": prefix, "high": prefix + "~"}
    return [row[0] for row in tx.fetch(SQL["by_prefix"], bindings)]


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories to list; None means "any"."""

    workspace: str | None = None
    agent: str | None = None
    status: MemoryStatus | None = None
    category: Category | None = None


def listed(
    tx: Transaction, team: str, where: MemoryFilter, *, before: str = NEWEST, limit: int
) -> list[Memory]:
    """Return memories newest first, those with an id below ``before``."""
    bindings = asdict(where) | {"team": team, "before_id": before, "limit": limit}
    return [_memory(row) for row in tx.fetch(SQL["list"], bindings)]


def critical(tx: Transaction, team: str, workspace: str | None, agent: str | None) -> list[Memory]:
    """Return the approved critical memories that a context of this workspace must hold."""
    bindings = {"team": team, "workspace": workspace, "agent": agent}
    return [_memory(row) for row in tx.fetch(SQL["critical"], bindings)]


def critical_ids(tx: Transaction, team: str, workspace: str | None, agent: str | None) -> list[str]:
    """Return the approved critical memories that a scope sees, oldest first; without a workspace,
    those of every one."""
    bindings = {"team": team, "workspace": workspace, "agent": agent}
    return [row[0] for row in tx.fetch(SQL["critical_ids"], bindings)]


def delete(tx: Transaction, team: str, ids: Sequence[str]) -> int:
    """Delete memories with their evidence and full text; return how many."""
    tx.text("memory").remove(team, ids)
    return tx.execute(SQL["delete"], {"team": team, "ids": dump_json(list(ids))})


def counts(tx: Transaction, team: str, workspace: str | None) -> dict[str, int]:
    """Return how many memories there are in each status."""
    return dict(tx.fetch(SQL["count"], {"team": team, "workspace": workspace}))


def _row(memory: Memory) -> dict[str, object]:
    return asdict(memory) | {
        "tags": dump_json(list(memory.tags)),
        "critical": int(memory.critical),
        "protected": int(memory.protected),
        "content_hash": _digest(memory.content),
    }


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()
