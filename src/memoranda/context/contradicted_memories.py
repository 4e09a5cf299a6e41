"""Marks memories that a newer memory in the same context contradicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from memoranda.memories import link_table as links
from memoranda.memories.link_model import LinkKind
from memoranda.observations.model import Origin
from memoranda.scope import Scope
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction


def marked_contradictions(
    tx: Transaction, scope: Scope, items: Iterable[ContextItem]
) -> tuple[ContextItem, ...]:
    """Return memories, contradicted ones marked and after the newer ones.

    Only recorded contradictions that nobody resolved count. An agent's memory does not mark a
    person's.
    """
    found = list(items)
    newer = _newer(tx, scope.team, found)
    ordered: dict[str, ContextItem] = {}
    by_id = {item.id: item for item in found}
    for item in found:
        for id in reversed(list(_chain(item.id, newer))):
            by = by_id[newer[id]].ref if id in newer else ""
            ordered.setdefault(id, _marked(by_id[id], by))
    return tuple(ordered.values())


def _newer(tx: Transaction, team: str, items: Sequence[ContextItem]) -> dict[str, str]:
    """Return the newest contradicting memory of each contradicted one, by id."""
    by_id = {item.id: item for item in items}
    newer: dict[str, ContextItem] = {}
    for link in links.among(tx, team, list(by_id), LinkKind.CONTRADICTS):
        older, later = sorted((by_id[link.memory], by_id[link.other]), key=lambda one: one.at)
        known = newer.get(older.id, later)
        if later.origin is Origin.HUMAN or older.origin is not Origin.HUMAN:
            newer[older.id] = max(known, later, key=lambda one: one.at)
    return {id: item.id for id, item in newer.items()}


def _chain(id: str, newer: dict[str, str]) -> Iterator[str]:
    """Yield a memory, and the newer ones, each of which contradicts the previous."""
    passed: set[str] = set()
    while id not in passed:
        passed.add(id)
        yield id
        id = newer.get(id, id)


def _marked(item: ContextItem, by: str) -> ContextItem:
    if not by or item.text.startswith(("(replaced by ", "(corrected in ")):
        return item
    return replace(item, text=f"(contradicted by {by}) {item.text}")
