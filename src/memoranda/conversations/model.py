"""Conversations: messages of a task, and what stands for the older ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.exceptions import InvalidInput
from memoranda.observations.model import Origin

SUMMARY_SHARE = 0.2
"""How much of the window a summary may take."""


class MessageRole(StrEnum):
    """Who said a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"

    @property
    def origin(self) -> Origin:
        """Whose words those of the role are."""
        return _ORIGINS[self]

    @classmethod
    def of(cls, origin: Origin) -> MessageRole:
        """Return the role whose words they are; that of programs is the system."""
        return _ROLES.get(origin, cls.SYSTEM)


_ORIGINS = {
    MessageRole.USER: Origin.HUMAN,
    MessageRole.ASSISTANT: Origin.AGENT,
    MessageRole.SYSTEM: Origin.GENERATED,
}
_ROLES = {origin: role for role, origin in _ORIGINS.items()}


class CompactionMode(StrEnum):
    """What a compaction puts into fewer words."""

    SLIDING_WINDOW = "sliding_window"
    """All but the newest messages."""
    WHOLE = "whole"
    """All messages."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message, as it was stored. Times are microseconds since the epoch."""

    ref: str
    """The short name of its observation."""
    sequence: int
    role: MessageRole
    agent: str
    """The agent that said it, or that it was said to."""
    content: str
    tokens: int
    created_at: int


@dataclass(frozen=True, slots=True)
class Compaction:
    """A conversation up to some message, in fewer words."""

    task: str
    agent: str | None
    """Whose conversation it is; None: that of everybody in the task."""
    until_sequence: int
    """Of the last message that the summary stands for."""
    summary: str
    tokens: int
    """Of the summary."""
    source_tokens: int
    """Of all messages that it stands for."""
    mode: CompactionMode
    created_at: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """What there is to read of a conversation: a summary of the beginning, then every message."""

    summary: str
    messages: tuple[Message, ...]
    """All after the summary, oldest first, verbatim."""
    tokens: int
    """Of the summary and the messages."""
    compacted: int
    """How many messages the summary stands for."""
    window: int
    """Tokens that the reader of it can take."""


@dataclass(frozen=True, slots=True)
class CompactionRules:
    """When a conversation is compacted, and what is left of it. Shares are of the window."""

    window: int = 200_000
    """Tokens that the reader of a conversation can take."""
    enabled: bool = True
    mode: CompactionMode = CompactionMode.SLIDING_WINDOW
    verbatim_share: float = 0.3
    """What the newest messages may take."""
    trigger_share: float = 0.8
    """What a conversation may take before it is due."""
    clip_chars: int = 2_000
    """How much of a message is read for the summary."""

    def __post_init__(self) -> None:
        if self.verbatim_share + SUMMARY_SHARE >= self.trigger_share:
            raise InvalidInput(
                f"compaction_window_percentage ({self.verbatim_share:g}) and the summary's "
                f"{SUMMARY_SHARE:g} must together be less than compaction_trigger_threshold "
                f"({self.trigger_share:g}); otherwise a conversation would be due at once again"
            )

    @property
    def trigger(self) -> int:
        """Tokens above which a conversation is due."""
        return int(self.window * self.trigger_share)

    @property
    def verbatim(self) -> int:
        """Tokens that the newest messages may take."""
        return int(self.window * self.verbatim_share)

    @property
    def summary(self) -> int:
        """Tokens that a summary may take."""
        return int(self.window * SUMMARY_SHARE)
