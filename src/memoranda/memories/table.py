"""Table of memories, with their evidence and full-text entries."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memoranda.json_data import dump_json, texts_of
from memoranda.memories.model import (
    Category,
    Memory,
    MemoryKind,
    MemorySource,
    MemoryStatus,
    Visibility,
)
from memoranda.observations.model import Origin
from memoranda.store.database import RowType, TextEntry, Transaction, load_statements

SQL = load_statements(__file__)

MEMORY = RowType(
    Memory,
    visibility=Visibility,
    kind=MemoryKind,
    category=Category,
    tags=texts_of,
    origin=Origin,
    critical=bool,
    protected=bool,
    status=MemoryStatus,
    source=MemorySource,
)

NEWEST = "~"
_CLOSING = " \t\r\n.!?;:,\u2026\u3002"


def insert(tx: Transaction, memory: Memory, text: TextEntry, evidence: Sequence[str]) -> None:
    """Insert a memory with its full-text entry and evidence."""
    tx.execute(SQL["insert"], _row(memory))
    tx.execute(SQL["unread"], {"team": memory.team, "id": memory.id})
    tx.text("memory").add([text])
    add_evidence(tx, memory.team, memory.id, evidence)


def update(tx: Transaction, memory: Memory, text: TextEntry) -> bool:
    """Update a memory and its full-text entry; False if it does not exist.

    Its creation time does not change.
    """
    if not tx.execute(SQL["update"], _row(memory)):
        return False
    tx.execute(SQL["unread"], {"team": memory.team, "id": memory.id})
    tx.text("memory").remove(memory.team, [memory.id])
    tx.text("memory").add([text])
    return True


def mark_processed(tx: Transaction, team: str) -> int:
    """Mark memories that are indexed and analysed; return their number.

    Until they are marked, `entries.memories_without` and `memory_encodings.waiting` examine them.
    """
    return tx.execute(SQL["settle"], {"team": team})


def same_content(tx: Transaction, memory: Memory, now: int | None = None) -> str | None:
    """Return the id of the first memory with the same content and scope.

    Return None if there is none. With ``now``, only memories valid at that time are considered.
    Case, spacing and closing punctuation are ignored.
    """
    row = tx.first(
        SQL["by_content"],
        {
            "team": memory.team,
            "workspace": memory.workspace,
            "agent": memory.agent if memory.visibility is Visibility.AGENT else None,
            "content_hash": _digest(memory.content),
            "exact_hash": hashlib.sha256(memory.content.encode()).hexdigest(),
            "now": now,
        },
    )
    return str(row[0]) if row else None


def by_ids(tx: Transaction, team: str, ids: Sequence[str], agent: str | None) -> dict[str, Memory]:
    """Return those of the memories that are visible to the agent, by id.

    Unknown ids are omitted.
    """
    if not ids:
        return {}
    bindings = {"team": team, "ids": dump_json(list(ids)), "agent": agent}
    return {row[1]: MEMORY(row) for row in tx.fetch(SQL["by_ids"], bindings)}


def of_any_agent(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, Memory]:
    """Return memories by id, including private ones.

    This is for derived data only, never for a caller's result.
    """
    if not ids:
        return {}
    rows = tx.fetch(SQL["of_any_agent"], {"team": team, "ids": dump_json(list(ids))})
    return {row[1]: MEMORY(row) for row in rows}


def as_value(row: Mapping[str, Any]) -> Memory:
    """Convert a complete row, using the names of its columns."""
    return MEMORY(tuple(row[name] for name in Memory.__dataclass_fields__))


def evidence(tx: Transaction, team: str, id: str) -> tuple[str, ...]:
    """Return a memory's source observations, oldest first."""
    return tuple(row[0] for row in tx.fetch(SQL["evidence"], {"team": team, "memory": id}))


def sources(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the source observations of memories that have any, by memory."""
    found: dict[str, set[str]] = {}
    for memory, observation in tx.fetch(
        SQL["sources"], {"team": team, "ids": dump_json(list(ids))}
    ):
        found.setdefault(memory, set()).add(observation)
    return {memory: frozenset(observations) for memory, observations in found.items()}


def resting_on(tx: Transaction, team: str, ids: Sequence[str]) -> list[str]:
    """Return memories based on the given observations, newest first.

    Memories private to any agent are included.
    """
    bindings = {"team": team, "ids": dump_json(list(ids))}
    return sorted({row[0] for row in tx.fetch(SQL["resting_on"], bindings)}, reverse=True)


def ids_after(tx: Transaction, team: str, after: str, limit: int) -> list[str]:
    """Return the ids of memories after ``after``, in order."""
    bindings = {"team": team, "after": after, "limit": limit}
    return [row[0] for row in tx.fetch(SQL["ids_after"], bindings)]


def by_prefix(tx: Transaction, team: str, prefix: str, agent: str | None) -> list[str]:
    """Return at most six ids of visible memories that start with a prefix."""
    bindings = {"team": team, "low": prefix, "high": prefix + "~", "agent": agent}
    return [row[0] for row in tx.fetch(SQL["by_prefix"], bindings)]


def of_shared_prefix(tx: Transaction, team: str, ids: Sequence[str]) -> frozenset[str]:
    """Return the ids whose short form is shared with another memory."""
    if not ids:
        return frozenset()
    bindings = {"team": team, "ids": dump_json(list(ids))}
    return frozenset(row[0] for row in tx.fetch(SQL["of_shared_prefix"], bindings))


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Filter for listing memories; None means "any"."""

    workspace: str | None = None
    agent: str | None = None
    status: MemoryStatus | None = None
    category: Category | None = None
    episodic: int = 1
    """0 to exclude memories of single tasks."""
    critical: int = 0
    """1 to exclude memories that are not critical."""
    begun_by: int | None = None
    """Latest start of validity, in microseconds."""
    unended_at: int | None = None
    """Time in microseconds at which the validity must not have ended."""


def listed(
    tx: Transaction, team: str, where: MemoryFilter, *, before: str = NEWEST, limit: int
) -> list[Memory]:
    """Return memories with an id below ``before``, newest first."""
    bindings = asdict(where) | {"team": team, "before_id": before, "limit": limit}
    return [MEMORY(row) for row in tx.fetch(SQL["list"], bindings)]


def reworded(
    tx: Transaction,
    team: str,
    workspace: str | None,
    agent: str | None,
    status: MemoryStatus,
    *,
    limit: int,
) -> list[Memory]:
    """Return visible memories of a status, newest first; approved if changed."""
    bindings = {"team": team, "workspace": workspace, "agent": agent, "status": status}
    return [MEMORY(row) for row in tx.fetch(SQL["reworded"], bindings | {"limit": limit})]


def critical(
    tx: Transaction, team: str, workspace: str | None, agent: str | None, now: int | None = None
) -> list[Memory]:
    """Return the approved critical memories of a context, oldest first.

    Without a workspace, return those of all workspaces; with ``now``, only those valid at that
    time.
    """
    bindings = {"team": team, "workspace": workspace, "agent": agent, "now": now}
    return [MEMORY(row) for row in tx.fetch(SQL["critical"], bindings)]


def critical_ids(
    tx: Transaction, team: str, workspace: str | None, agent: str | None, now: int | None = None
) -> list[str]:
    """Return the ids of visible approved critical memories, oldest first.

    Without a workspace, return those of all workspaces; with ``now``, only those valid at that
    time.
    """
    bindings = {"team": team, "workspace": workspace, "agent": agent, "now": now}
    return [row[0] for row in tx.fetch(SQL["critical_ids"], bindings)]


def delete(tx: Transaction, team: str, ids: Sequence[str]) -> int:
    """Delete memories with evidence and full-text entries; return how many."""
    tx.text("memory").remove(team, ids)
    return tx.execute(SQL["delete"], {"team": team, "ids": dump_json(list(ids))})


def reinforce(tx: Transaction, team: str, id: str, now: int, step: float = 0.1) -> bool:
    """Count one more use of a memory and raise its confidence by ``step``.

    The confidence is limited to 1. Return False if there is no such memory.
    """
    bindings = {"team": team, "id": id, "now": now, "step": step}
    return tx.execute(SQL["reinforce"], bindings) > 0


def set_confidence(tx: Transaction, team: str, id: str, confidence: float) -> bool:
    """Set the confidence of a memory; return False if it does not exist."""
    bindings = {"team": team, "id": id, "confidence": confidence}
    return tx.execute(SQL["set_confidence"], bindings) > 0


def add_evidence(tx: Transaction, team: str, id: str, observations: Sequence[str]) -> None:
    """Add observations as evidence of a memory; keep existing ones."""
    rows = [
        {"team": team, "memory": id, "observation": observation} for observation in observations
    ]
    tx.many(SQL["link"], rows)


def in_place(
    tx: Transaction, team: str, workspace: str | None, agent: str | None, limit: int
) -> list[str]:
    """Return memories in use, newest first.

    With an agent, the agent's private memories are included; otherwise only shared ones. With a
    workspace, memories of the workspace and of the team are returned; otherwise those of all
    workspaces.
    """
    bindings = {"team": team, "workspace": workspace, "agent": agent, "limit": limit}
    name = "place_of_team" if workspace is None else "place"
    return [row[0] for row in tx.fetch(SQL[name], bindings)]


def counts(
    tx: Transaction, team: str, workspace: str | None, agent: str | None, now: int | None = None
) -> dict[str, int]:
    """Return the number of memories visible to the agent, by status.

    Approved memories that are no longer valid at ``now`` are counted as ended.
    """
    bindings = {"team": team, "workspace": workspace, "agent": agent, "now": now}
    return dict(tx.fetch(SQL["count"], bindings))


def _row(memory: Memory) -> dict[str, object]:
    return asdict(memory) | {
        "tags": dump_json(list(memory.tags)),
        "critical": int(memory.critical),
        "protected": int(memory.protected),
        "content_hash": _digest(memory.content),
    }


def _digest(content: str) -> str:
    return hashlib.sha256(folded(content).encode()).hexdigest()


def folded(content: str) -> str:
    """Return the normal form of content for comparison.

    Spacing, closing punctuation and the case of plain words are removed. The case of words such as
    `-V` and `useState` is significant and is kept.
    """
    words = " ".join(content.split()).rstrip(_CLOSING).split(" ")
    return " ".join(map(_folded_word, words)) or content


def _folded_word(word: str) -> str:
    bare = word.strip("\"'(),.;:!?")
    plain = bare.isalpha() and (bare.isupper() or bare[1:].islower() or len(bare) == 1)
    return word.casefold() if plain else word
