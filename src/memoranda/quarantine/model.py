"""Quarantined observations: those that read like an order to the agent."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.observations.model import Observation, Salience

BY_HAND = "by hand"
"""Reason for a withholding by a person."""


@dataclass(frozen=True, slots=True)
class QuarantineRecord:
    """Why an observation is withheld, or was until a person released it."""

    observation: str
    reason: str
    """Why it is suspicious, or that a person withholds it."""
    salience: Salience
    """Salience after its release."""
    created_at: int
    held: bool = True
    decided_by: str | None = None
    """Who released it, or withheld it by hand."""
    decided_at: int | None = None


@dataclass(frozen=True, slots=True)
class QuarantinedObservation:
    """Observation that is or was withheld, with the reason."""

    observation: Observation
    held: QuarantineRecord
