"""Counts and entries of memories and tasks by workspace.

A ``place`` is a workspace id, or an empty text for the whole team.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.memories import table as memories
from memoranda.memories.model import Category, Memory
from memoranda.store.database import Row, Transaction, load_statements

SQL = load_statements(__file__)

EVERYWHERE = ""
"""Workspace key of memories that apply to the whole team."""


def counted(tx: Transaction, team: str, places: Sequence[str], agent: str | None) -> list[Row]:
    """Return the counts of the memories that are visible to an agent.

    Each row is (place, category, status, count, time of the newest change).
    """
    bindings = {"team": team, "places": dump_json(list(places)), "agent": agent}
    return tx.fetch(SQL["memories"], bindings)


def worked(tx: Transaction, team: str, places: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the number of tasks and the time of the last event, by workspace."""
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
    """Return the newest approved memories of exactly one workspace or team."""
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
