"""What a comparison of two statements found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ConflictKind(StrEnum):
    """How the newer statement stands to the older."""

    CONTRADICTION = "contradiction"
    """Both cannot hold, and nothing says that one came to replace the other."""
    UPDATE = "update"
    """The newer one tells a change: now, no longer, increased."""


class ConflictReason(StrEnum):
    """Which rule spoke."""

    NEGATION = "negation"
    """One denies what the other says."""
    NEVER = "never"
    """One denies a whole history that the other tells a part of."""
    NO_LONGER = "no longer"
    """The newer one tells the end of what the older says."""
    ANNOUNCED_MOVE = "announced move"
    """The newer one tells a switch, a move or a new name."""
    DATE = "date"
    """Another date of the same thing."""
    NUMBER = "number"
    """Another amount of the same thing."""
    RESTATED = "restated"
    """Another amount of the same sort of thing, told in other words."""
    ANTONYM = "antonym"
    """Words that exclude each other in otherwise the same statement."""
    VALUE = "value"
    """Another value of the same subject in the same relation."""
    ANNOUNCED_CHANGE = "announced change"
    """Much the same words, and the newer one says that it is so now or instead."""


@dataclass(frozen=True, slots=True)
class StatementConflict:
    """Two statements that do not hold together."""

    kind: ConflictKind
    reason: ConflictReason
    confidence: float
    """0 to 1; it orders conflicts and is no probability."""
    certain: bool
    """Whether the newer statement may take the place of the older with nobody asked."""
