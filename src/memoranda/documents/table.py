"""Rows of documents: JSON by space and key.

The values are stored as blobs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence, Set as AbstractSet
from dataclasses import dataclass, replace

from memoranda.documents.model import Document, prefix_bound
from memoranda.exceptions import CorruptData
from memoranda.json_data import dump_json
from memoranda.observations import blob_table as blobs
from memoranda.observations.blob_table import Blob
from memoranda.store.database import Row, Transaction, load_statements

SQL = load_statements(__file__)


@dataclass(frozen=True, slots=True)
class SpaceAddress:
    """Location of documents: a space of a workspace, or of the team."""

    team: str
    workspace: str
    space: str

    @property
    def bindings(self) -> dict[str, str]:
        """Return the parameters that every statement of this module needs."""
        return {"team": self.team, "workspace": self.workspace, "space": self.space}


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """Document with the hash of its value instead of the value."""

    document: Document
    hash: str


@dataclass(frozen=True, slots=True)
class KeyRange:
    """Selection of a space's documents, in code point order of the keys."""

    prefix: str = ""
    beyond: str | None = None
    """Key after which the selection starts; None to start at the first key."""
    descending: bool = False


def put(tx: Transaction, shelf: SpaceAddress, pairs: Sequence[tuple[Document, Blob]]) -> None:
    """Store documents with their values, replacing those with the same keys."""
    blobs.insert(tx, shelf.team, [blob for _, blob in pairs])
    tx.many(
        SQL["put"],
        [
            shelf.bindings
            | {
                "key": document.key,
                "value_hash": blob.hash,
                "size": blob.size,
                "version": document.version,
                "created_at": document.created_at,
                "updated_at": document.updated_at,
                "expires_at": document.expires_at,
            }
            for document, blob in pairs
        ],
    )


def under(
    tx: Transaction, shelf: SpaceAddress, keys: Sequence[str], now: int
) -> dict[str, DocumentRow]:
    """Return the unexpired documents with the given keys, by key."""
    bindings = shelf.bindings | {"keys": dump_json(list(keys)), "now": now}
    rows = tx.fetch(f"{SQL['columns']} {SQL['under']}", bindings)
    return {row[0]: _placed(row) for row in rows}


def listed(
    tx: Transaction, shelf: SpaceAddress, part: KeyRange, now: int, limit: int
) -> list[DocumentRow]:
    """Return the documents of a range that are unexpired at a time, in order."""
    bindings: dict[str, object] = {
        "now": now,
        "low": part.prefix,
        "high": prefix_bound(part.prefix),
        "limit": limit,
    }
    if part.descending:
        order, bindings["before"] = "backward", part.beyond
    else:
        order, bindings["after"] = "onward", part.beyond or ""
    rows = tx.fetch(f"{SQL['columns']} {SQL['beginning']} {SQL[order]}", shelf.bindings | bindings)
    return [_placed(row) for row in rows]


def with_values(tx: Transaction, team: str, found: Sequence[DocumentRow]) -> list[Document]:
    """Return documents with their values, each verified against its hash.

    Raises:
        CorruptData: a value is missing or does not match its hash.
    """
    hashes = sorted({item.hash for item in found})
    bindings = {"team": team, "hashes": dump_json([*hashes])}
    texts = {
        row[0]: blobs.checked(*row)
        for row in (tx.fetch(SQL["contents"], bindings) if hashes else ())
    }
    if missing := [digest for digest in hashes if digest not in texts]:
        raise CorruptData(f"content {missing[0][:12]} is missing; restore a backup")
    return [
        replace(document_row.document, value=json.loads(texts[document_row.hash]))
        for document_row in found
    ]


def delete_under(tx: Transaction, shelf: SpaceAddress, keys: Sequence[str]) -> int:
    """Delete documents by key, whether expired or not; return how many."""
    return delete(tx, shelf, list(under(tx, shelf, keys, 0).values()))


def delete(tx: Transaction, shelf: SpaceAddress, found: Sequence[DocumentRow]) -> int:
    """Delete documents, and the values that only they use; return how many."""
    keys = [document_row.document.key for document_row in found]
    gone = tx.execute(SQL["delete"], shelf.bindings | {"keys": dump_json([*keys])}) if keys else 0
    drop_values(tx, shelf.team, {row.hash for row in found})
    return gone


def drop_values(tx: Transaction, team: str, hashes: AbstractSet[str]) -> None:
    """Delete those of the given values that are no longer used."""
    if hashes:
        blobs.delete_unused(tx, team, sorted(hashes))


def sweep(tx: Transaction, team: str, until: int, limit: int) -> int:
    """Delete documents that have expired by a given time; return how many."""
    rows = tx.fetch(SQL["expired"], {"team": team, "until": until, "limit": limit})
    for workspace, space, key, _ in rows:
        bindings = SpaceAddress(team, workspace, space).bindings | {"keys": dump_json([key])}
        tx.execute(SQL["delete"], bindings)
    drop_values(tx, team, {row[3] for row in rows})
    return len(rows)


def _placed(row: Row) -> DocumentRow:
    key, digest, size, version, created_at, updated_at, expires_at = row
    document = Document(key, None, size, version, created_at, updated_at, expires_at)
    return DocumentRow(document, digest)
