"""Target ratio for a stage, which is lower if more facts could be lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.compression.model import Passage
from memoranda.language.words import valued_names

DEFAULT = 10.0
"""Compression ratio of a stage: its tokens per token of its summary."""
GENTLEST, STRONGEST = 2.0, 20.0
GOOD = 0.95
"""Fraction of kept critical facts below which compression is retried at a lower ratio."""

RICH = 0.20
"""Number of distinct values, such as paths and numbers, per word of a text that is rich in values.
"""
FAILING = 0.30
"""Fraction of errors among the passages at which the target is reduced most."""
READ = 200_000
"""Number of characters read to measure the richness of a stage."""


@dataclass(frozen=True, slots=True)
class CompressionTarget:
    """Target ratio with its reason."""

    target: float
    """Compression ratio: source tokens per token of the result."""
    reason: str


@dataclass(frozen=True, slots=True)
class CompressionAims:
    """Compression targets in the settings."""

    ratio: float | None = None
    """Number of tokens in a stage per token of its summary; None to adapt the ratio."""
    task_ratio: float = 5.0
    """Number of tokens in stage summaries per token of a task's summary."""
    quality: float = GOOD
    """Fraction of critical facts below which a summary raises an alert."""


AIMS = CompressionAims()


def requested_target(target: float) -> CompressionTarget:
    """Return the requested target, limited to a sensible range."""
    return CompressionTarget(min(STRONGEST, max(GENTLEST, target)), "as asked")


def adaptive_target(
    passages: Sequence[Passage], *, errors: int, retained: Sequence[float]
) -> CompressionTarget:
    """Return the target for a stage.

    Args:
        errors: number of passages of the stage that report an error.
        retained: fractions of the critical facts that the last compressions kept, newest first.
    """
    factors = {
        "many different values": -0.5 * min(1.0, richness(passages) / RICH),
        "errors": -0.5 * min(1.0, errors / max(1, len(passages)) / FAILING),
        "facts lost lately": -min(1.0, max(0.0, GOOD - _mean(retained)) / (1 - GOOD)),
    }
    halvings = sum(factors.values())
    reasons = [name for name, weight in factors.items() if abs(weight) >= 0.25]
    target = min(STRONGEST, max(GENTLEST, DEFAULT * 2.0**halvings))
    return CompressionTarget(round(target, 1), ", ".join(reasons) or "as usual")


def richness(passages: Sequence[Passage]) -> float:
    """Return the ratio of distinct values to words."""
    room, words, values = READ, 0, set[str]()
    for passage in passages:
        if room <= 0:
            break
        text = passage.text[:room]
        room -= len(text)
        words += text.count(" ") + 1
        values.update(valued_names(text))
    return len(values) / max(1, words)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 1.0
