"""Memories and tasks counted by place. The whole team is the place with an empty name."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.memories import table as memories
from memoranda.memories.model import Category, Memory
from memoranda.store.database import Row, Transaction, load_statements

SQL = load_statements(__file__)

EVERYWHERE = ""
"""The place of what holds for the whole team."""


def counted(tx: Transaction, team: str, places: Sequence[str], agent: str | None) -> list[Row]:
    """Return (place, category, status, count, newest change) of the memories an agent sees."""
    bindings = {"team": team, "places": dump_json(list(places)), "agent": agent}
    return tx.fetch(SQL["memories"], bindings)


def worked(tx: Transaction, team: str, places: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return how many tasks each workspace has, and when something happened in one last."""
    rows = tx.fetch(SQL["tasks"], {"team": team, "places": dump_json(list(places))})
    return {place: (count, last) for place, count, last in rows}


def entries(
    tx: Transaction,
    team: str,
    place: str,
    agent: str | None,
    category: Category | None = None,
    *,
    before: str = memories.NEWEST,
    limit: int,
) -> list[Memory]:
    """Return approved memories that hold in one place alone, newest first."""
    bindings = {
        "team": team,
        "place": place,
        "agent": agent,
        "category": category,
        "before": before,
        "limit": limit,
    }
    ids = [row[0] for row in tx.fetch(SQL["entries"], bindings)]
    found = memories.by_ids(tx, team, ids, agent)
    return [found[id] for id in ids]
