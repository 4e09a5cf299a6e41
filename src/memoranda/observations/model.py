"""Observations: what happened, append-only, numbered within their task."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SUMMARY_LIMIT = 500
"""Characters a summary may have."""


class ObservationType(StrEnum):
    """What kind of thing happened."""

    TOOL_CALL = "tool_call"
    DECISION = "decision"
    ERROR = "error"
    FIX = "fix"
    LEARNING = "learning"
    MESSAGE = "message"


class Origin(StrEnum):
    """Whose words they are, from most to least trusted. Set by the server, never by the text."""

    HUMAN = "human"
    AGENT = "agent"
    TOOL = "tool"
    GENERATED = "generated"
    """Made by a program from other text, such as a host's compaction summary."""
    IMPORT = "import"
    """Came in an archive of another store; whose words they were there cannot be checked here."""
    WEB = "web"
    """A page, or what a search of the web gave: anybody's words."""


class Salience(StrEnum):
    """How much of the index an observation deserves; the raw event is kept in any case."""

    CRITICAL = "critical"
    """Holds a person's explicit constraint; never cut from a context of its task."""
    NORMAL = "normal"
    LOW = "low"
    """Routine: listed and searchable, never chosen for a context."""
    FOLDED = "folded"
    """A repeat of an earlier observation: kept, not indexed."""
    QUARANTINED = "quarantined"
    """Reads like an order to the agent, though no person said it: kept and listed, found where it
    is asked for, in no context until a person releases it."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing that happened, without its full content (the third layer is asked for by id)."""

    team: str
    id: str
    ref: str
    """A short name within the team: the task's number, #, the sequence."""
    workspace: str
    task: str
    sequence: int
    type: ObservationType
    origin: Origin
    agent: str
    tool: str | None
    summary: str
    tags: tuple[str, ...]
    files: tuple[str, ...]
    constraints: tuple[str, ...]
    """Sentences in which a person laid something down, verbatim; none for anything else."""
    salience: Salience
    tokens: int
    """Tokens of the full content."""
    tokens_used: int | None
    """Tokens the agent's model spent on this step, where the host tells."""
    duration_ms: int | None
    stage: str | None
    branch: str
    """main, rewound (an abandoned line) or sidechain (a subagent)."""
    resolves: str | None
    """For a fix: the error observation it ended."""
    repeats: str | None
    """For a folded one: the observation it repeats."""
    content_hash: str
    redactions: int
    created_at: int
    recorded_at: int


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """First layer: enough to decide whether to look closer."""

    id: str
    ref: str
    sequence: int
    type: ObservationType
    agent: str
    title: str
    """The first line of the summary, at most 80 characters."""
    created_at: int
    tokens: int
    """What the full content would cost."""
    quarantined: bool = False
    """Whether it is held back from every context."""


@dataclass(frozen=True, slots=True)
class FullObservation:
    """Third layer: the observation with its content, whole and as captured."""

    observation: Observation
    content: str
