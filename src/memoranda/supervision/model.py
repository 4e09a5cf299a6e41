"""Types of supervision: interventions, strategic context and outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memoranda.json_data import VERBATIM
from memoranda.search.model import ContextBrief


class SupervisionSignal(StrEnum):
    """Reason why a task needs attention."""

    FAILING = "failing"
    """Too large a share of the task's last steps failed."""
    SAME_ERROR = "same_error"
    """The same error occurred repeatedly, and nothing resolved it."""
    SEVERITY = "severity"
    """The total severity of the errors in the task's last steps is too high."""
    ASKED = "asked"
    """A supervisor passed figures that indicate a problem."""


class InterventionState(StrEnum):
    """State of an intervention."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    """A supervisor received the intervention's context."""
    CLOSED = "closed"
    """The outcome was recorded."""


class InterventionOutcome(StrEnum):
    """Outcome of an intervention."""

    HELPED = "helped"
    HURT = "hurt"


@dataclass(frozen=True, slots=True)
class Intervention:
    """A task that a supervisor should examine, with the outcome.

    It contains no text of a memory or an observation.
    """

    team: str
    id: str
    workspace: str
    task: str
    signal: SupervisionSignal
    cause: str
    """Identifier of the cause, within the task and the signal.

    Only one intervention is raised for each cause.
    """
    reason: str
    """One line that refers to observations without quoting them."""
    metrics: Mapping[str, float] = field(metadata=VERBATIM)
    """Figures of the task when the intervention was raised."""
    raised_at: int
    position: int
    """Sequence number of the observation at which the intervention was raised."""
    state: InterventionState = InterventionState.OPEN
    outcome: InterventionOutcome | None = None
    effectiveness: float | None = None
    """Decrease in the fraction of failing steps since the intervention, -1 to 1.

    None if there was no step since.
    """
    note: str = ""
    decided_by: str | None = None
    decided_at: int | None = None


@dataclass(frozen=True, slots=True)
class StrategicContext:
    """Context that a supervisor receives."""

    state: str
    """State that determines the order of the sections: errors, incoherent, slow or well (no
    problem).
    """
    leads: tuple[str, ...]
    """The leading sections, in order."""
    metrics: Mapping[str, float] = field(metadata=VERBATIM)
    """Figures that determine the state: those passed by the caller, or those from the record."""
    context: ContextBrief
    intervention: str | None
    """Id with which the outcome is recorded; None if there is no problem or no task."""


@dataclass(frozen=True, slots=True)
class OutcomeRecorded:
    """Result of recording an outcome."""

    intervention: Intervention
    rated: tuple[str, ...]
    """Memories whose ratings were changed."""
    proposed: tuple[str, ...]
    """Pending proposals to mark memories as critical."""
