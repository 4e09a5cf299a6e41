"""Full text as functions of a transaction, in the form of the tables."""

from __future__ import annotations

from memoranda.store.database import TextQuery, Transaction

ALL = 1_000
"""More hits than an example has rows, because only their set must agree."""


def found(tx: Transaction, table: str, query: TextQuery) -> set[str]:
    """Return the ids of all hits."""
    hits = tx.text(table).search(query)
    assert len({hit.id for hit in hits}) == len(hits)
    assert all(hit.score > 0 for hit in hits)
    return {hit.id for hit in hits}


def purge(tx: Transaction, table: str) -> None:
    """Rewrite an index so that removed text is not left in it."""
    tx.text(table).purge()
