"""Search over observations and memories within a scope."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from memoranda.recall.query import ParsedQuery, parse_query
from memoranda.store.database import Database, TextHit, TextQuery, Transaction
from memoranda.store.tables import journal, memories, observations
from memoranda.values.memory import Category, Memory, MemoryStatus
from memoranda.values.observation import Observation, ObservationType
from memoranda.values.page import checked_limit
from memoranda.values.recall import Hit, HitKind, SearchResult
from memoranda.values.scope import Scope

REACHES = (400, 4_000, 40_000)
"""Candidates that full text hands over before the exact filters are applied; the next number is
tried when they leave too few."""
TITLE = 80


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Which results are wanted; None and empty mean "any". Filters are exact."""

    kinds: Sequence[HitKind] = (HitKind.MEMORY, HitKind.OBSERVATION)
    types: Sequence[ObservationType] = ()
    categories: Sequence[Category] = ()
    tags: Sequence[str] = ()
    any_tag: bool = False
    since: int | None = None
    until: int | None = None
    statuses: Sequence[MemoryStatus] = (MemoryStatus.APPROVED,)

    def admits_tags(self, tags: Sequence[str]) -> bool:
        """Tell whether something with these tags is wanted."""
        wanted = set(self.tags)
        found = wanted & set(tags)
        return not wanted or bool(found if self.any_tag else found == wanted)

    def admits_time(self, at: int) -> bool:
        """Tell whether something of this time is wanted."""
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


EVERYTHING = SearchFilter()


class Search:
    """Finds what a scope holds. Text from outside is only ever looked for, never obeyed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def search(
        self, query: str, scope: Scope, where: SearchFilter = EVERYTHING, limit: int = 20
    ) -> SearchResult:
        """Return the best hits, best first; an empty query or unknown scope gives none.

        Raises:
            InvalidInput: the limit is out of range.
        """
        return self.versioned(query, scope, where, limit)[0]

    def versioned(
        self, query: str, scope: Scope, where: SearchFilter, limit: int
    ) -> tuple[SearchResult, str]:
        """Return what `search` does, and the version of the data that it was found in."""
        checked_limit(limit)
        parsed = parse_query(query)

        def work(tx: Transaction) -> tuple[list[Hit], str]:
            hits = [] if parsed.empty else _hits(tx, parsed, scope, where, limit)
            return hits, journal.version(tx, scope.team)

        hits, version = self._database.read(work)
        hits.sort(key=lambda hit: (-hit.score, -hit.created_at, hit.id))
        return SearchResult(tuple(hits[:limit]), "text", degraded=False), version


def _hits(
    tx: Transaction, parsed: ParsedQuery, scope: Scope, where: SearchFilter, limit: int
) -> list[Hit]:
    found: list[Hit] = []
    for table, read in _readers(where).items():
        for reach in REACHES:
            scores = _scores(tx, table, parsed, scope, reach)
            hits = read(tx, scope, where, scores)
            if len(hits) >= limit or len(scores) < reach:
                break
        found += hits
    return found


Reader: TypeAlias = Callable[[Transaction, Scope, SearchFilter, Mapping[str, float]], list[Hit]]


def _readers(where: SearchFilter) -> Mapping[str, Reader]:
    """The tables that can hold what is wanted."""
    readers: dict[str, Reader] = {}
    if HitKind.OBSERVATION in where.kinds and not where.categories:
        readers["observation"] = _observation_hits
    if HitKind.MEMORY in where.kinds and not where.types:
        readers["memory"] = _memory_hits
    return readers


def _observation_hits(
    tx: Transaction, scope: Scope, where: SearchFilter, scores: Mapping[str, float]
) -> list[Hit]:
    rows = observations.by_ids(tx, scope.team, list(scores)).values()
    return [
        _observation_hit(row, scores[row.id])
        for row in rows
        if _admits_observation(where, scope, row)
    ]


def _memory_hits(
    tx: Transaction, scope: Scope, where: SearchFilter, scores: Mapping[str, float]
) -> list[Hit]:
    found = memories.by_ids(tx, scope.team, list(scores), scope.agent).values()
    return [
        _memory_hit(memory, scores[memory.id]) for memory in found if _admits_memory(where, memory)
    ]


def _scores(
    tx: Transaction, table: str, parsed: ParsedQuery, scope: Scope, reach: int
) -> Mapping[str, float]:
    """Full-text scores, divided by the best one so that both tables speak in one range."""
    found: list[TextHit] = tx.text(table).search(
        TextQuery(
            team=scope.team,
            words=parsed.words,
            identifiers=parsed.identifiers,
            workspace=scope.workspace,
            task=scope.task,
            limit=reach,
        )
    )
    best = max((hit.score for hit in found), default=0.0)
    return {hit.id: hit.score / best if best else 1.0 for hit in found}


def _admits_observation(where: SearchFilter, scope: Scope, row: Observation) -> bool:
    return (
        (not where.types or row.type in where.types)
        and (scope.workspace is None or row.workspace == scope.workspace)
        and (scope.task is None or row.task == scope.task)
        and where.admits_tags(row.tags)
        and where.admits_time(row.created_at)
    )


def _admits_memory(where: SearchFilter, memory: Memory) -> bool:
    return (
        (not where.categories or memory.category in where.categories)
        and memory.status in where.statuses
        and where.admits_tags(memory.tags)
        and where.admits_time(memory.created_at)
    )


def _observation_hit(row: Observation, score: float) -> Hit:
    return Hit(
        HitKind.OBSERVATION,
        row.id,
        row.ref,
        title(row.summary),
        row.type,
        row.task,
        row.tags,
        row.created_at,
        row.tokens,
        round(score, 4),
        {"text": round(score, 4)},
    )


def _memory_hit(memory: Memory, score: float) -> Hit:
    return Hit(
        HitKind.MEMORY,
        memory.id,
        short(memory.id),
        memory.title,
        memory.category,
        None,
        memory.tags,
        memory.created_at,
        memory.tokens,
        round(score, 4),
        {"text": round(score, 4)},
    )


def short(id: str) -> str:
    """Return the beginning of a UUIDv7 that no other of the same process shares."""
    return id[:18]  # the millisecond and the counter within it


def title(summary: str) -> str:
    """Return the line of a summary that stands for it in an index."""
    return summary.partition("\n")[0][:TITLE]
