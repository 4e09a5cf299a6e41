"""Queries for observations and memories that pass an exact filter."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.scope import Scope
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)
SELECTIVE = 20_000
"""Maximum number of records for which all matches of a filter are listed.

Up to this number no match is missed, however low it would rank; above this number, candidates are
examined until enough have matched.
"""


def observations(
    tx: Transaction,
    scope: Scope,
    where: SearchFilter,
    *,
    among: Sequence[str] | None = None,
    limit: int,
) -> list[str]:
    """Return matching observations in scope without repeats, newest first.

    If there are more than ``limit``, it is undefined which ones are returned.
    """
    bindings = where.bindings(scope) | {"limit": limit, "among": dump_json(list(among or ()))}
    rows = tx.fetch(_statement(where, scope, whole=among is None), bindings)
    return sorted((row[0] for row in rows), reverse=True)


def _statement(where: SearchFilter, scope: Scope, *, whole: bool) -> str:
    """Return the SQL statement that examines the fewest observations."""
    if not whole:
        parts = ["among", "conditions", "tags"]
    elif where.tags:
        parts = ["tagged", "conditions", "at_most"]
    elif where.types and scope.workspace:
        parts = ["typed", "conditions", "at_most"]
    else:
        parts = ["whole_scope", "conditions", "newest"]
    return "".join(SQL[part] for part in parts)


def memories(tx: Transaction, scope: Scope, where: SearchFilter, *, limit: int) -> list[str]:
    """Return matching memories that the scope can see, newest first."""
    statement = SQL["all_memories"] + SQL["seen_memories"] + SQL["latest"]
    rows = tx.fetch(statement, where.bindings(scope))
    return [row[0] for row in rows if _tagged(where, json.loads(row[1]))][:limit]


def memories_among(
    tx: Transaction, scope: Scope, where: SearchFilter, ids: Sequence[str]
) -> dict[str, bool]:
    """Return the memory ids, each with whether it is in scope and matches."""
    bindings = where.bindings(scope) | {"among": dump_json(list(ids))}
    rows = tx.fetch(SQL["verdicts"] + SQL["seen_memories"] + SQL["of_some"], bindings)
    return {id: bool(ok) and _tagged(where, json.loads(tags)) for id, tags, ok in rows}


def _tagged(where: SearchFilter, tags: Sequence[str]) -> bool:
    wanted = set(where.tags)
    found = wanted & set(tags)
    return not wanted or bool(found if where.any_tag else found == wanted)


def all_matching(
    tx: Transaction, scope: Scope, where: SearchFilter, kind: HitKind
) -> list[str] | None:
    """Return all matching records of a kind in scope; None if too many."""
    table = observations if kind is HitKind.OBSERVATION else memories
    found = table(tx, scope, where, limit=SELECTIVE + 1)
    return found if len(found) <= SELECTIVE else None


def matching(
    tx: Transaction, scope: Scope, where: SearchFilter, kind: HitKind, ids: Sequence[str]
) -> set[str]:
    """Return which records are in scope and match the filter."""
    if kind is HitKind.MEMORY:
        return {id for id, ok in memories_among(tx, scope, where, ids).items() if ok}
    return set(observations(tx, scope, where, among=ids, limit=len(ids)))
