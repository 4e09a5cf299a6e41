"""Parts of a message and their labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class UtteranceLabel(StrEnum):
    """Function of a person's sentence or clause."""

    RULE = "rule"
    PREFERENCE = "preference"
    LIFT = "lift"
    CORRECTION = "correction"
    REMEMBER = "remember"
    DECISION = "decision"
    REFUSAL = "refusal"
    APPROVAL = "approval"
    FACT = "fact"
    ORDER = "order"
    QUESTION = "question"
    NONE = "none"


LABELS = tuple(UtteranceLabel)
"""Order of the classes in the weights of the model."""
LASTING = frozenset(
    {UtteranceLabel.RULE, UtteranceLabel.PREFERENCE, UtteranceLabel.LIFT, UtteranceLabel.REMEMBER}
)
"""Labels of parts that are valid beyond the current task."""
LASTS = 0.4
"""Minimum total probability of the lasting labels at which one of them is chosen."""


@dataclass(frozen=True, slots=True)
class UtterancePart:
    """A sentence or independent clause of a message, with its label."""

    start: int
    """Start position in the message, in characters."""
    end: int
    """Position after the part's last character; ``message[start:end] == text``."""
    text: str
    label: UtteranceLabel
    confidence: float
    """Calibrated probability that the label is correct, 0 to 1."""
    lasting: float
    """Calibrated probability that the part is valid beyond the current task, 0 to 1.

    This is the total probability of the labels rule, preference, lift and remember.
    """
    chances: tuple[float, ...]
    """Calibrated probability of each label, in the order of `LABELS`."""


def part_of(text: str, span: tuple[int, int], chances: Sequence[float]) -> UtterancePart:
    """Return a part of a message with its most likely label.

    A lasting label is chosen if the total probability of the lasting labels is at least ``LASTS``.
    """
    start, end = span
    lasting = sum(chances[at] for at, label in enumerate(LABELS) if label in LASTING)
    lasts = lasting >= LASTS
    best = max(
        (at for at, label in enumerate(LABELS) if (label in LASTING) == lasts),
        key=lambda at: chances[at],
    )
    return UtterancePart(
        start=start,
        end=end,
        text=text[start:end],
        label=LABELS[best],
        confidence=round(chances[best], 4),
        lasting=round(lasting, 4),
        chances=tuple(round(chance, 4) for chance in chances),
    )
