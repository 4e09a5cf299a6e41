"""Input and result of a compression: passages, lines and quality."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

PLAIN = 0.85
"""Minimum fraction of letters, digits and spaces in output that is a message."""
SMALL = 100
"""Maximum number of tokens of a stage that is left unchanged."""
NEARLY = 1.05
"""Factor by which a summary may exceed its target."""
_TROUBLE = re.compile(r"(?i)error|fail|exception")
_RAISED = re.compile(r"(?:E +)?[\w.]{0,99}(?:Error|Exception|Warning): ")
_CODE = re.compile(r"[(){}\[\]=<>;]")


class PassageSpeaker(StrEnum):
    """Author of the words in a passage."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Passage:
    """Input of a compressor, such as an observation."""

    ref: str
    """Short name at the start of the passage, such as ``3#12``, which labels its lines."""
    speaker: PassageSpeaker
    text: str
    pinned: tuple[str, ...] = ()
    """Parts that must be kept verbatim, such as a person's constraints."""


@dataclass(frozen=True, slots=True)
class CompressedLine:
    """Line of compressed text, extracted from one passage."""

    ref: str
    speaker: PassageSpeaker
    text: str
    outdated: bool = False
    """Whether a later line contradicts this line."""
    worth: float = 0.0
    """Importance, 0 to 1."""
    pinned: bool = False
    """Whether the line must be kept in a further compression."""
    times: int = 1
    """Number of lines that this line represents, which differ only in their values."""

    @property
    def tells(self) -> bool:
        """Return whether a reader understands the line without its context.

        Code and data are not understood without context.
        """
        if self.speaker is not PassageSpeaker.TOOL or self.pinned:
            return True
        if _CODE.search(self.text):
            return bool(_RAISED.match(self.text))
        if sum(char.isalnum() or char in " .,:" for char in self.text) < PLAIN * len(self.text):
            return False
        return len(self.text.split()) > 2 or bool(_TROUBLE.search(self.text))


@dataclass(frozen=True, slots=True)
class CompressedText:
    """Compressed passages. Every line comes from a passage."""

    text: str
    """Text for the reader: lines with their labels."""
    tokens: int
    """Exact token count of the text."""
    source_tokens: int
    lines: tuple[CompressedLine, ...]
    values: tuple[str, ...]
    """Values that no line contains, listed at the end of the text."""
    pinned: int
    """Number of pinned parts in the passages."""
    kept: int
    """Number of pinned parts in the text."""
    method: str
    """``extract``, or the name of the model that rephrased the lines."""
    cost: int = 0
    """Cost of model calls, in millionths of a dollar."""
    declined: str = ""
    """Why a model's text was rejected; empty if it was used or no model was called."""

    @property
    def ratio(self) -> float:
        """Compression ratio: source tokens per token of the result."""
        return self.source_tokens / max(1, self.tokens)


@dataclass(frozen=True, slots=True)
class Compression:
    """Stored summary of a stage or a task, with its quality."""

    team: str
    task: str
    stage: int
    """Number of the stage; 0 for the task."""
    until_sequence: int
    """Sequence number of the last observation covered."""
    text: str
    lines: tuple[CompressedLine, ...]
    tokens: int
    source_tokens: int
    """Number of tokens in the covered observations."""
    target: float
    """Target for the source tokens per token of the result."""
    facts: int
    """Number of critical facts of the source."""
    kept: int
    """Number of critical facts in the text."""
    contradictions: int
    """Number of lines that contradict the source."""
    method: str
    cost: int
    """Cost in millionths of a dollar."""
    declined: str
    """Why a model's text was rejected; empty if it was used or no model was called."""
    tries: int
    created_at: int
    beyond: str = ""
    """Why a stage exceeds its target; empty if it does not."""

    @property
    def retention(self) -> float:
        """Fraction of critical facts in the text; 1 if there are none."""
        return self.kept / self.facts if self.facts else 1.0

    @property
    def ratio(self) -> float:
        """Compression ratio: source tokens per token of the result."""
        return self.source_tokens / max(1, self.tokens)


def excess_reason(tokens: int, source_tokens: int, target: float) -> str:
    """Describe why a stage summary exceeds its target, if it does."""
    if tokens <= NEARLY * source_tokens / target:
        return ""
    if source_tokens <= SMALL:
        return f"it has at most {SMALL} tokens and remains unchanged"
    return "its critical facts with their references need more tokens"


@dataclass(frozen=True, slots=True)
class Quality:
    """Measure of what a compressed text preserves of its passages."""

    facts: int
    """Number of critical facts of the passages."""
    kept: int
    lost: tuple[str, ...]
    contradictions: int
    """Number of lines that contradict the passages.

    These are outdated statements shown without the current statement, and lines that lost their
    negation or condition.
    """

    @property
    def retention(self) -> float:
        """Return the fraction of facts that were kept, 0 to 1."""
        return self.kept / self.facts if self.facts else 1.0
