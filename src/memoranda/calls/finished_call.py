"""A call that came to a door, as those who watch a server learn of it."""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN = "unknown"
"""Stands for a name that nobody here gave, and which is not repeated."""


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """One call and its end: names of this program and numbers, nothing that a caller wrote."""

    door: str
    """``rest``, ``rpc`` or ``mcp``."""
    operation: str
    """What was called, as the door has it; ``unknown`` where it has nothing of that name."""
    outcome: str
    """``ok``, or the code of the error that ended it."""
    seconds: float
