"""Feedback: what a person's turn says about the agent's work, and what it orders the memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.memories.model import Memory


class FeedbackType(StrEnum):
    """The five ways in which a person steers an agent."""

    CORRECTION = "correction"
    """Something is wrong, and what is right is told or implied."""
    REJECTION = "rejection"
    """It is not wanted."""
    APPROVAL = "approval"
    """It is right, or may be done."""
    INSTRUCTION = "instruction"
    """One thing to do, now."""
    PATTERN = "pattern"
    """A standing rule or preference."""


@dataclass(frozen=True, slots=True)
class ParsedFeedback:
    """What a turn was read as."""

    type: FeedbackType | None
    """None: it is no feedback, or cannot be told from its words."""
    confidence: float
    """0 to 1: the share of all that was heard which speaks for the type."""
    margin: float
    """0 to 1: how far the type is ahead of the next, against its own score."""
    reason: str
    """The cue that decided; empty where nothing was heard."""
    sure: bool
    """It may be acted upon without a question. Everything else asks the person, or waits."""


class CommandKind(StrEnum):
    """The five things a person can order the memory to do."""

    REMEMBER = "remember"
    FORGET = "forget"
    KNOW = "know"
    """Tell what is known about the person."""
    OPTIMIZE = "optimize"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class SpokenCommand:
    """A spoken order to the memory."""

    kind: CommandKind
    argument: str
    """What to remember or forget, or the rule; empty for the other two."""


class FeedbackSource(StrEnum):
    """Where it was said."""

    CHAT = "chat"
    """In a message to the agent; its class was recognised."""
    REVIEW = "review"
    """In the review of a change, such as a comment on a pull request."""
    API = "api"
    """Outright, to the memory."""


class FeedbackState(StrEnum):
    """Where feedback stands."""

    WAITING = "waiting"
    """It will be processed."""
    PROCESSED = "processed"
    ASKING = "asking"
    """A person has to say what it is, or that it is so; nothing follows from it until then."""
    DISMISSED = "dismissed"
    """A person says that it is no feedback."""


class EffectTarget(StrEnum):
    """What feedback had an effect on."""

    BLOCK = "block"
    MEMORY = "memory"
    PROPOSAL = "proposal"
    """A memory that waits for a person."""
    RULE = "rule"
    """The memory that a suggestion is not wanted."""
    REINFORCED = "reinforced"
    """A memory that said so before."""
    SUGGESTION = "suggestion"
    """One more answer to it."""
    NOTHING = "nothing"
    """There was nothing to write to."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody said of the work, as said, and what it was taken for."""

    team: str
    id: str
    workspace: str | None
    task: str | None
    agent: str | None
    """Whose work it is about, or who reports it; None for anybody's."""
    type: FeedbackType | None
    """None where nobody can tell yet, or where it is no feedback."""
    confidence: float
    """0 to 1; 1 where a person said what it is."""
    reason: str
    """The cue that decided, or who told."""
    source: FeedbackSource
    text: str
    about: str
    """What it answers; empty where that is not known."""
    observation: str | None
    """The message it was said in."""
    author: str
    """``human``, or the id of the agent that reports it."""
    state: FeedbackState
    confirmed: bool
    """A person said it to the memory itself, or said that it is so."""
    revision: int
    """1 at first, one more each time a person says anew what it is."""
    processed_at: int | None
    created_at: int


@dataclass(frozen=True, slots=True)
class FeedbackEffect:
    """What followed from feedback."""

    revision: int
    """Of the feedback when it was processed."""
    touched: EffectTarget
    target: str
    """The id of the block, memory, proposal or suggestion; empty where there is none."""
    note: str
    """What was done; for a block the line that it got."""


@dataclass(frozen=True, slots=True)
class FeedbackStory:
    """Feedback with all that followed from it, in order."""

    feedback: Feedback
    effects: tuple[FeedbackEffect, ...]


@dataclass(frozen=True, slots=True)
class SuggestionStatus:
    """A suggestion, and how it has been answered."""

    id: str
    text: str
    """As it was made first."""
    rejected: int
    """Since it was accepted last."""
    accepted: int
    rule: str | None
    """The memory that it is not wanted, which may be gone."""
    last_answer: int


class CommandOutcome(StrEnum):
    """What became of a spoken command."""

    REMEMBERED = "remembered"
    ARCHIVED = "archived"
    WAITS = "waits"
    """An agent asked for it, so a person decides."""
    ASKING = "asking"
    """Several memories match; nothing was done."""
    TOLD = "told"
    OPTIMIZED = "optimized"


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The answer to a spoken command."""

    command: CommandKind
    outcome: CommandOutcome
    memories: tuple[Memory, ...]
    """The one it was done to, those to choose from, or those that are known."""
    note: str
