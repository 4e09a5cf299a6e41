"""Conversations: messages of a task, and summaries of the older ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.exceptions import InvalidInput
from memoranda.observations.model import Origin
from memoranda.settings import CompactionMode

SUMMARY_SHARE = 0.2
"""Maximum share of the context window for a summary."""


class MessageRole(StrEnum):
    """Author of a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"

    @property
    def origin(self) -> Origin:
        """Return the origin of texts with this role."""
        return _ORIGINS[self]

    @classmethod
    def of(cls, origin: Origin) -> MessageRole:
        """Return the role for an origin; programs have the role system."""
        return _ROLES.get(origin, cls.SYSTEM)


_ORIGINS = {
    MessageRole.USER: Origin.HUMAN,
    MessageRole.ASSISTANT: Origin.AGENT,
    MessageRole.SYSTEM: Origin.GENERATED,
}
_ROLES = {origin: role for role, origin in _ORIGINS.items()}


@dataclass(frozen=True, slots=True)
class Message:
    """Stored message. Times are microseconds since the epoch."""

    ref: str
    """Short name of the message's observation."""
    sequence: int
    role: MessageRole
    agent: str
    """Agent that wrote or received the message."""
    content: str
    tokens: int
    created_at: int


@dataclass(frozen=True, slots=True)
class Compaction:
    """Summary of a conversation up to some message."""

    task: str
    agent: str | None
    """Agent of the conversation; None for all agents of the task."""
    until_sequence: int
    """Sequence number of the last summarised message."""
    summary: str
    tokens: int
    """Number of tokens in the summary."""
    source_tokens: int
    """Number of tokens in all summarised messages."""
    mode: CompactionMode
    created_at: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """Conversation as it is read: a summary of its beginning, then messages."""

    summary: str
    messages: tuple[Message, ...]
    """All messages after the summary, oldest first, verbatim."""
    tokens: int
    """Total number of tokens in the summary and the messages."""
    compacted: int
    """Number of summarised messages."""
    window: int
    """Context window of the conversation's reader, in tokens."""


@dataclass(frozen=True, slots=True)
class CompactionRules:
    """Thresholds of compaction. Shares are relative to the context window."""

    window: int = 200_000
    """Context window of a conversation's reader, in tokens."""
    enabled: bool = True
    mode: CompactionMode = CompactionMode.SLIDING_WINDOW
    verbatim_share: float = 0.3
    """Maximum share for the newest messages, which remain verbatim."""
    trigger_share: float = 0.8
    """Share above which a conversation is due for compaction."""
    clip_chars: int = 2_000
    """Maximum number of characters of a message that are read for the summary."""

    def __post_init__(self) -> None:
        if self.verbatim_share + SUMMARY_SHARE >= self.trigger_share:
            raise InvalidInput(
                f"compaction_window_percentage ({self.verbatim_share:g}) and the summary's "
                f"{SUMMARY_SHARE:g} must together be less than compaction_trigger_threshold "
                f"({self.trigger_share:g}); otherwise a conversation would be due again immediately"
            )

    @property
    def trigger(self) -> int:
        """Return the number of tokens above which a conversation is due."""
        return int(self.window * self.trigger_share)

    @property
    def verbatim(self) -> int:
        """Return the token limit of the newest messages."""
        return int(self.window * self.verbatim_share)

    @property
    def summary(self) -> int:
        """Return the token limit of a summary."""
        return int(self.window * SUMMARY_SHARE)
