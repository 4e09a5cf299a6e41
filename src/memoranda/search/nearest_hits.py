"""Hits similar in meaning, whether or not they are likely to answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memoranda.scope import Scope
from memoranda.search.calibration import chance_of_cosine
from memoranda.search.filters import SearchFilter
from memoranda.search.hits import hit, refs_of
from memoranda.search.model import Hit
from memoranda.search.query_echoes import without_echoes
from memoranda.search.ranker import records_of
from memoranda.store.database import Transaction

if TYPE_CHECKING:
    from memoranda.memories.model import Memory
    from memoranda.observations.model import Observation


def nearest_hits(
    tx: Transaction,
    scope: Scope,
    cosines: Mapping[str, float | None],
    query: str,
    where: SearchFilter,
    *,
    candidates: bool,
) -> list[Hit]:
    """Return the hits of records in order; None for records without a vector.

    Records that are not candidates have the score 0, which is the same on every page.
    """
    records = without_echoes(records_of(tx, scope, list(cosines)), query, where)
    listed = {id: cosine for id, cosine in cosines.items() if id in records}
    refs = refs_of(tx, scope.team, records.values())
    return [_hit(records[id], cosine, refs[id], candidates) for id, cosine in listed.items()]


def _hit(record: Observation | Memory, cosine: float | None, ref: str, candidate: bool) -> Hit:
    """Return the hit of a record for which only the cosine may be known."""
    score = chance_of_cosine(cosine) if candidate and cosine is not None else 0.0
    why = {} if cosine is None else {"cosine": cosine}
    return hit(record, score, why, ref=ref, parts={"cosine": score})
