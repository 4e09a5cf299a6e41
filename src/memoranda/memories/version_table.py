"""Rows of earlier versions of memories."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.proposals.model import MemoryState, MemoryVersion
from memoranda.store.database import RowType, Transaction, load_statements, row_of

SQL = load_statements(__file__)

VERSION = RowType(MemoryVersion, version=int, state=MemoryState.read)

NEWEST = 1 << 62


def put(tx: Transaction, version: MemoryVersion) -> None:
    """Insert a version, whose number must be the next one."""
    row = row_of(version, state=version.state.text())
    tx.execute(SQL["put"], row)


def newest(tx: Transaction, team: str, memory: str) -> int:
    """Return the number of the last version; 0 for an unchanged memory."""
    row = tx.first(SQL["newest"], {"team": team, "memory": memory})
    return int(row[0]) if row and row[0] else 0


def listed(
    tx: Transaction, team: str, memory: str, *, before: int = NEWEST, limit: int
) -> list[MemoryVersion]:
    """Return versions with a number below ``before``, newest first."""
    bindings = {"team": team, "memory": memory, "before": before, "limit": limit}
    return [VERSION(row) for row in tx.fetch(SQL["listed"], bindings)]


def of_memories(
    tx: Transaction, team: str, memories: Sequence[str], *, limit: int
) -> list[MemoryVersion]:
    """Return the versions of the given memories, newest first."""
    bindings = {"team": team, "memories": dump_json(list(memories)), "limit": limit}
    return [VERSION(row) for row in tx.fetch(SQL["of_memories"], bindings)]


def by_number(tx: Transaction, team: str, memory: str, version: int) -> MemoryVersion | None:
    """Return a version by its number, or None."""
    row = tx.first(SQL["by_number"], {"team": team, "memory": memory, "version": version})
    return VERSION(row) if row else None
