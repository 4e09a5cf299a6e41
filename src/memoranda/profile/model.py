"""The profile: the memories that every context tells, under one limit of tokens."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from memoranda.clock import MICROSECONDS
from memoranda.memories.model import Category, Memory, MemoryStatus
from memoranda.page import Page

if TYPE_CHECKING:
    from memoranda.proposals.model import MemoryState

LIMIT = 10_000
"""Tokens that the profile of one reader has at most."""
OVERHEAD = 20
"""Tokens of a memory in it beside those of its text."""
CROWDED = 0.8
"""The share of the limit from which on the profile is offered to be made smaller."""
TARGET = int(CROWDED * LIMIT)
"""Tokens that it is to have when that is done and nothing else is asked for."""

CATEGORIES = (
    Category.USER_PREFERENCE,
    Category.PROJECT_PATTERN,
    Category.LEARNED_RULE,
    Category.DOMAIN_KNOWLEDGE,
    Category.COMMUNICATION_STYLE,
)
"""What is in the profile; other categories are found when they are asked for."""

DAY = 24 * 3_600 * MICROSECONDS
FADING = 90
"""Days after which a memory that nobody used counts a third of what a fresh one does."""
OFTEN = 50
"""Uses from which on more of them add nothing."""


def cost(memory: Memory) -> int:
    """Return the tokens that a memory takes of the limit."""
    return memory.tokens + OVERHEAD


def in_profile(memory: Memory | MemoryState) -> bool:
    """Say whether a memory is in the profile of whoever sees it."""
    return (
        memory.status is MemoryStatus.APPROVED
        and memory.valid_until is None
        and memory.category in CATEGORIES
    )


def touched(memory: Memory) -> int:
    """Return when a memory was used or changed last."""
    return max(memory.last_used or 0, memory.updated_at)


def impact(memory: Memory, newest: int) -> float:
    """Return how much a memory counts among others, of which one was touched at ``newest``.

    Critical ones count most, then protected ones; of the others confidence, uses and recency
    make out 0 to 1.
    """
    used = min(1.0, math.log1p(memory.uses) / math.log1p(OFTEN))
    fresh = math.exp(-max(0, newest - touched(memory)) / (FADING * DAY))
    lasting = 2.0 * memory.critical + 1.0 * memory.protected
    return lasting + 0.4 * memory.confidence + 0.3 * used + 0.3 * fresh


def impacts(memories: Iterable[Memory]) -> dict[str, float]:
    """Return how much each memory counts among these, by id. No clock has a part in it, so equal
    memories always count the same."""
    found = list(memories)
    newest = max(map(touched, found), default=0)
    return {memory.id: impact(memory, newest) for memory in found}


def ranked(memories: Iterable[Memory]) -> tuple[Memory, ...]:
    """Return memories, those that count most first."""
    found = list(memories)
    counts = impacts(found)
    return tuple(sorted(found, key=lambda memory: (-counts[memory.id], memory.id)))


@dataclass(frozen=True, slots=True)
class Profile:
    """What a reader is always told."""

    workspace: str | None
    used: int
    """Tokens."""
    limit: int
    entries: int
    categories: Mapping[str, int]
    """Tokens of each category."""
    memories: Page[Memory]
    """Those that count most first."""

    @property
    def share(self) -> float:
        """What is used of the limit; above 1 where the memories came in another way."""
        return self.used / self.limit

    @property
    def crowded(self) -> bool:
        """Whether it is offered to be made smaller."""
        return self.share >= CROWDED


class ProfileSuggestionKind(StrEnum):
    """What makes a profile smaller."""

    STALE = "stale"
    """Take out of use what is doubtful and was not used for long."""
    MERGE = "merge"
    """Keep one memory in place of several that are alike, with every fact of each."""
    SHORTEN = "shorten"
    """Say the same in fewer words."""
    FIT = "fit"
    """Take out of use what counts least, until the rest fits."""


@dataclass(frozen=True, slots=True)
class ProfileStep:
    """What becomes of one memory."""

    memory: str
    freed: int
    """Tokens of the profile; negative where the memory grows."""
    source: str
    """SHA-256 of the state that it is made from."""
    after: MemoryState | None
    """What it would be; not kept once that was done."""
    version: int | None = None
    """The version that holds what it was before it was done."""


@dataclass(frozen=True, slots=True)
class ProfileSuggestion:
    """One thing that can be done, whatever becomes of the others."""

    number: int
    kind: ProfileSuggestionKind
    reason: str
    steps: tuple[ProfileStep, ...]
    """No two suggestions touch the same memory."""

    @property
    def freed(self) -> int:
        """Tokens of the profile that it frees."""
        return sum(step.freed for step in self.steps)


class ChangeStatus(StrEnum):
    """Where a change of a profile stands."""

    PREVIEW = "preview"
    APPLIED = "applied"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """Suggestions for a profile, and what became of them."""

    team: str
    id: str
    workspace: str | None
    hash: str
    """What applying them is bound to: SHA-256 of the profile and of all that would be done."""
    status: ChangeStatus
    limit: int
    target: int
    """Tokens that the profile is to have at most."""
    used: int
    """Tokens that it had before."""
    short: str
    """Why it would be above the target all the same; empty where it is not."""
    created_at: int
    applied_at: int | None = None
    applied_by: str | None = None
    undone_at: int | None = None
    undone_by: str | None = None
    suggestions: tuple[ProfileSuggestion, ...] = field(default=())
    """Once something was applied, only that."""

    @property
    def freed(self) -> int:
        """Tokens of all suggestions."""
        return sum(one.freed for one in self.suggestions)


@dataclass(frozen=True, slots=True)
class ProfileNews:
    """That a profile is crowded, and what could be done about it."""

    change: str
    workspace: str | None
    """Its name; None: what holds for the whole team."""
    used: int
    limit: int
    freed: int
