"""Stages: what kind of work a stretch of a task is, and why one began."""

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
    """Looking back at a failure or a wrong assumption of one's own, and changing course."""
    VERIFICATION = "verification"
    """Running or checking whether something holds; a closing report as well."""


class StageSource(StrEnum):
    """What says that a stage has begun."""

    HAND = "hand"
    """A person put it there."""
    SUPERVISOR = "supervisor"
    """The signal of a supervising agent."""
    MARKER = "marker"
    """The agent said so in so many words: "Stage: planning"."""
    ACTION = "action"
    """What the agent did."""
    WORDS = "words"
    """What the agent said."""
    DURATION = "duration"
    """Nothing clear for a long time; the words since then lean that way."""


@dataclass(frozen=True, slots=True)
class StageEvidence:
    """What one step says about its stage."""

    stage: StageName
    confidence: float
    """0 to 1; 1 for what is said outright."""
    reason: str
    source: StageSource


@dataclass(frozen=True, slots=True)
class Transition:
    """A stage began, and the one before it ended."""

    stage: StageName
    starts_at_sequence: int
    """Sequence of its first observation; it may lie before the step that told."""
    reason: str
    confidence: float
    """0 to 1."""
    source: StageSource


@dataclass(frozen=True, slots=True)
class Stage:
    """A stretch of a task, as it is kept."""

    team: str
    task: str
    number: int
    """1, 2, 3 … within the task."""
    name: StageName
    began: int
    """The sequence of its first observation."""
    ended: int | None
    """The sequence of its last one; None while it goes on."""
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
    """None: none was made yet, or it has nothing to say."""
