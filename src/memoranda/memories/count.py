"""How many memories there are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """How many memories of one workspace, category and status there are."""

    workspace: str | None
    """Its name; None for what holds for the whole team."""
    category: str
    status: str
    memories: int
    critical: int
    uses: int
    tokens: int
