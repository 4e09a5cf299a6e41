"""Reasons why a text is suspicious."""

from __future__ import annotations

from enum import StrEnum


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
