"""Exact filters of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoranda.calls.argument_check import stated_time
from memoranda.exceptions import InvalidInput
from memoranda.memories.model import Category, MemoryStatus
from memoranda.observations.model import ObservationType
from memoranda.search.model import HitKind


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Filter of a search; None and empty mean "any"."""

    kinds: Sequence[HitKind] = (HitKind.MEMORY, HitKind.OBSERVATION, HitKind.BLOCK)
    types: Sequence[ObservationType] = ()
    categories: Sequence[Category] = ()
    tags: Sequence[str] = ()
    any_tag: bool = False
    since: int | None = None
    """Happened at this time or later, in microseconds since the epoch.

    A datetime or a text in ISO 8601 is converted, as in the other times.
    """
    until: int | None = None
    """Happened before this time."""
    as_of: int | None = None
    """Time whose state is searched; None: now.

    Matches memories that were valid and observations of what had happened by then.
    """
    known_by: int | None = None
    """Recorded at this time or earlier, whatever time the content is about."""
    ever: bool = False
    """Also memories that are no longer, or not yet, valid; without ``as_of``."""
    statuses: Sequence[MemoryStatus] = (MemoryStatus.APPROVED,)
    stages: Sequence[str] = ()
    least_confidence: float = 0.0
    team_wide: bool = False
    """Only memories that apply to the whole team, and no observations."""
    quarantined: bool = False
    """Also text that reads like an instruction to the agent and awaits review."""
    holds_at: int | None = None
    """Time at which memories have to be valid; set by `at`."""

    def __post_init__(self) -> None:
        for name in ("since", "until", "as_of", "known_by"):
            object.__setattr__(self, name, stated_time(getattr(self, name), name))
        if not 0 <= self.least_confidence <= 1:  # also rejects NaN
            raise InvalidInput(
                f"least_confidence must be a number from 0 to 1, not {self.least_confidence}"
            )

    @property
    def observations(self) -> bool:
        """Whether observations can match at all."""
        excluded = self.categories or self.team_wide
        return HitKind.OBSERVATION in self.kinds and not excluded

    @property
    def memories(self) -> bool:
        """Whether memories can match at all."""
        return HitKind.MEMORY in self.kinds and not (self.types or self.stages)

    @property
    def blocks(self) -> bool:
        """Whether blocks can match at all: they have no type, tag, stage or confidence."""
        narrow = self.types or self.categories or self.tags or self.stages
        approved = MemoryStatus.APPROVED in self.statuses
        return HitKind.BLOCK in self.kinds and not (narrow or self.least_confidence) and approved

    @property
    def plain(self) -> bool:
        """Whether every observation in scope matches that is not quarantined."""
        return not (self.types or self.tags or self.stages) and (
            self.since is self.until is self.as_of is self.known_by is None
        )

    def at(self, now: int) -> SearchFilter:
        """Return this filter at a time.

        Without ``as_of``, memories have to be valid at that time.
        """
        return self if self.ever or self.as_of is not None else replace(self, holds_at=now)


EVERYTHING = SearchFilter()
