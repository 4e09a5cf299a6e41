"""Which results of a search are wanted. Filters are exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoranda.memories.model import Category, MemoryStatus
from memoranda.observations.model import ObservationType
from memoranda.scope import Scope
from memoranda.search import filter_table as filtering
from memoranda.search.model import HitKind
from memoranda.store.database import Transaction

SELECTIVE = 20_000
"""Records up to which a filter names all it lets through, so that none is missed however far
down it would stand; above it, candidates are looked at until enough got through."""


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """What is wanted; None and empty mean "any"."""

    kinds: Sequence[HitKind] = (HitKind.MEMORY, HitKind.OBSERVATION)
    types: Sequence[ObservationType] = ()
    categories: Sequence[Category] = ()
    tags: Sequence[str] = ()
    any_tag: bool = False
    since: int | None = None
    """Happened at this time or later, in microseconds since the epoch."""
    until: int | None = None
    """Happened before."""
    as_of: int | None = None
    """As things were then: memories that held, observations of what had happened. None: now."""
    known_by: int | None = None
    """Was known by then: recorded at this time or earlier, whatever it tells of."""
    ever: bool = False
    """Memories that hold no longer, or not yet, as well; without ``as_of``."""
    statuses: Sequence[MemoryStatus] = (MemoryStatus.APPROVED,)
    stages: Sequence[str] = ()
    least_confidence: float = 0.0
    quarantined: bool = False
    """Also what reads like an order to the agent and waits for a person."""
    holds_at: int | None = None
    """When memories have to hold; set by `at`."""

    @property
    def observations(self) -> bool:
        """Whether observations can be wanted at all."""
        return HitKind.OBSERVATION in self.kinds and not self.categories

    @property
    def memories(self) -> bool:
        """Whether memories can be wanted at all."""
        return HitKind.MEMORY in self.kinds and not (self.types or self.stages)

    @property
    def plain(self) -> bool:
        """Whether every observation in scope is wanted that is not held back."""
        return not (self.types or self.tags or self.stages) and (
            self.since is self.until is self.as_of is self.known_by is None
        )

    def at(self, now: int) -> SearchFilter:
        """Return this filter at a time: without ``as_of``, memories have to hold then."""
        return self if self.ever or self.as_of is not None else replace(self, holds_at=now)


EVERYTHING = SearchFilter()


def all_matching(
    tx: Transaction, scope: Scope, where: SearchFilter, kind: HitKind
) -> list[str] | None:
    """Return all records of a kind in scope that a filter lets through, None if too many."""
    table = filtering.observations if kind is HitKind.OBSERVATION else filtering.memories
    found = table(tx, scope, _conditions(where), limit=SELECTIVE + 1)
    return found if len(found) <= SELECTIVE else None


def matching(
    tx: Transaction, scope: Scope, where: SearchFilter, kind: HitKind, ids: Sequence[str]
) -> set[str]:
    """Return those of some records that are in scope and that the filter lets through."""
    table = filtering.observations if kind is HitKind.OBSERVATION else filtering.memories
    return set(table(tx, scope, _conditions(where), among=ids, limit=len(ids)))


def _conditions(where: SearchFilter) -> filtering.Conditions:
    return filtering.Conditions(
        types=tuple(where.types),
        categories=tuple(where.categories),
        statuses=tuple(where.statuses),
        stages=tuple(where.stages),
        tags=tuple(dict.fromkeys(where.tags)),
        any_tag=where.any_tag,
        since=where.since,
        until=where.until,
        known_by=where.known_by,
        happened_by=where.as_of,
        holds_at=where.holds_at if where.as_of is None else where.as_of,
        least_confidence=where.least_confidence,
        quarantined=where.quarantined,
    )
