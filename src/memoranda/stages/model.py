"""Stages: the kind of work in part of a task, and why a stage began."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.compression.model import Compression


class StageName(StrEnum):
    """The four kinds of work."""

    PLANNING = "planning"
    """Exploring, reading, asking, or deciding how to proceed."""
    EXECUTION = "execution"
    """Changing something, such as a file, an order or a deployment."""
    REFLECTION = "reflection"
    """Reviewing a failure or a wrong assumption, and changing course."""
    VERIFICATION = "verification"
    """Running something or checking whether it works, or a closing report."""


class StageSource(StrEnum):
    """What determined the start of a stage."""

    HAND = "hand"
    """A person set the stage."""
    SUPERVISOR = "supervisor"
    """A supervising agent set the stage."""
    MARKER = "marker"
    """The agent stated the stage explicitly: "Stage: planning"."""
    ACTION = "action"
    """An action of the agent."""
    WORDS = "words"
    """Text of the agent."""
    DURATION = "duration"
    """There was no clear evidence for a long time; the total of the texts since then indicates the
    stage.
    """


class StageMode(StrEnum):
    """Effect of a detected change of stage that was not explicitly stated."""

    AUTOMATIC = "automatic"
    """The stage begins."""
    SUGGESTED = "suggested"
    """The stage is only suggested; the agent or a person begins it."""
    OFF = "off"


@dataclass(frozen=True, slots=True)
class StageEvidence:
    """What a single step indicates about the stage."""

    stage: StageName
    confidence: float
    """Confidence, 0 to 1; 1 for explicit statements."""
    reason: str
    source: StageSource


@dataclass(frozen=True, slots=True)
class Transition:
    """Start of a stage and end of the previous stage."""

    stage: StageName
    starts_at_sequence: int
    """Sequence number of the stage's first observation.

    This observation may precede the step that indicated the stage.
    """
    reason: str
    confidence: float
    """Confidence, 0 to 1."""
    source: StageSource


@dataclass(frozen=True, slots=True)
class Stage:
    """A stored stage: a range of observations in a task."""

    team: str
    task: str
    number: int
    """Number within the task: 1, 2, 3, …."""
    name: StageName
    began: int
    """Sequence number of the stage's first observation."""
    ended: int | None
    """Sequence number of the stage's last observation; None while the stage continues."""
    source: StageSource
    confidence: float
    """Confidence, 0 to 1."""
    reason: str
    started_at: int
    ended_at: int | None


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage with its summary."""

    stage: Stage
    summary: Compression | None
    """Summary; None if it has not been created yet, or if there is nothing to summarise."""
    suggested: StageName | None = None
    """Stage that was detected later but is only suggested in the current mode."""
