"""What makes a text suspicious."""

from __future__ import annotations

from enum import StrEnum


class QuarantineReason(StrEnum):
    """What a text does that information does not."""

    OVERRIDE = "override"
    """It wants earlier instructions forgotten."""
    ROLE = "role"
    """It plays a turn of another speaker: a system message, the user, the assistant."""
    MARKUP = "markup"
    """It closes or opens what only the host may: tool calls, results, memories."""
    ADDRESS = "address"
    """It speaks to a machine that reads it."""
    SECRECY = "secrecy"
    """It wants something kept from the user."""
    EXFILTRATION = "exfiltration"
    """It wants secrets or the conversation sent away."""
    ENCODED = "encoded"
    """It hides orders in an encoding, or wants something decoded and run."""
    INVISIBLE = "invisible"
    """It has characters that carry text nobody sees."""
    DELAYED = "delayed"
    """It waits for a word or an occasion."""
    MEMORY = "memory"
    """It wants to be remembered as trusted, approved or preferred."""
    AUTHORITY = "authority"
    """It claims a permission, or gives the reader a new task."""
