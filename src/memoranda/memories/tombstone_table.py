"""Tombstones of removed items, by keys that contain none of their text.

An import does not restore an item whose key is here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from memoranda.ids import DRAWN
from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def memory_key(id: str) -> str:
    """Return the key of a memory: the part of its id that identifies it.

    For one from another system, that follows from its name there, while the time before it may
    differ in a new import.
    """
    return hashlib.sha256(f"memory\0{id[DRAWN:]}".encode()).hexdigest()[:32]


def add_tombstones(tx: Transaction, team: str, keys: Iterable[str], now: int) -> None:
    """Store the keys of what is forgotten; existing ones keep their time."""
    rows = [{"team": team, "event_key": key, "forgotten_at": now} for key in keys]
    tx.many(SQL["bury"], rows)


def with_tombstone(tx: Transaction, team: str, keys: Iterable[str]) -> set[str]:
    """Return those of the keys whose memories or events were forgotten."""
    bindings = {"team": team, "keys": dump_json([*sorted(set(keys))])}
    return {row[0] for row in tx.fetch(SQL["buried"], bindings)}
