"""Queries for observations and memories that pass an exact filter."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.json_data import dump_json
from memoranda.scope import Scope
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)
SELECTIVE = 20_000
"""Maximum number of records for which a filter lists all matches.

Up to this number no match is missed, however low it would rank; above it, candidates are examined
until enough have matched.
"""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions on records; empty and None mean "any"."""

    types: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    any_tag: bool = False
    since: int | None = None
    until: int | None = None
    known_by: int | None = None
    happened_by: int | None = None
    holds_at: int | None = None
    least_confidence: float = 0.0
    team_wide: bool = False
    """Whether to match only memories without a workspace."""
    quarantined: bool = False
    """Whether to match quarantined records too."""

    def bindings(self, scope: Scope) -> dict[str, object]:
        """Return the parameters of the SQL statements."""
        return {
            "team": scope.team,
            "workspace": scope.workspace,
            "task": scope.task,
            "agent": scope.agent,
            "types": dump_json(list(self.types)),
            "all_types": int(not self.types),
            "categories": dump_json(list(self.categories)),
            "all_categories": int(not self.categories),
            "statuses": dump_json(list(self.statuses)),
            "stages": dump_json(list(self.stages)),
            "all_stages": int(not self.stages),
            "tags": dump_json(list(self.tags)),
            "tags_needed": min(1, len(self.tags)) if self.any_tag else len(self.tags),
            "team_wide": int(self.team_wide),
            "since": self.since,
            "until": self.until,
            "known_by": self.known_by,
            "happened_by": self.happened_by,
            "holds_at": self.holds_at,
            "least_confidence": self.least_confidence,
            "quarantined": int(self.quarantined),
        }


def observations(
    tx: Transaction,
    scope: Scope,
    where: Conditions,
    *,
    among: Sequence[str] | None = None,
    limit: int,
) -> list[str]:
    """Return matching observations in scope without repeats, newest first.

    If there are more than ``limit``, any of them are returned.
    """
    bindings = where.bindings(scope) | {"limit": limit, "among": dump_json(list(among or ()))}
    rows = tx.fetch(_statement(where, scope, whole=among is None), bindings)
    return sorted((row[0] for row in rows), reverse=True)


def _statement(where: Conditions, scope: Scope, *, whole: bool) -> str:
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


def memories(tx: Transaction, scope: Scope, where: Conditions, *, limit: int) -> list[str]:
    """Return matching memories that are visible in the scope, newest first."""
    statement = SQL["all_memories"] + SQL["seen_memories"] + SQL["latest"]
    rows = tx.fetch(statement, where.bindings(scope))
    return [row[0] for row in rows if _tagged(where, json.loads(row[1]))][:limit]


def memories_among(
    tx: Transaction, scope: Scope, where: SearchFilter, ids: Sequence[str]
) -> dict[str, bool]:
    """Return which ids are memories, and whether each is in scope and matches."""
    conditions = _conditions(where)
    bindings = conditions.bindings(scope) | {"among": dump_json(list(ids))}
    rows = tx.fetch(SQL["verdicts"] + SQL["seen_memories"] + SQL["of_some"], bindings)
    return {id: bool(ok) and _tagged(conditions, json.loads(tags)) for id, tags, ok in rows}


def _tagged(where: Conditions, tags: Sequence[str]) -> bool:
    wanted = set(where.tags)
    found = wanted & set(tags)
    return not wanted or bool(found if where.any_tag else found == wanted)


def all_matching(
    tx: Transaction, scope: Scope, where: SearchFilter, kind: HitKind
) -> list[str] | None:
    """Return all matching records of a kind in scope; None if too many."""
    table = observations if kind is HitKind.OBSERVATION else memories
    found = table(tx, scope, _conditions(where), limit=SELECTIVE + 1)
    return found if len(found) <= SELECTIVE else None


def matching(
    tx: Transaction, scope: Scope, where: SearchFilter, kind: HitKind, ids: Sequence[str]
) -> set[str]:
    """Return which records are in scope and match the filter."""
    if kind is HitKind.MEMORY:
        return {id for id, ok in memories_among(tx, scope, where, ids).items() if ok}
    return set(observations(tx, scope, _conditions(where), among=ids, limit=len(ids)))


def _conditions(where: SearchFilter) -> Conditions:
    return Conditions(
        types=tuple(where.types),
        categories=tuple(where.categories),
        statuses=tuple(where.statuses),
        stages=tuple(where.stages),
        tags=tuple(dict.fromkeys(where.tags)),
        any_tag=where.any_tag,
        team_wide=where.team_wide,
        since=where.since,
        until=where.until,
        known_by=where.known_by,
        happened_by=where.as_of,
        holds_at=where.holds_at if where.as_of is None else where.as_of,
        least_confidence=where.least_confidence,
        quarantined=where.quarantined,
    )
