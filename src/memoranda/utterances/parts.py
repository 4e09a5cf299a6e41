"""The parts of a message, and what a part can be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class UtteranceLabel(StrEnum):
    """What a sentence or clause of a person does."""

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
"""The order of the classes in the weights."""
LASTING = frozenset(
    {
        UtteranceLabel.RULE,
        UtteranceLabel.PREFERENCE,
        UtteranceLabel.LIFT,
        UtteranceLabel.REMEMBER,
    }
)
"""Labels of what holds beyond the task at hand."""


@dataclass(frozen=True, slots=True)
class UtterancePart:
    """A sentence or independent clause of a message, and what it was read as."""

    start: int
    """Where it begins, in characters of the message."""
    end: int
    """Behind its last character; ``message[start:end] == text``."""
    text: str
    label: UtteranceLabel
    confidence: float
    """The calibrated probability that the label is right, 0 to 1."""
    lasting: float
    """The calibrated probability that it holds beyond the task at hand: that its label is one of
    rule, preference, lift and remember, whichever."""
    chances: tuple[float, ...]
    """The calibrated probability of each label, in the order of `LABELS`."""
