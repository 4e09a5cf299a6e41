"""Observations: append-only events, numbered within their task."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.text import clip

SUMMARY_LIMIT = 500
"""Maximum length of a summary in characters."""
TITLE = 80
"""Maximum length of a title in characters."""


class ObservationType(StrEnum):
    """Kind of event."""

    TOOL_CALL = "tool_call"
    DECISION = "decision"
    ERROR = "error"
    FIX = "fix"
    LEARNING = "learning"
    MESSAGE = "message"


class StatedBy(StrEnum):
    """Origin of an observation's text, as stated by the caller."""

    AGENT = "agent"
    HUMAN = "human"
    CALLER = "caller"
    """The calling agent or person."""


class Origin(StrEnum):
    """Origin of the text, from most to least trusted.

    The server sets it; the text itself never does.
    """

    HUMAN = "human"
    AGENT = "agent"
    TOOL = "tool"
    GENERATED = "generated"
    """Generated from other text, such as a host's compaction summary."""
    IMPORT = "import"
    """Imported from another store, so that the author cannot be verified."""
    WEB = "web"
    """Content of a web page or search result, of any author."""


class ContentFormat(StrEnum):
    """Format of stored content."""

    TEXT = "text"
    """Text, unmodified."""
    TOOL = "tool"
    """JSON object with tool, input and output, exactly as reported."""


class Salience(StrEnum):
    """Prominence of an observation in the index.

    The raw event is stored in any case.
    """

    CRITICAL = "critical"
    """The observation contains a person's explicit constraint.

    Such an observation is never cut from a context of its task.
    """
    NORMAL = "normal"
    LOW = "low"
    """Routine: listed and searchable, but never selected for a context."""
    FOLDED = "folded"
    """Repeat of an earlier observation: stored, but not indexed."""
    QUARANTINED = "quarantined"
    """Text that reads like an instruction to the agent, but does not come from a person.

    Such an observation is stored, listed and found by search, but is not in any context until a
    person releases it.
    """


@dataclass(frozen=True, slots=True)
class Observation:
    """One event without its full content, which is read separately by id."""

    team: str
    id: str
    ref: str
    """Short name, unique within the team: the task's number, ``#``, and the sequence number."""
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
    """Sentences with a person's constraints, verbatim.

    Empty for texts of other origins.
    """
    salience: Salience
    tokens: int
    """Number of tokens in the full content."""
    tokens_used: int | None
    """Number of tokens that the agent's model spent on this step, if reported."""
    duration_ms: int | None
    stage: str | None
    branch: str
    """main, rewound (on an abandoned branch) or sidechain (by a subagent)."""
    resolves: str | None
    """The error observation that this observation resolved."""
    repeats: str | None
    """The observation that this observation repeats, if it is folded."""
    content_hash: str
    redactions: int
    created_at: int
    recorded_at: int

    @property
    def counted_at(self) -> int:
        """Time by which the observation is ordered, at most that of recording.

        An event may state any time; with a time in the future, the observation would remain the
        newest.
        """
        return min(self.created_at, self.recorded_at)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """First layer of disclosure, sufficient to decide whether to read further."""

    id: str
    ref: str
    sequence: int
    type: ObservationType
    agent: str
    title: str
    """The first line of the summary, at most 80 characters."""
    created_at: int
    tokens: int
    """Number of tokens in the full content."""
    quarantined: bool = False
    """Whether the observation is quarantined, so that no context includes it."""


@dataclass(frozen=True, slots=True)
class FullObservation:
    """Third layer of disclosure: the observation with its full content."""

    observation: Observation
    content: str


def title(summary: str) -> str:
    """Return the line of a summary that represents the summary in an index."""
    return clip(summary.partition("\n")[0], TITLE)
