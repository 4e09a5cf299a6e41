"""A finished call at an interface, for metrics and logs."""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN = "unknown"
"""Replacement for an unknown name, which is not recorded itself."""


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """A finished call: only names of this program and numbers.

    It contains nothing that a caller wrote.
    """

    door: str
    """``rest``, ``rpc`` or ``mcp``."""
    operation: str
    """Name of the called operation in the interface.

    ``unknown`` if there is none of that name.
    """
    outcome: str
    """``ok``, or the code of the error that ended it."""
    seconds: float
