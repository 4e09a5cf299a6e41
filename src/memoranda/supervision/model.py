"""Supervision: tasks that need a look, what a supervisor is told of them, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memoranda.json_data import VERBATIM
from memoranda.search.model import ContextBrief


class SupervisionSignal(StrEnum):
    """What says that a task needs a look."""

    FAILING = "failing"
    """Too large a share of its last steps failed."""
    SAME_ERROR = "same_error"
    """The same error came again and again, and nothing ended it."""
    SEVERITY = "severity"
    """The errors of its last steps are too bad together."""
    ASKED = "asked"
    """A supervisor brought figures that are not well."""


class InterventionState(StrEnum):
    """Where an intervention stands."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    """A supervisor was given the context of it."""
    CLOSED = "closed"
    """Somebody said what came of it."""


class InterventionOutcome(StrEnum):
    """What came of an intervention."""

    HELPED = "helped"
    HURT = "hurt"


@dataclass(frozen=True, slots=True)
class Intervention:
    """A task that a supervisor should look at, and what came of that. It has no text of a memory
    or an observation."""

    team: str
    id: str
    workspace: str
    task: str
    signal: SupervisionSignal
    cause: str
    """Equal for what is one cause within the task and the signal; raised once for each."""
    reason: str
    """In one line; it names observations and does not quote them."""
    metrics: Mapping[str, float] = field(metadata=VERBATIM)
    """How the task stood."""
    raised_at: int
    position: int
    """The sequence of the observation at which it was raised."""
    state: InterventionState = InterventionState.OPEN
    outcome: InterventionOutcome | None = None
    effectiveness: float | None = None
    """By how much the share of steps that fail fell since, -1 to 1; None where nothing was done
    since."""
    note: str = ""
    decided_by: str | None = None
    decided_at: int | None = None


@dataclass(frozen=True, slots=True)
class StrategicContext:
    """What a supervisor is told."""

    state: str
    """What leads: errors, incoherent, slow, or well."""
    leads: tuple[str, ...]
    """The sections that lead, in order."""
    metrics: Mapping[str, float] = field(metadata=VERBATIM)
    """What it was judged by: given ones, and the record's own for the others."""
    context: ContextBrief
    intervention: str | None
    """The id to tell the outcome of; None where all is well or no task is meant."""


@dataclass(frozen=True, slots=True)
class OutcomeRecorded:
    """What came of telling an outcome."""

    intervention: Intervention
    rated: tuple[str, ...]
    """The memories whose ratings it changed."""
    proposed: tuple[str, ...]
    """Proposals to hold memories critical, which wait for a person."""
