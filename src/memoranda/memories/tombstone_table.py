"""What was forgotten, by keys that hold nothing of it: no import brings it back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from memoranda.ids import DRAWN
from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def memory_key(id: str) -> str:
    """Name a memory by what tells its id from others: of one from another system, that follows
    from what it is called there, while the time before it may come out anew."""
    return hashlib.sha256(f"memory\0{id[DRAWN:]}".encode()).hexdigest()[:32]


def add_tombstones(tx: Transaction, team: str, keys: Iterable[str], now: int) -> None:
    """Remember keys of what is forgotten; those that are remembered keep their time."""
    rows = [{"team": team, "event_key": key, "forgotten_at": now} for key in keys]
    tx.many(SQL["bury"], rows)


def with_tombstone(tx: Transaction, team: str, keys: Iterable[str]) -> set[str]:
    """Return those of the keys whose bearers were forgotten."""
    bindings = {"team": team, "keys": dump_json([*sorted(set(keys))])}
    return {row[0] for row in tx.fetch(SQL["buried"], bindings)}
