"""Result of comparing two statements, with the rule that applied."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ConflictKind(StrEnum):
    """Relation of the newer statement to the older one."""

    CONTRADICTION = "contradiction"
    """Both cannot be true, and neither is stated as a replacement."""
    UPDATE = "update"
    """The newer statement describes a change: now, no longer, increased."""


class ConflictReason(StrEnum):
    """Rule that found the conflict."""

    NEGATION = "negation"
    """One statement denies what the other states."""
    NEVER = "never"
    """One statement says "never" about something that happened according to the other."""
    NO_LONGER = "no longer"
    """The newer statement describes the end of what the older one states."""
    ANNOUNCED_MOVE = "announced move"
    """The newer statement describes a switch, a move or a new name."""
    DATE = "date"
    """Different date for the same thing."""
    NUMBER = "number"
    """Different amount of the same thing."""
    ANTONYM = "antonym"
    """Antonyms in otherwise identical statements."""
    VALUE = "value"
    """Different value for the same subject and relation."""
    ANNOUNCED_CHANGE = "announced change"
    """Similar wording, with "now" or "instead" in the newer statement."""


_REWORDED = {
    "announced change": "a stated change",
    "announced move": "a stated move",
    "lifted": "the end of a rule",
    "never": "the word never",
    "no longer": "a stated end",
}


def reworded(reason: str) -> str:
    """Return a reason in everyday words: what two statements differ in."""
    return _REWORDED.get(reason, reason.replace("_", " "))


@dataclass(frozen=True, slots=True)
class StatementConflict:
    """Two statements that exclude each other."""

    kind: ConflictKind
    reason: ConflictReason
    confidence: float
    """Confidence from 0 to 1 for ranking conflicts; not a probability."""
    certain: bool
    """Whether the newer statement may replace the older one without review."""
