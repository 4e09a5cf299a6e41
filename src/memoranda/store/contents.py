"""Full contents of a store, checked against the hashes that address them."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from itertools import islice

from memoranda.exceptions import CorruptData
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)

PAGE = 64
"""Number of contents that a check reads at a time, to limit its memory."""
NAMED = 5
"""Maximum number of damaged records whose names a check returns."""


def checked_bytes(digest: str, codec: str, data: bytes) -> bytes:
    """Decompress content and check it against its hash.

    Raises:
        CorruptData: it is not what was stored.
    """
    try:
        raw = zlib.decompress(data) if codec == "zlib" else bytes(data)
    except zlib.error as error:
        raise CorruptData(f"content {digest[:12]} is damaged; restore a backup") from error
    if hashlib.sha256(raw).hexdigest() != digest:
        raise CorruptData(f"content {digest[:12]} is damaged; restore a backup")
    return raw


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
            try:
                checked_bytes(hash, codec, data)
            except CorruptData:
                yield team, hash
        last = rows[-1][:2]


def _name(tx: Transaction, team: str, hash: str) -> str:
    row = tx.first(SQL["observation_of"], {"team": team, "hash": hash})
    return f"{row[0]}#{row[1]}" if row else f"content {hash[:12]}"
