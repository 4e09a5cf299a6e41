"""What comes out: search hits, relevant observations, the context brief."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memoranda.observations.model import FullObservation, Observation, Origin
from memoranda.trust import Trust


class HitKind(StrEnum):
    """Which table a hit lies in."""

    OBSERVATION = "observation"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Ratings:
    """How often a record was found useful, and useless."""

    useful: int = 0
    useless: int = 0


class SearchMode(StrEnum):
    """By which means a search looks."""

    HYBRID = "hybrid"
    """By words and by meaning."""
    WORDS = "words"
    VECTORS = "vectors"
    """By meaning alone."""
    EXACT = "exact"
    """Like hybrid, but what has a word of the question as its tag comes first, then what has one in
    its text, then the rest."""


FACTORS: Mapping[str, float] = {
    "similarity": 0.35,
    "recency": 0.15,
    "frequency": 0.10,
    "stage": 0.20,
    "criticality": 0.10,
    "error_correction": 0.10,
}
"""How much of a score each factor makes out, unless settings say otherwise."""


class Fusion(StrEnum):
    """How what words and what meaning find become one order."""

    CALIBRATED = "calibrated"
    """By a weighted sum of evidence."""
    RECIPROCAL = "reciprocal"
    """By reciprocal ranks, with a constant of 60."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The passage of a text that answers best."""

    start: int
    """Characters before it."""
    length: int
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result in the first layer: enough to decide whether to look closer."""

    kind: HitKind
    id: str
    ref: str
    """A short name that every command takes in place of the id."""
    title: str
    type: str
    """The observation's type or the memory's category."""
    task: str | None
    tags: tuple[str, ...]
    created_at: int
    tokens: int
    """What the full content would cost."""
    score: float
    """0 to 1, higher is better; comparable within one search only."""
    why: Mapping[str, float]
    """The factors of the score: how well it answers, its age, its use and so on, each 0 to 1."""
    excerpt: Excerpt | None = None
    """Where in the text the answer stands; None where the title says it."""
    evidence: Mapping[str, float] | None = None
    """What each cue adds to how well it answers, weightiest first, where it was asked for."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two hits that cannot both hold, or of which the newer one changes the older."""

    older: str
    """Its short name."""
    newer: str
    kind: str
    """Contradiction or update."""
    reason: str
    """What they differ in: a date, a number, a negation and so on."""


@dataclass(frozen=True, slots=True)
class Validation:
    """What to know of a list of hits before building on it."""

    coverage: float = 1.0
    """Share of the critical memories in scope that are among the hits of this page and those
    before."""
    left_out: tuple[str, ...] = ()
    """The short names of the others."""
    contradictions: tuple[Contradiction, ...] = ()
    precision: float | None = None
    """Share of the ratings of these hits that say "useful"; None when nobody rated them."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, and by which means they were found."""

    hits: tuple[Hit, ...]
    mode: SearchMode
    """By which means they were found."""
    degraded: bool
    """Whether a configured means of search was not available."""
    note: str = ""
    """What was missing, and what to do."""
    cursor: str | None = None
    """Where the next page begins; None if there is none."""
    validation: Validation = field(default_factory=Validation)


@dataclass(frozen=True, slots=True)
class RelevantObservations:
    """Summaries that fit a token budget, the most relevant ones in full."""

    summaries: tuple[Observation, ...]
    expanded: tuple[FullObservation, ...]
    tokens: int
    budget: int
    left_out: int


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One line of a context, with where it comes from."""

    id: str
    """The memory, observation or task it comes from."""
    ref: str
    """Its short name, as the text shows it."""
    text: str
    origin: Origin
    at: int
    """When; 0 where that is not told."""
    critical: bool = False
    place: int = 0
    """Where it stands in its section; equal ones stand in the order of their worth."""
    trust: Trust = Trust.WEB
    """How far it may be relied on; the least, unless whoever makes the line says more."""


@dataclass(frozen=True, slots=True)
class ContextSection:
    """A named part of a context."""

    name: str
    items: tuple[ContextItem, ...]
    tokens: int = 0
    """Of its lines and of what opens and closes it, counted by themselves."""


@dataclass(frozen=True, slots=True)
class OmittedItems:
    """What did not fit, and the command that brings it."""

    section: str
    count: int
    how: str


@dataclass(frozen=True, slots=True)
class ContextBrief:
    """What the next step is given: never over its budget, critical facts first and never cut."""

    text: str
    tokens: int
    budget: int
    sections: tuple[ContextSection, ...]
    left_out: tuple[OmittedItems, ...]
    degraded: bool
    utilisation: float
    """Tokens over budget."""
    coverage: float
    """Share of the critical facts in scope that the text holds; below 1 only at a session's start
    where not all of them have room."""
    compression_ratio: float
    """Tokens of everything captured in scope for each token of the text."""
    overflow: int
    """Tokens over the budget, when the caller asked for the critical facts at any price."""
    id: str
    """The one that stands at the beginning of the text; equal texts have equal ones."""

    @classmethod
    def empty(cls, budget: int) -> ContextBrief:
        """Return one that says nothing."""
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
