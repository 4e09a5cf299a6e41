"""Vectors of passages in pgvector with half precision.

PostgreSQL's planner has too few statistics about vectors to choose between a full comparison and a
graph search, especially on partitioned tables, so the choice is made here by counting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from memoranda.json_data import dump_json
from memoranda.store.database import (
    Parameters,
    Row,
    StoredPassage,
    VectorEntry,
    VectorHit,
    VectorQuery,
    load_statements,
)
from memoranda.store.postgres.counts import CachedCounts

if TYPE_CHECKING:
    from memoranda.ports import Vectors

SQL = load_statements(__file__)

GRAPHS = frozenset({256, 384, 512, 768, 1024, 1536, 3072})
"""Vector lengths for which there is a graph; vectors of other lengths are always compared one by
one.
"""
COMPARED = 20_000
"""Maximum number of passages that are compared one by one.

Comparing up to this number takes milliseconds.
"""
WIDTH, WIDEST = 200, 1_000
"""Default and maximum number of candidates that a graph search keeps."""
PAGE = 200
"""Number of vectors per statement."""
_HEAD = 4
"""Number of bytes before the numbers in a vector as sent by PostgreSQL."""


class VectorStatements(Protocol):
    """The part of a transaction that the vector index needs."""

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run one statement."""
        ...

    def fetch(self, sql: str, parameters: Parameters) -> list[Row]:
        """Run one query."""
        ...


class PassageVectors:
    """The vectors of a team's passages in one transaction."""

    def __init__(self, transaction: VectorStatements, counts: CachedCounts) -> None:
        self._transaction = transaction
        self._counts = counts

    def put(self, team: str, model: str, entries: Sequence[VectorEntry]) -> None:
        """Store the vectors of passages; ignore unknown passages."""
        for start in range(0, len(entries), PAGE):
            page = entries[start : start + PAGE]
            bindings = {
                "team": team,
                "model": model,
                "sources": [entry.source for entry in page],
                "places": [entry.place for entry in page],
                "vectors": [_written(entry.vector) for entry in page],
                "hashes": [entry.text_hash for entry in page],
            }
            self._transaction.execute(SQL["put"], bindings)

    def nearest(self, query: VectorQuery) -> list[VectorHit]:
        """Return passages in scope, nearest first.

        The result is exact for few passages, and approximate for many.
        """
        bindings = _scope(query)
        if query.among is not None:
            return self._hits("compare_among", bindings | {"sources": dump_json(list(query.among))})
        if query.vector.size in GRAPHS and self._count(query, bindings) > COMPARED:
            hits = self._walked(bindings)
            if len(hits) >= query.limit:
                return hits  # otherwise the search would end early, among passages of other scopes
        return self._hits("compare", bindings)

    def similarities(
        self, team: str, model: str, vector: Vectors, sources: Sequence[str]
    ) -> dict[tuple[str, int], float]:
        """Return the cosine of every passage of these records."""
        bindings = _scope(VectorQuery(team, model, vector))
        bindings |= {"sources": dump_json(list(sources)), "limit": None}
        hits = self._hits("compare_among", bindings)
        return {(hit.source, hit.place): hit.score for hit in hits}

    def known(self, team: str, model: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        """Return vectors by the hash of their text."""
        bindings = {"team": team, "model": model, "hashes": dump_json(list(hashes))}
        rows = self._transaction.fetch(SQL["known"], bindings)
        return {text_hash: _halves(sent).astype(np.float32) for text_hash, sent in rows}

    def remove(self, team: str, sources: Sequence[str]) -> None:
        """Delete the passages of records; the graph then omits them immediately."""
        bindings = {"team": team, "sources": dump_json(list(sources))}
        self._transaction.execute(SQL["remove"], bindings)

    def page(self, team: str, after: tuple[str, int] | None, limit: int) -> list[StoredPassage]:
        """Return passages by source and place, in order."""
        source, place = after or ("", -1)
        bindings = {"team": team, "source": source, "place": place, "limit": limit}
        return [_stored(row) for row in self._transaction.fetch(SQL["page"], bindings)]

    def rebuild(self, team: str) -> None:
        """Do nothing; PostgreSQL maintains the graphs; only owners may reindex."""

    def _count(self, query: VectorQuery, bindings: Parameters) -> int:
        what = (query.team, "passage", query.model, query.workspace, query.task)
        cached = self._counts.known(*what)
        if cached is None:
            [(count,)] = self._transaction.fetch(SQL["count"], {**bindings, "most": COMPARED + 1})
            cached = int(count)
            self._counts.keep(cached, *what)
        return cached

    def _walked(self, bindings: Parameters) -> list[VectorHit]:
        width = max(WIDTH, min(bindings["limit"], WIDEST))
        self._transaction.fetch(SQL["prepare"], {"width": width, "sort": "off"})
        hits = self._hits("walk", bindings)
        self._transaction.fetch(SQL["prepare"], {"width": width, "sort": "on"})
        return sorted(hits, key=lambda hit: (-hit.score, hit.source, hit.place))

    def _hits(self, statement: str, bindings: Parameters) -> list[VectorHit]:
        return [VectorHit(*row) for row in self._transaction.fetch(SQL[statement], bindings)]


def _scope(query: VectorQuery) -> dict[str, Any]:
    return {
        "team": query.team,
        "model": query.model,
        "vector": _written(query.vector),
        "dimensions": query.vector.size,
        "workspace": query.workspace,
        "task": query.task,
        "limit": query.limit,
    }


def _written(vector: Vectors) -> str:
    """Format a vector for PostgreSQL.

    Five digits distinguish all half-precision numbers.
    """
    halves: list[float] = vector.astype(np.float16).tolist()
    return f"[{','.join([f'{number:.5g}' for number in halves])}]"


def _stored(row: Row) -> StoredPassage:
    *fields, sent = row
    vector = None if sent is None else _halves(sent).astype("<f2").tobytes()
    return StoredPassage(*[*fields, vector])


def _halves(sent: bytes) -> np.ndarray[Any, np.dtype[np.float16]]:
    return np.frombuffer(sent, ">f2", offset=_HEAD)
