"""Result of a comparison of two statements, and the rule that decided it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ConflictKind(StrEnum):
    """Relation of the newer statement to the older."""

    CONTRADICTION = "contradiction"
    """Both cannot be true, and nothing says that one replaced the other."""
    UPDATE = "update"
    """The newer one states a change: now, no longer, increased."""


class ConflictReason(StrEnum):
    """Rule that found the conflict."""

    NEGATION = "negation"
    """One denies what the other says."""
    NEVER = "never"
    """One denies a whole history of which the other states a part."""
    NO_LONGER = "no longer"
    """The newer one states the end of what the older says."""
    ANNOUNCED_MOVE = "announced move"
    """The newer one states a switch, a move or a new name."""
    DATE = "date"
    """Another date of the same thing."""
    NUMBER = "number"
    """Another amount of the same thing."""
    RESTATED = "restated"
    """Another amount of the same sort of thing, stated in other words."""
    ANTONYM = "antonym"
    """Words that exclude each other in otherwise the same statement."""
    VALUE = "value"
    """Another value of the same subject in the same relation."""
    ANNOUNCED_CHANGE = "announced change"
    """Similar words, and the newer one says "now" or "instead"."""


@dataclass(frozen=True, slots=True)
class StatementConflict:
    """Two statements that exclude each other."""

    kind: ConflictKind
    reason: ConflictReason
    confidence: float
    """0 to 1; it orders conflicts and is not a probability."""
    certain: bool
    """Whether the newer statement may replace the older without review."""
