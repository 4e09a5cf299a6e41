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
    """Too large a share of its last steps failed."""
    SAME_ERROR = "same_error"
    """The same error occurred repeatedly, and nothing resolved it."""
    SEVERITY = "severity"
    """The total severity of the errors of its last steps is too high."""
    ASKED = "asked"
    """A supervisor passed bad figures."""


class InterventionState(StrEnum):
    """State of an intervention."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    """A supervisor received its context."""
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
    """Identifier of the cause within the task and the signal.

    An intervention is raised once for each.
    """
    reason: str
    """One line that mentions observations without quoting them."""
    metrics: Mapping[str, float] = field(metadata=VERBATIM)
    """Figures of the task."""
    raised_at: int
    position: int
    """Sequence number of the observation at which it was raised."""
    state: InterventionState = InterventionState.OPEN
    outcome: InterventionOutcome | None = None
    effectiveness: float | None = None
    """Decrease of the fraction of failing steps since then, -1 to 1.

    None without any step since.
    """
    note: str = ""
    decided_by: str | None = None
    decided_at: int | None = None


@dataclass(frozen=True, slots=True)
class StrategicContext:
    """Context that a supervisor receives."""

    state: str
    """State that determines the order: errors, incoherent, slow or well (no problem)."""
    leads: tuple[str, ...]
    """The first sections, in order."""
    metrics: Mapping[str, float] = field(metadata=VERBATIM)
    """Figures that determine the state: those passed, or those from the record."""
    context: ContextBrief
    intervention: str | None
    """Id for recording the outcome; None if there is no problem or no task."""


@dataclass(frozen=True, slots=True)
class OutcomeRecorded:
    """Result of recording an outcome."""

    intervention: Intervention
    rated: tuple[str, ...]
    """Memories whose ratings it changed."""
    proposed: tuple[str, ...]
    """Pending proposals to mark memories as critical."""
