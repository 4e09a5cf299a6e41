"""The profile: memories in every context, with a common token limit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from memoranda.clock import MICROSECONDS
from memoranda.memories.model import Category, Memory, MemoryStatus

if TYPE_CHECKING:
    from memoranda.page import Page
    from memoranda.proposals.model import MemoryState

LIMIT = 10_000
"""Maximum number of tokens in one reader's profile."""
OVERHEAD = 20
"""Number of tokens that a memory in the profile uses in addition to its text."""
CROWDED = 0.8
"""Fraction of the limit above which an optimisation is suggested."""
TARGET = int(CROWDED * LIMIT)
"""Default number of tokens after an optimisation."""

CATEGORIES = (
    Category.USER_PREFERENCE,
    Category.PROJECT_PATTERN,
    Category.LEARNED_RULE,
    Category.DOMAIN_KNOWLEDGE,
    Category.COMMUNICATION_STYLE,
)
"""Categories in the profile; memories of other categories are found by search."""

DAY = 24 * 3_600 * MICROSECONDS
FADING = 90
"""Number of days without use after which a memory's weight is a third of that of a new one."""
OFTEN = 50
"""Number of uses above which further uses do not increase the weight."""


def cost(memory: Memory) -> int:
    """Return the tokens of a memory that count towards the limit."""
    return memory.tokens + OVERHEAD


def in_profile(memory: Memory | MemoryState) -> bool:
    """Return whether a memory is in the profiles of all its readers."""
    return (
        memory.status is MemoryStatus.APPROVED
        and memory.valid_until is None
        and memory.category in CATEGORIES
    )


def touched(memory: Memory) -> int:
    """Return the time at which a memory was last used or changed."""
    return max(memory.last_used or 0, memory.updated_at)


def impact(memory: Memory, newest: int) -> float:
    """Return the weight of a memory relative to others.

    ``newest`` is the time at which the most recent of the memories was used or changed. Critical
    memories weigh most, then protected ones; the weight of the others is between 0 and 1, based on
    confidence, uses and recency.
    """
    used = min(1.0, math.log1p(memory.uses) / math.log1p(OFTEN))
    fresh = math.exp(-max(0, newest - touched(memory)) / (FADING * DAY))
    lasting = 2.0 * memory.critical + 1.0 * memory.protected
    return lasting + 0.4 * memory.confidence + 0.3 * used + 0.3 * fresh


def impacts(memories: Iterable[Memory]) -> dict[str, float]:
    """Return the weight of each of the given memories, by id.

    The weights do not depend on the current time, so equal memories always weigh the same.
    """
    found = list(memories)
    newest = max(map(touched, found), default=0)
    return {memory.id: impact(memory, newest) for memory in found}


def ranked(memories: Iterable[Memory]) -> tuple[Memory, ...]:
    """Return memories, those with the highest weight first."""
    found = list(memories)
    counts = impacts(found)
    return tuple(sorted(found, key=lambda memory: (-counts[memory.id], memory.id)))


@dataclass(frozen=True, slots=True)
class Profile:
    """Memories that are always in a reader's context."""

    workspace: str | None
    used: int
    """Number of tokens used."""
    limit: int
    entries: int
    categories: Mapping[str, int]
    """Number of tokens in each category."""
    memories: Page[Memory]
    """Memories, those with the highest weight first."""

    @property
    def share(self) -> float:
        """Return the used fraction of the limit.

        The fraction exceeds 1 if memories were added without the limit check.
        """
        return self.used / self.limit

    @property
    def crowded(self) -> bool:
        """Return whether an optimisation is suggested."""
        return self.share >= CROWDED


class ProfileSuggestionKind(StrEnum):
    """Kind of suggestion to make a profile smaller."""

    STALE = "stale"
    """Archive a memory that is doubtful and was not used for a long time."""
    MERGE = "merge"
    """Replace several similar memories with one that contains all their facts."""
    SHORTEN = "shorten"
    """Shorten the text without losing facts."""
    FIT = "fit"
    """Archive the memories with the lowest weight until the rest fits."""


@dataclass(frozen=True, slots=True)
class ProfileStep:
    """Change of one memory."""

    memory: str
    freed: int
    """Tokens freed in the profile; negative if the memory grows."""
    source: str
    """SHA-256 of the state on which the change is based."""
    after: MemoryState | None
    """State after the change; no longer stored once the change was applied."""
    version: int | None = None
    """Number of the version that contains the state before the change."""


@dataclass(frozen=True, slots=True)
class ProfileSuggestion:
    """Suggestion that is independent of the others."""

    number: int
    kind: ProfileSuggestionKind
    reason: str
    steps: tuple[ProfileStep, ...]
    """Changes to memories; no two suggestions change the same memory."""

    @property
    def freed(self) -> int:
        """Return the number of tokens that the suggestion frees in the profile."""
        return sum(step.freed for step in self.steps)


class ChangeStatus(StrEnum):
    """Status of a change of a profile."""

    PREVIEW = "preview"
    APPLIED = "applied"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """Suggestions for a profile, with their outcomes."""

    team: str
    id: str
    workspace: str | None
    hash: str
    """SHA-256 of the profile and of all suggestions.

    Suggestions can be applied only with this hash.
    """
    status: ChangeStatus
    limit: int
    target: int
    """Maximum number of tokens in the profile after the change."""
    used: int
    """Number of tokens in the profile before the change."""
    short: str
    """Why the profile would still exceed the target; empty if it would not."""
    created_at: int
    applied_at: int | None = None
    applied_by: str | None = None
    undone_at: int | None = None
    undone_by: str | None = None
    suggestions: tuple[ProfileSuggestion, ...] = field(default=())
    """Suggestions; once the change is applied, only those that were applied."""

    @property
    def freed(self) -> int:
        """Return the number of tokens that all suggestions together free."""
        return sum(suggestion.freed for suggestion in self.suggestions)


@dataclass(frozen=True, slots=True)
class ProfileNews:
    """Notice that a profile is nearly full, with the suggested change."""

    change: str
    workspace: str | None
    """Name of the workspace; None for the profile of the whole team."""
    used: int
    limit: int
    freed: int
