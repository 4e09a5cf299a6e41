"""Rows of working memory. Times are microseconds since the epoch."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.store.database import RowType, Transaction, load_statements
from memoranda.working.model import WorkingEntry, WorkingKey

SQL = load_statements(__file__)

ENTRY = RowType(WorkingEntry, value=json.loads)

EVER = -1
"""Value of ``alive_at`` with which expired entries in the table are included."""
END = 1 << 62
"""Value of ``written_until`` with which every entry is included."""


def put(tx: Transaction, entry: WorkingEntry) -> None:
    """Store an entry, replacing any entry with the same key."""
    row = {name: getattr(entry, name) for name in entry.__slots__}
    tx.execute(SQL["put"], row | {"value": dump_json(entry.value)})


def get(tx: Transaction, team: str, task: str, key: str, alive_at: int) -> WorkingEntry | None:
    """Return the entry that is valid at a time, or None."""
    bindings = {"team": team, "task": task, "key": key, "alive_at": alive_at}
    row = tx.first(SQL["get"], bindings)
    return ENTRY(row) if row else None


def listed(
    tx: Transaction, team: str, task: str, alive_at: int, *, after: str = "", limit: int
) -> list[WorkingKey]:
    """Return entries that are valid at a time, with a key above ``after``.

    Keys are in the order of their code points.
    """
    bindings = {"team": team, "task": task, "alive_at": alive_at, "after": after, "limit": limit}
    return [WorkingKey(*row) for row in tx.fetch(SQL["list"], bindings)]


def delete(tx: Transaction, team: str, task: str, key: str, written_until: int = END) -> bool:
    """Delete an entry unless it was written after a time.

    Returns whether an entry was deleted.
    """
    bindings = {"team": team, "task": task, "key": key, "written_until": written_until}
    return tx.execute(SQL["delete"], bindings) > 0


def clear(tx: Transaction, team: str, tasks: Sequence[str]) -> int:
    """Delete every entry of the given tasks; return how many were deleted."""
    return tx.execute(SQL["clear"], {"team": team, "tasks": dump_json(list(tasks))})


def sweep(tx: Transaction, team: str, until: int) -> int:
    """Delete the entries that have expired by a time; return how many."""
    return tx.execute(SQL["sweep"], {"team": team, "until": until})
