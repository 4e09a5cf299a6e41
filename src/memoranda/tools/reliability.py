"""Reliability of tools, computed from the record of steps."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolRecord:
    """One tool or shell program in the examined steps."""

    tool: str
    calls: int
    failures: int
    """Number of calls in which the tool itself failed.

    A test run that found a mistake in the work has not failed.
    """
    findings: int
    """Number of calls that reported a fault in the work, such as a failed test or a lint error."""
    rate: float
    """Number of failures divided by number of calls."""
    low: float
    high: float
    """Upper end of the 95 % interval of the rate; ``low`` is the lower end."""
    others: float
    """Upper 97.5 % bound of the combined rate of all other tools."""
    unreliable: bool
    """Whether the tool clearly fails more often than the others."""
    kinds: tuple[tuple[str, int], ...]
    """Kinds of the tool's failures, most frequent first."""
    stages: tuple[tuple[str, int], ...]
    """Stages in which the tool failed, most frequent first."""
    examples: tuple[str, ...]
    """Ids of the newest failures."""
    line: str
    """Text of the newest error."""
    ended_by: str
    """Resolution of the newest resolved failure."""
