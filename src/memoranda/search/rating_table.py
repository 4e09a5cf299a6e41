"""Table of ratings: how often a record was rated useful or not useful."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.search.model import Ratings
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def rate(tx: Transaction, team: str, source: str, *, useful: bool, now: int) -> None:
    """Add one rating of a record."""
    row = {"team": team, "source": source, "useful": int(useful), "useless": int(not useful)}
    tx.execute(SQL["rate"], row | {"now": now})


def take_back(tx: Transaction, team: str, source: str, *, useful: bool, now: int) -> bool:
    """Remove one rating of a record; return False if there is none."""
    row = {"team": team, "source": source, "useful": int(useful), "useless": int(not useful)}
    return tx.execute(SQL["take_back"], row | {"now": now}) > 0


def of_sources(tx: Transaction, team: str, sources: Sequence[str]) -> dict[str, Ratings]:
    """Return the ratings of records; records without ratings are omitted."""
    bindings = {"team": team, "sources": dump_json(list(sources))}
    return {row[0]: Ratings(row[1], row[2]) for row in tx.fetch(SQL["of_sources"], bindings)}


def delete(tx: Transaction, team: str, sources: Sequence[str]) -> None:
    """Delete the ratings of records."""
    tx.execute(SQL["delete"], {"team": team, "sources": dump_json(list(sources))})
