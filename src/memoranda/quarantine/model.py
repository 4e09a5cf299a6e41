"""Quarantined observations, which read like instructions to the agent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.observations.model import Observation, Salience


class QuarantineReason(StrEnum):
    """Reason for the quarantine of a text."""

    OVERRIDE = "override"
    """The text requests that earlier instructions be ignored."""
    ROLE = "role"
    """The text imitates a message by the system, the user or the assistant."""
    MARKUP = "markup"
    """The text closes or opens markup that only the host may use.

    Examples are tool calls, results and memories.
    """
    ADDRESS = "address"
    """The text addresses a machine reader."""
    SECRECY = "secrecy"
    """The text requests that something be kept secret from the user."""
    EXFILTRATION = "exfiltration"
    """The text requests that secrets or the conversation be sent elsewhere."""
    ENCODED = "encoded"
    """The text hides instructions in an encoding, or requests decoding and execution."""
    INVISIBLE = "invisible"
    """The text contains characters that encode invisible text."""
    DELAYED = "delayed"
    """The text waits for a trigger phrase or an event."""
    MEMORY = "memory"
    """The text requests to be remembered as trusted, approved or preferred."""
    AUTHORITY = "authority"
    """The text claims a permission, or gives the reader a new task."""


BY_HAND = "by hand"
"""`QuarantineRecord.reason` if a person quarantined the observation."""


@dataclass(frozen=True, slots=True)
class QuarantineRecord:
    """Reason for an observation's quarantine, until a person releases it."""

    observation: str
    reason: str
    """A `QuarantineReason`, or `BY_HAND` if a person quarantined it."""
    salience: Salience
    """Salience of the observation after its release."""
    created_at: int
    held: bool = True
    decided_by: str | None = None
    """Actor of the latest release or manual quarantine, if any."""
    decided_at: int | None = None


@dataclass(frozen=True, slots=True)
class QuarantinedObservation:
    """Observation that is or was quarantined, with the reason."""

    observation: Observation
    held: QuarantineRecord
