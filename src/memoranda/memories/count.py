"""Number of memories by workspace, category and status."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryCount:
    """Number of memories of one workspace, category and status."""

    workspace: str | None
    """Its name; None for those of the whole team."""
    category: str
    status: str
    memories: int
    critical: int
    uses: int
    tokens: int
