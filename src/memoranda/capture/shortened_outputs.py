"""Live mode: long tool outputs shown to agents in short form, and savings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LiveOutput:
    """A tool output shortened for an agent, with the sizes of both texts."""

    observation: str
    """Observation that contains the full output."""
    whole_bytes: int
    shown_bytes: int
    whole_tokens: int
    shown_tokens: int


@dataclass(frozen=True, slots=True)
class LiveSavings:
    """Savings of one tool's shortened outputs, and requests for the full ones."""

    tool: str
    outputs: int
    whole_bytes: int
    shown_bytes: int
    whole_tokens: int
    shown_tokens: int
    saved_tokens: int
    expanded: int
    """Outputs that were requested in full at least once."""
    expansions: int
    """Total number of requests for full outputs."""
