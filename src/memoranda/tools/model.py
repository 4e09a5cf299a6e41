"""How reliable tools are, as far as the record tells."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolRecord:
    """One tool, or one program of the shell, over the steps that were looked at."""

    tool: str
    calls: int
    failures: int
    """Calls in which the tool itself failed; a test run that found a mistake has done its work."""
    findings: int
    """Calls that ended in a mistake of the work: a failed test, a lint error."""
    rate: float
    """Failures to calls."""
    low: float
    high: float
    """Between which the rate lies, with 95 %."""
    others: float
    """Below which the rate of all other tools together lies, with 97.5 %."""
    unreliable: bool
    """It clearly fails more often than the others."""
    kinds: tuple[tuple[str, int], ...]
    """Of its failures, the commonest first."""
    stages: tuple[tuple[str, int], ...]
    """In which it failed, the commonest first."""
    examples: tuple[str, ...]
    """Ids of the newest failures."""
    line: str
    """The newest error's own words."""
    ended_by: str
    """What ended the newest failure that anything ended."""
