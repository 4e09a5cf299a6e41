"""Memories that are removed together with their source observations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoranda.lessons import table as lessons
from memoranda.observations import table as observations
from memoranda.store.database import Database, Transaction


def derived_memories(
    tx: Transaction, team: str, ids: Sequence[str], tasks: Sequence[str]
) -> list[str]:
    """Return undecided memories about observations, and their tasks' archives."""
    found = [*lessons.archives(tx, team, tasks), *lessons.undecided(tx, team, ids)]
    return list(dict.fromkeys(found))


def all_derived(database: Database, team: str, pages: Iterable[Sequence[str]]) -> set[str]:
    """Return the memories to remove with all observations in some pages."""
    result: set[str] = set()
    for page in pages:

        def work(tx: Transaction, ids: Sequence[str] = page) -> list[str]:
            found = observations.by_ids(tx, team, ids).values()
            return derived_memories(tx, team, ids, sorted({one.task for one in found}))

        result.update(database.read(work))
    return result
