"""Full contents of a store, checked against the hashes that address them."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from itertools import islice

from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)

PAGE = 64
"""Number of contents that a check reads at a time, to limit its memory."""
NAMED = 5
"""Maximum number of damaged records whose names a check returns."""


def damaged_records(tx: Transaction) -> tuple[int, tuple[str, ...]]:
    """Return the number of damaged contents, and the names of the first ones.

    A name is that of an observation with the content (``3#42``), otherwise the start of the
    content's hash.
    """
    damaged = _damaged(tx)
    names = [_name(tx, *key) for key in islice(damaged, NAMED)]
    return len(names) + sum(1 for _ in damaged), tuple(names)


def _damaged(tx: Transaction) -> Iterator[tuple[str, str]]:
    last = ("", "")
    while rows := tx.fetch(SQL["page"], {"team": last[0], "hash": last[1], "limit": PAGE}):
        for team, hash, codec, data in rows:
            if not _is_intact(hash, codec, data):
                yield team, hash
        last = rows[-1][:2]


def _is_intact(hash: str, codec: str, data: bytes) -> bool:
    try:
        raw = zlib.decompress(data) if codec == "zlib" else data
    except zlib.error:
        return False
    return hashlib.sha256(raw).hexdigest() == hash


def _name(tx: Transaction, team: str, hash: str) -> str:
    row = tx.first(SQL["observation_of"], {"team": team, "hash": hash})
    return f"{row[0]}#{row[1]}" if row else f"content {hash[:12]}"
