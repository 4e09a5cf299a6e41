"""Table of how often, and when last, a search returned a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


@dataclass(frozen=True, slots=True)
class RetrievalCount:
    """Number of searches that returned a record."""

    accesses: int
    accessed_at: int
    """Time of the last retrieval, in microseconds since the epoch."""


def add(tx: Transaction, team: str, counts: Mapping[str, int], now: int) -> None:
    """Count retrievals of records by their ids."""
    rows = [
        {"team": team, "source": source, "accesses": count, "now": now}
        for source, count in counts.items()
    ]
    tx.many(SQL["add"], rows)


def of_sources(tx: Transaction, team: str, sources: Sequence[str]) -> dict[str, RetrievalCount]:
    """Return the counts of records; omit records without retrievals."""
    bindings = {"team": team, "sources": dump_json(list(sources))}
    return {row[0]: RetrievalCount(row[1], row[2]) for row in tx.fetch(SQL["of_sources"], bindings)}


def delete(tx: Transaction, team: str, sources: Sequence[str]) -> None:
    """Delete the counts of records."""
    tx.execute(SQL["delete"], {"team": team, "sources": dump_json(list(sources))})
