"""A step of a task, with the fields that stage detection needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.stages.model import StageName, StageSource


class StepOutcome(StrEnum):
    """Result of a call."""

    UNKNOWN = "unknown"
    FINE = "fine"
    EMPTY = "empty"
    """It ran and found nothing."""
    FAILED = "failed"


class StepSpeaker(StrEnum):
    """Author of a step."""

    AGENT = "agent"
    PERSON = "person"
    """A person, whose messages indicate no stage."""
    OTHER = "other"
    """Another source, such as a host's notice, which indicates no stage."""


@dataclass(frozen=True, slots=True)
class StageSignal:
    """Explicit statement that a stage begins."""

    stage: StageName
    source: StageSource
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A message, a call, or both: the text before the call and the call."""

    sequence: int
    created_at: int
    """Microseconds since the epoch."""
    speaker: StepSpeaker = StepSpeaker.AGENT
    words: str = ""
    tool: str | None = None
    """The tool's name as written by the host."""
    command: str = ""
    """Command for a shell."""
    outcome: StepOutcome = StepOutcome.UNKNOWN
    tags: frozenset[str] = frozenset()
    """The tags of the observation."""
    signal: StageSignal | None = None
