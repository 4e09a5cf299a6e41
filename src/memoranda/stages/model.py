"""Stages: the kind of work in a part of a task, and why one began."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.compression.model import Compression


class StageName(StrEnum):
    """The four kinds of work."""

    PLANNING = "planning"
    """Finding out, reading, asking, deciding how."""
    EXECUTION = "execution"
    """Changing something: a file, an order, a deployment."""
    REFLECTION = "reflection"
    """Reviewing a failure or a wrong assumption, and changing course."""
    VERIFICATION = "verification"
    """Running or checking whether something works; also a closing report."""


class StageSource(StrEnum):
    """Source of the start of a stage."""

    HAND = "hand"
    """A person set it."""
    SUPERVISOR = "supervisor"
    """The signal of a supervising agent."""
    MARKER = "marker"
    """The agent stated it explicitly: "Stage: planning"."""
    ACTION = "action"
    """What the agent did."""
    WORDS = "words"
    """Text of the agent."""
    DURATION = "duration"
    """No clear evidence for a long time; the text since then favours it."""


class StageMode(StrEnum):
    """Effect of a detected change of stage that was not stated."""

    AUTOMATIC = "automatic"
    """The stage begins."""
    SUGGESTED = "suggested"
    """The stage is suggested; the agent or a person begins it."""
    OFF = "off"


@dataclass(frozen=True, slots=True)
class StageEvidence:
    """What one step indicates about its stage."""

    stage: StageName
    confidence: float
    """0 to 1; 1 for explicit statements."""
    reason: str
    source: StageSource


@dataclass(frozen=True, slots=True)
class Transition:
    """Start of a stage and end of the one before it."""

    stage: StageName
    starts_at_sequence: int
    """Sequence of its first observation.

    It may be before the step that indicated the stage.
    """
    reason: str
    confidence: float
    """0 to 1."""
    source: StageSource


@dataclass(frozen=True, slots=True)
class Stage:
    """A stored stage: a range of a task."""

    team: str
    task: str
    number: int
    """1, 2, 3 … within the task."""
    name: StageName
    began: int
    """Sequence of its first observation."""
    ended: int | None
    """Sequence of its last observation; None while it continues."""
    source: StageSource
    confidence: float
    """0 to 1."""
    reason: str
    started_at: int
    ended_at: int | None


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage with its summary."""

    stage: Stage
    summary: Compression | None
    """Summary; None if not created yet, or if there is nothing to summarise."""
    suggested: StageName | None = None
    """Stage that was detected later, but is only suggested in this mode."""
