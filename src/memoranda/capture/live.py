"""Live mode: what agents saw in place of long tool outputs, and what that saved."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LiveOutput:
    """A tool output that an agent saw in its short form. Sizes are those of its texts."""

    observation: str
    """The observation that holds it whole."""
    whole_bytes: int
    shown_bytes: int
    whole_tokens: int
    shown_tokens: int


@dataclass(frozen=True, slots=True)
class LiveSavings:
    """What the short forms of one tool's outputs saved, and how often the whole was asked for."""

    tool: str
    outputs: int
    whole_bytes: int
    shown_bytes: int
    whole_tokens: int
    shown_tokens: int
    saved_tokens: int
    expanded: int
    """Outputs that were asked for whole, at least once."""
    expansions: int
    """How often that was, in all."""
