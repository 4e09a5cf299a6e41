"""Quarantined observations: those that read like an order to the agent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.observations.model import Observation, Salience


class QuarantineReason(StrEnum):
    """What a text does that mere information does not."""

    OVERRIDE = "override"
    """It requests that earlier instructions be forgotten."""
    ROLE = "role"
    """It imitates the turn of a system, a user or an assistant.

    It speaks as if it were a message of that other speaker.
    """
    MARKUP = "markup"
    """It closes or opens markup that only the host may use.

    Tool calls, results, memories.
    """
    ADDRESS = "address"
    """It addresses a machine that reads it."""
    SECRECY = "secrecy"
    """It requests that something be kept from the user."""
    EXFILTRATION = "exfiltration"
    """It requests that secrets or the conversation be sent away."""
    ENCODED = "encoded"
    """It hides orders in an encoding, or requests decoding and execution."""
    INVISIBLE = "invisible"
    """It contains characters that carry invisible text."""
    DELAYED = "delayed"
    """It waits for a trigger phrase or an occasion."""
    MEMORY = "memory"
    """It requests to be remembered as trusted, approved or preferred."""
    AUTHORITY = "authority"
    """It claims a permission, or sets the reader a new task."""


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
