"""Results of searches and contexts: hits, relevant observations, brief."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from memoranda.observations.model import FullObservation, Observation, Origin
from memoranda.trust import Trust

if TYPE_CHECKING:
    from memoranda.errors.model import ErrorContext
    from memoranda.tasks.reference import TaskReference


class HitKind(StrEnum):
    """Kind of a hit."""

    OBSERVATION = "observation"
    MEMORY = "memory"
    BLOCK = "block"


RECORDS = (HitKind.OBSERVATION, HitKind.MEMORY)
"""Kinds of records that are indexed; blocks are scanned instead."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """How often a record was rated useful or not useful."""

    useful: int = 0
    useless: int = 0


class SearchMode(StrEnum):
    """Search method."""

    HYBRID = "hybrid"
    """By words and by vectors."""
    WORDS = "words"
    VECTORS = "vectors"
    """By vectors alone."""
    EXACT = "exact"
    """Like hybrid, but exact matches are ranked first.

    Records that have a word of the query as a tag come first, then those that contain one in their
    text, then the rest.
    """


FACTORS: Mapping[str, float] = {
    "similarity": 0.35,
    "recency": 0.15,
    "frequency": 0.10,
    "stage": 0.20,
    "criticality": 0.10,
    "error_correction": 0.10,
}
"""Default weight of each factor in a score."""


@dataclass(frozen=True, slots=True)
class TaskContext:
    """State of the work at the time of a query."""

    stage: str | None = None
    """Planning, execution, reflection or verification.

    Records that help in this stage rank higher.
    """
    errors: tuple[str, ...] = ()
    """Tags of the current errors; records that fix such errors are ranked higher."""
    task: TaskReference | None = None
    """The current task, if the query's scope names no task.

    The errors of this task are taken into account as well.
    """
    trouble: ErrorContext | None = None
    """Information about the current errors; None to read it from the store."""


UNKNOWN = TaskContext()


class Fusion(StrEnum):
    """Method of combining the results of full-text and vector search."""

    CALIBRATED = "calibrated"
    """By a weighted sum of evidence."""
    RECIPROCAL = "reciprocal"
    """By reciprocal rank fusion with a constant of 60."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The passage of a text that best answers the query."""

    start: int
    """Number of characters before the passage."""
    length: int
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result in brief, for deciding whether to read more."""

    kind: HitKind
    id: str
    ref: str
    """Short name that every command accepts instead of the id; for a block, the block's label."""
    title: str
    type: str
    """The observation's type or the memory's category; "block" for a block."""
    task: str | None
    tags: tuple[str, ...]
    created_at: int
    tokens: int
    """Number of tokens in the full content."""
    score: float
    """Estimated probability that the hit answers the query, 0 to 1.

    The probability is comparable between searches.
    """
    why: Mapping[str, float]
    """Factors of the score, such as similarity, age and use, each from 0 to 1."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """Contribution of each factor to the score; their sum is the score."""
    excerpt: Excerpt | None = None
    """Passage of the text with the answer; None if the title contains the answer."""
    evidence: Mapping[str, float] | None = None
    """Contribution of each signal to the similarity, largest first, if requested."""
    access_count: int = 0
    """Number of earlier searches that returned this record."""
    last_accessed_at: int | None = None
    """Time when a search last returned this record; None for never."""
    replaced_by: str | None = None
    """Short name of the later hit, listed before this one, that updates or contradicts it."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two hits that contradict each other, or one of which updates the other.

    In an update, the newer hit updates the older one.
    """

    older: str
    """Short name of the older hit."""
    newer: str
    kind: str
    """Contradiction or update."""
    reason: str
    """What the two hits differ in, such as a date, a number or a negation."""


@dataclass(frozen=True, slots=True)
class Validation:
    """Information for judging the reliability of a list of hits."""

    coverage: float = 1.0
    """Fraction of the critical memories in scope that are among the hits.

    The hits of this page and of earlier pages are counted.
    """
    left_out: tuple[str, ...] = ()
    """Short names of the critical memories that are not among the hits."""
    contradictions: tuple[Contradiction, ...] = ()
    precision: float | None = None
    """Fraction of "useful" ratings among the ratings of these hits; None without ratings."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, and the method that found them."""

    hits: tuple[Hit, ...]
    mode: SearchMode
    """Method that found the hits."""
    degraded: bool
    """Whether a configured component was unavailable."""
    note: str = ""
    """Which components were unavailable, and what to do about it."""
    cursor: str | None = None
    """Cursor of the next page; None if there is none."""
    validation: Validation = field(default_factory=Validation)
    nearest: tuple[Hit, ...] = ()
    """If nothing was found, the best of the hits that are unlikely to answer the query."""
    elsewhere: int = 0
    """If nothing was found in a workspace, the number of hits in other workspaces, up to 20."""


@dataclass(frozen=True, slots=True)
class RelevantObservations:
    """Summaries within a token budget; the most relevant ones are in full."""

    summaries: tuple[Observation, ...]
    expanded: tuple[FullObservation, ...]
    tokens: int
    budget: int
    left_out: int


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One line of a context with its source."""

    id: str
    """Id of the memory, observation or task from which the line comes."""
    ref: str
    """Short name of the source, as shown in the text."""
    text: str
    origin: Origin
    at: int
    """Time of the source; 0 if unknown."""
    critical: bool = False
    place: int = 0
    """Position in the section; items with equal positions are ordered by relevance."""
    trust: Trust = Trust.WEB
    """Trust level of the line; the default is the lowest."""
    stated: bool = False
    """Whether the line is generated but quotes a person's statement."""


@dataclass(frozen=True, slots=True)
class ContextSection:
    """A named part of a context."""

    name: str
    items: tuple[ContextItem, ...]
    tokens: int = 0
    """Number of tokens in the section's lines, opening and closing, each counted separately."""


@dataclass(frozen=True, slots=True)
class OmittedItems:
    """Number of omitted items, and the command that returns them."""

    section: str
    count: int
    how: str


@dataclass(frozen=True, slots=True)
class ContextBrief:
    """Context for the next step. It never exceeds its budget or omits a critical fact."""

    text: str
    tokens: int
    budget: int
    sections: tuple[ContextSection, ...]
    left_out: tuple[OmittedItems, ...]
    degraded: bool
    utilisation: float
    """Number of tokens divided by the budget."""
    coverage: float
    """Fraction of the critical facts in scope that the text contains.

    A value below 1 would be an error.
    """
    compression_ratio: float
    """Number of tokens captured in scope divided by the number of tokens of the text."""
    overflow: int
    """Number of tokens over the budget, if the caller allowed exceeding it for critical facts."""
    id: str
    """Id at the start of the text; equal texts have equal ids."""
    note: str = ""
    """Which components were unavailable, if the context is degraded."""

    @classmethod
    def empty(cls, budget: int) -> ContextBrief:
        """Return a brief without content."""
        return cls(
            text="",
            tokens=0,
            budget=budget,
            sections=(),
            left_out=(),
            degraded=False,
            utilisation=0.0,
            coverage=1.0,
            compression_ratio=0.0,
            overflow=0,
            id="",
        )
