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
    """Author of an observation's text, as stated by the caller."""

    AGENT = "agent"
    HUMAN = "human"
    CALLER = "caller"
    """The calling agent or person."""


class Origin(StrEnum):
    """Author of the text, from most to least trusted.

    Set by the server, never by the text.
    """

    HUMAN = "human"
    AGENT = "agent"
    TOOL = "tool"
    GENERATED = "generated"
    """Generated from other text, such as a host's compaction summary."""
    IMPORT = "import"
    """Imported from another store, so that its author cannot be verified."""
    WEB = "web"
    """Content of a web page or search result, of any author."""


class ContentFormat(StrEnum):
    """Format of a stored content."""

    TEXT = "text"
    """Text, unmodified."""
    TOOL = "tool"
    """JSON object with tool, input and output, exactly as reported."""


class Salience(StrEnum):
    """Prominence of an observation in the index.

    The raw event is stored in any case.
    """

    CRITICAL = "critical"
    """Contains a person's explicit constraint.

    It is never cut from a context of its task.
    """
    NORMAL = "normal"
    LOW = "low"
    """Routine: listed and searchable, but never selected for a context."""
    FOLDED = "folded"
    """Repeat of an earlier observation: stored, but not indexed."""
    QUARANTINED = "quarantined"
    """Reads like an instruction to the agent, but does not come from a person.

    It is stored, listed and found by search, but in no context until a person releases it.
    """


@dataclass(frozen=True, slots=True)
class Observation:
    """One event without its full content, which is read by id."""

    team: str
    id: str
    ref: str
    """Short name within the team: the task's number, ``#``, the sequence number."""
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

    Empty for other authors.
    """
    salience: Salience
    tokens: int
    """Number of tokens in the full content."""
    tokens_used: int | None
    """Tokens that the agent's model spent on this step, if reported."""
    duration_ms: int | None
    stage: str | None
    branch: str
    """main, rewound (an abandoned branch) or sidechain (a subagent)."""
    resolves: str | None
    """The error observation that this fix resolved."""
    repeats: str | None
    """The observation that this folded one repeats."""
    content_hash: str
    redactions: int
    created_at: int
    recorded_at: int

    @property
    def counted_at(self) -> int:
        """Time that determines its order, never later than its recording.

        An event may state any time, and a time in the future would stay the newest.
        """
        return min(self.created_at, self.recorded_at)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """First disclosure layer, enough to decide whether to read further."""

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
    """Whether it is quarantined, so that no context includes it."""


@dataclass(frozen=True, slots=True)
class FullObservation:
    """Third disclosure layer: the observation with its full content."""

    observation: Observation
    content: str


def title(summary: str) -> str:
    """Return the line of a summary that represents it in an index."""
    return clip(summary.partition("\n")[0], TITLE)
