"""A document of a team, and its functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from contract.clock import START
from memoranda.documents import table as documents
from memoranda.documents.model import Document
from memoranda.documents.table import DocumentRow, KeyRange, SpaceAddress
from memoranda.json_data import JsonValue, dump_json
from memoranda.observations.blob_table import Blob
from memoranda.store.database import Transaction

END = START + 9


def shelf(team: str, space: str = "notes") -> SpaceAddress:
    """Return the place of these tests' documents."""
    return SpaceAddress(team, "", space)


def placed(key: str, value: JsonValue, **arguments: Any) -> tuple[Document, Blob]:
    """Make a document that is not stored yet, and its value."""
    blob = Blob.of(dump_json(value))
    return replace(Document(key, None, blob.size, 1, START, START, None), **arguments), blob


def _there(key: str, value: JsonValue) -> DocumentRow:
    document, blob = placed(key, value)
    return DocumentRow(document, blob.hash)


READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "documents.under": lambda tx, team, h: documents.under(tx, shelf(team), ["same"], START),
    "documents.listed": lambda tx, team, h: documents.listed(tx, shelf(team), KeyRange(), START, 9),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "documents.delete": lambda tx, team, h: documents.delete(
        tx, shelf(team), [_there("same", "same")]
    ),
    "documents.delete_under": lambda tx, team, h: documents.delete_under(
        tx, shelf(team), ["same", "ends"]
    ),
    "documents.sweep": lambda tx, team, h: documents.sweep(tx, team, END, 9),
}

ADDS = frozenset({"documents.put"})
ELSEWHERE = frozenset({"documents.with_values", "documents.drop_values"})


def hold_documents(tx: Transaction, team: str) -> None:
    """Store a document that stays and one that expires."""
    documents.put(tx, shelf(team), [placed("same", team), placed("ends", team, expires_at=END)])
