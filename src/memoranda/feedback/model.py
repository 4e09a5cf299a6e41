"""Types of feedback, its effects, suggestions and commands to the memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.memories.model import Memory


class FeedbackType(StrEnum):
    """Type of feedback: the five ways in which a person guides an agent."""

    CORRECTION = "correction"
    """Something is wrong; what is right is stated or implied."""
    REJECTION = "rejection"
    """Something is not wanted."""
    APPROVAL = "approval"
    """Something is right or permitted."""
    INSTRUCTION = "instruction"
    """One thing to do now."""
    PATTERN = "pattern"
    """A standing rule or preference."""


@dataclass(frozen=True, slots=True)
class ParsedFeedback:
    """Classification of a turn."""

    type: FeedbackType | None
    """Type; None if the turn is not feedback, or if its type is unclear from the text."""
    confidence: float
    """Share of all cues that support the type, 0 to 1."""
    margin: float
    """Lead over the next type relative to its own score, 0 to 1."""
    reason: str
    """Cue that determined the type; empty if there was none."""
    sure: bool
    """Whether the classification may be acted on without asking the person."""


class CommandKind(StrEnum):
    """Kind of command: five instructions that a person can give."""

    REMEMBER = "remember"
    FORGET = "forget"
    KNOW = "know"
    """Return what is known about the person."""
    OPTIMIZE = "optimize"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class SpokenCommand:
    """Instruction by a person in natural language."""

    kind: CommandKind
    argument: str
    """Text to remember or forget, or the rule; empty for the other two kinds."""
    if_clear: bool = False
    """Whether the command requires exactly one matching memory; otherwise the message is not a
    command.
    """


class FeedbackSource(StrEnum):
    """Origin of feedback."""

    CHAT = "chat"
    """In a message to the agent; the type was detected."""
    REVIEW = "review"
    """In the review of a change, such as a comment on a pull request."""
    API = "api"
    """Submitted directly to the memory."""


class FeedbackState(StrEnum):
    """State of feedback."""

    WAITING = "waiting"
    """The feedback will be processed."""
    PROCESSED = "processed"
    ASKING = "asking"
    """A person has to state or confirm the type of the feedback; there are no effects until then.
    """
    UNCERTAIN = "uncertain"
    """Like ``asking``, but older than the questions that a person is asked about.

    It is listed and can be confirmed, and nothing counts it as waiting for a person.
    """
    DISMISSED = "dismissed"
    """A person stated that the text is not feedback."""


OPEN = frozenset({FeedbackState.ASKING, FeedbackState.UNCERTAIN})
"""States in which a person may state or confirm the type; no effects until then."""


class EffectTarget(StrEnum):
    """Target of an effect of feedback."""

    BLOCK = "block"
    MEMORY = "memory"
    PROPOSAL = "proposal"
    """Memory that is pending until a person decides."""
    RULE = "rule"
    """Memory stating that a suggestion is rejected."""
    REINFORCED = "reinforced"
    """Existing memory with the same content."""
    SUGGESTION = "suggestion"
    """Suggestion that received another answer."""
    NOTHING = "nothing"
    """There is no target to write to."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """A person's comment on the work, verbatim, with its classification."""

    team: str
    id: str
    workspace: str | None
    task: str | None
    agent: str | None
    """Agent that the feedback is about or that reported it; None for any agent."""
    type: FeedbackType | None
    """Type; None if it is unclear or the text is not feedback."""
    confidence: float
    """Confidence, 0 to 1; 1 if a person stated the type."""
    reason: str
    """Cue that determined the type, or who stated it."""
    source: FeedbackSource
    text: str
    about: str
    """Text that the feedback answers; empty if unknown."""
    observation: str | None
    """Message that contains the feedback."""
    author: str
    """Author: ``human``, or the id of the reporting agent."""
    state: FeedbackState
    confirmed: bool
    """Whether a person stated the feedback directly to the memory, or confirmed it."""
    revision: int
    """Revision: initially 1, increased each time a person sets the type."""
    processed_at: int | None
    created_at: int


@dataclass(frozen=True, slots=True)
class FeedbackEffect:
    """Effect of feedback."""

    revision: int
    """Revision of the feedback when it was processed."""
    touched: EffectTarget
    target: str
    """Id of the block, memory, proposal or suggestion; empty if there is none."""
    note: str
    """Description of the effect; for a block the line added to it."""


@dataclass(frozen=True, slots=True)
class FeedbackStory:
    """Feedback with all its effects, in order."""

    feedback: Feedback
    effects: tuple[FeedbackEffect, ...]


@dataclass(frozen=True, slots=True)
class SuggestionStatus:
    """Suggestion with the answers to it."""

    id: str
    text: str
    """Text of the first occurrence of the suggestion."""
    rejected: int
    """Number of rejections since the last acceptance."""
    accepted: int
    rule: str | None
    """Id of the rule against the suggestion; the memory may no longer exist."""
    last_answer: int


class CommandOutcome(StrEnum):
    """Result of a spoken command."""

    REMEMBERED = "remembered"
    ARCHIVED = "archived"
    WAITS = "waits"
    """A person must decide, since an agent requested it or a message may not change it."""
    ASKING = "asking"
    """Several memories match, or only part of a long one; nothing was done."""
    LIFTED = "lifted"
    """No memory matches, but people's statements in messages do; these are no longer valid."""
    TOLD = "told"
    OPTIMIZED = "optimized"


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Result of an instruction in natural language."""

    command: CommandKind
    outcome: CommandOutcome
    memories: tuple[Memory, ...]
    """Memories that were changed, that match, or that answer the question."""
    note: str
    statements: tuple[str, ...] = ()
    """Refs of the messages whose statements are no longer valid."""
