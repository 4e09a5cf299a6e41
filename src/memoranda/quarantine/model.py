"""What is held back: observations that read like an order to the agent."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.observations.model import Observation, Salience

BY_HAND = "by hand"
"""The reason where a person holds something back."""


@dataclass(frozen=True, slots=True)
class QuarantineRecord:
    """Why an observation is held back, or was until a person released it."""

    observation: str
    reason: str
    """What made it suspicious, or that a person holds it back."""
    salience: Salience
    """What it deserves of the index once it is released."""
    created_at: int
    held: bool = True
    decided_by: str | None = None
    """Who released it, or held it back by hand."""
    decided_at: int | None = None


@dataclass(frozen=True, slots=True)
class QuarantinedObservation:
    """An observation that is or was held back, and why."""

    observation: Observation
    held: QuarantineRecord
