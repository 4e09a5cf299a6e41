"""Full contents: content-addressed, compressed, stored once per team."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoranda.exceptions import CorruptData
from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)

SMALL = 200
"""Size in bytes below which compression costs more than it saves."""
THOROUGH = range(16 << 10, 1 << 20)
"""Maximum size in bytes for zlib level 6; larger contents are compressed with level 1.

For tool outputs of a few kilobytes, level 1 takes half the time of level 6 and yields 5 % more
bytes; above a megabyte, speed is more important.
"""


@dataclass(frozen=True, slots=True)
class Blob:
    """Content that is ready to be stored."""

    hash: str
    codec: str
    size: int
    """Size in bytes before compression."""
    data: bytes

    @classmethod
    def of(cls, content: str) -> Blob:
        """Compress content and compute its hash. Deterministic."""
        raw = content.encode()
        digest = hashlib.sha256(raw).hexdigest()
        if len(raw) < SMALL:
            return cls(digest, "plain", len(raw), raw)
        return cls(digest, "zlib", len(raw), zlib.compress(raw, 6 if len(raw) in THOROUGH else 1))


def insert(tx: Transaction, team: str, blobs: Iterable[Blob]) -> None:
    """Store contents; skip those that already exist."""
    tx.many(
        SQL["insert"],
        [
            {"team": team, "hash": b.hash, "codec": b.codec, "size": b.size, "data": b.data}
            for b in blobs
        ],
    )


def content(tx: Transaction, team: str, digest: str) -> str:
    """Return content after checking it against its hash.

    Raises:
        CorruptData: the content is missing or was altered.
    """
    row = tx.first(SQL["by_hash"], {"team": team, "hash": digest})
    if row is None:
        raise CorruptData(f"content {digest[:12]} is missing; restore a backup")
    return checked(digest, *row)


def checked(digest: str, codec: str, data: bytes) -> str:
    """Decompress content and check it against its hash.

    Raises:
        CorruptData: the content is not what was stored.
    """
    try:
        raw = zlib.decompress(data) if codec == "zlib" else bytes(data)
    except zlib.error as error:
        raise CorruptData(f"content {digest[:12]} is damaged; restore a backup") from error
    if hashlib.sha256(raw).hexdigest() != digest:
        raise CorruptData(f"content {digest[:12]} is damaged; restore a backup")
    return raw.decode()


def delete_unused(tx: Transaction, team: str, hashes: Sequence[str]) -> int:
    """Delete contents that nothing refers to; return how many."""
    return tx.execute(SQL["delete_unused"], {"team": team, "hashes": dump_json(list(hashes))})


def totals(tx: Transaction, team: str) -> tuple[int, int, int]:
    """Return the number of contents, and their bytes of text and on disk."""
    row = tx.first(SQL["totals"], {"team": team})
    return (int(row[0]), int(row[1]), int(row[2])) if row else (0, 0, 0)
