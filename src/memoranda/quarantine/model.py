"""Quarantined observations: those that read like an order to the agent."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.observations.model import Observation, Salience

BY_HAND = "by hand"
"""Reason for a withholding by a person."""


@dataclass(frozen=True, slots=True)
class QuarantineRecord:
    """Reason for the quarantine of an observation, until a person releases it."""

    observation: str
    reason: str
    """Why it is suspicious, or that a person quarantined it."""
    salience: Salience
    """Salience after its release."""
    created_at: int
    held: bool = True
    decided_by: str | None = None
    """Who released it, or quarantined it manually."""
    decided_at: int | None = None


@dataclass(frozen=True, slots=True)
class QuarantinedObservation:
    """Observation that is or was quarantined, with the reason."""

    observation: Observation
    held: QuarantineRecord
