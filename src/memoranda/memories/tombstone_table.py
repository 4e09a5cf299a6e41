"""Tombstones of removed items, with keys that contain none of their text.

An import does not restore an item with a tombstone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from memoranda.ids import DRAWN
from memoranda.json_data import dump_json
from memoranda.language.words import plain_words
from memoranda.store.database import Transaction, load_statements

TASK = "task "
"""Prefix of tombstone keys of tasks; no event key starts with it."""
SQL = load_statements(__file__)


def memory_key(id: str) -> str:
    """Return the tombstone key of a memory: a hash of part of its id.

    The hashed part of an imported memory's id depends only on the memory's name in the other
    system; the leading time may differ in a later import.
    """
    return hashlib.sha256(f"memory\0{id[DRAWN:]}".encode()).hexdigest()[:32]


def statement_key(observation: str, sentence: str) -> str:
    """Return the tombstone key of a statement that a message no longer makes."""
    text = f"statement\0{observation}\0{plain_words(sentence)}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def task_key(number: int) -> str:
    """Return the tombstone key of a task, which keeps its number unused.

    SQL statements on tasks read the number from the key.
    """
    return f"{TASK}{number:012}"


def add_tombstones(tx: Transaction, team: str, keys: Iterable[str], now: int) -> None:
    """Store the keys of removed items; keep the time of existing ones."""
    rows = [{"team": team, "event_key": key, "forgotten_at": now} for key in keys]
    tx.many(SQL["bury"], rows)


def with_tombstone(tx: Transaction, team: str, keys: Iterable[str]) -> set[str]:
    """Return which keys have tombstones."""
    bindings = {"team": team, "keys": dump_json([*sorted(set(keys))])}
    return {row[0] for row in tx.fetch(SQL["buried"], bindings)}
