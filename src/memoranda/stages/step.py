"""A step of a task, as far as it tells the stage."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.stages.model import StageName, StageSource


class StepOutcome(StrEnum):
    """How a call went."""

    UNKNOWN = "unknown"
    FINE = "fine"
    EMPTY = "empty"
    """It ran, and found nothing."""
    FAILED = "failed"


class StepSpeaker(StrEnum):
    """Whose step it is."""

    AGENT = "agent"
    PERSON = "person"
    """What a person says answers what went before, and tells no stage by itself."""
    OTHER = "other"
    """A host's notice and the like; it tells nothing."""


@dataclass(frozen=True, slots=True)
class StageSignal:
    """Somebody says outright which stage begins."""

    stage: StageName
    source: StageSource
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A message, a call, or both: the words that were said before the call."""

    sequence: int
    created_at: int
    """Microseconds since the epoch."""
    speaker: StepSpeaker = StepSpeaker.AGENT
    words: str = ""
    tool: str | None = None
    """The tool's name as the host writes it."""
    command: str = ""
    """What a shell was told to run."""
    outcome: StepOutcome = StepOutcome.UNKNOWN
    tags: frozenset[str] = frozenset()
    """The tags of the observation."""
    signal: StageSignal | None = None
