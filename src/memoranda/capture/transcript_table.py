"""Table of the progress of each transcript file's import."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def position(tx: Transaction, team: str, path: str, head_hash: str) -> int:
    """Return the byte offset to continue from.

    The offset is 0 if the file is new or has been replaced.
    """
    row = tx.first(SQL["position"], {"team": team, "path": path})
    return int(row[1]) if row and row[0] == head_hash else 0


def advance(tx: Transaction, team: str, path: str, head_hash: str, place: tuple[int, int]) -> None:
    """Store (byte offset, time) for the next import."""
    offset, read_at = place
    row = {"team": team, "path": path, "head_hash": head_hash}
    tx.execute(SQL["advance"], row | {"read_offset": offset, "read_at": read_at})


def imported(tx: Transaction, team: str, paths: Sequence[str]) -> set[str]:
    """Return which files have been imported, fully or partly."""
    rows = tx.fetch(SQL["imported"], {"team": team, "paths": dump_json(list(paths))})
    return {row[0] for row in rows}
