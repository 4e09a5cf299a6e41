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
    """The call succeeded, but found nothing."""
    FAILED = "failed"


class StepSpeaker(StrEnum):
    """Author of a step."""

    AGENT = "agent"
    PERSON = "person"
    """A person; a person's messages do not indicate a stage."""
    OTHER = "other"
    """Another source, such as a notice of the host; its messages do not indicate a stage."""


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
    """Time of the step in microseconds since the epoch."""
    speaker: StepSpeaker = StepSpeaker.AGENT
    words: str = ""
    tool: str | None = None
    """The tool's name as written by the host."""
    command: str = ""
    """Command, if the tool is a shell."""
    outcome: StepOutcome = StepOutcome.UNKNOWN
    tags: frozenset[str] = frozenset()
    """The tags of the observation."""
    signal: StageSignal | None = None
