"""Exact search filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoranda.calls.argument_check import stated_time
from memoranda.exceptions import InvalidInput
from memoranda.json_data import dump_json
from memoranda.memories.model import Category, MemoryStatus
from memoranda.observations.model import ObservationType
from memoranda.scope import Scope
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
    """Earliest time of occurrence, in microseconds since the epoch.

    A datetime or an ISO 8601 string is converted; this also applies to the other times.
    """
    until: int | None = None
    """Time before which the event occurred."""
    as_of: int | None = None
    """Time as of which the memory is searched; None for now.

    This selects memories that were valid at that time, and observations of what had happened by
    then.
    """
    known_by: int | None = None
    """Latest time of recording, regardless of the time that the content refers to."""
    ever: bool = False
    """Whether to include memories that are not currently valid; allowed only without ``as_of``."""
    statuses: Sequence[MemoryStatus] = (MemoryStatus.APPROVED,)
    stages: Sequence[str] = ()
    least_confidence: float = 0.0
    team_wide: bool = False
    """Whether to include only memories that apply to the whole team, and no observations."""
    quarantined: bool = False
    """Whether to include quarantined text, which awaits review."""
    holds_at: int | None = None
    """Time at which memories must be valid; set by `at`."""

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
        """Whether blocks can match at all; they have no type, tag, stage or confidence."""
        narrow = self.types or self.categories or self.tags or self.stages
        approved = MemoryStatus.APPROVED in self.statuses
        return HitKind.BLOCK in self.kinds and not (narrow or self.least_confidence) and approved

    @property
    def plain(self) -> bool:
        """Whether every non-quarantined observation in scope matches."""
        return not (self.types or self.tags or self.stages) and (
            self.since is self.until is self.as_of is self.known_by is None
        )

    def at(self, now: int) -> SearchFilter:
        """Return this filter for the given time.

        Without ``as_of``, memories must be valid at that time.
        """
        return self if self.ever or self.as_of is not None else replace(self, holds_at=now)

    def bindings(self, scope: Scope) -> dict[str, object]:
        """Return the parameters of the SQL statements."""
        tags = tuple(dict.fromkeys(self.tags))
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
            "tags": dump_json(list(tags)),
            "tags_needed": min(1, len(tags)) if self.any_tag else len(tags),
            "team_wide": int(self.team_wide),
            "since": self.since,
            "until": self.until,
            "known_by": self.known_by,
            "happened_by": self.as_of,
            "holds_at": self.holds_at if self.as_of is None else self.as_of,
            "least_confidence": self.least_confidence,
            "quarantined": int(self.quarantined),
        }


EVERYTHING = SearchFilter()
