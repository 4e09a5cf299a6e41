"""What is compressed, and what comes of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

PLAIN = 0.85
"""Share of letters, digits and spaces from which on a line of a program reads like a message."""
SMALL = 100
"""Tokens of a stage that is left as it is: there is nothing to win."""
NEARLY = 1.05
"""Times its share that a summary may have and still counts as what was aimed at."""
_TROUBLE = re.compile(r"(?i)error|fail|exception")
_RAISED = re.compile(r"(?:E +)?[\w.]{0,99}(?:Error|Exception|Warning): ")
_CODE = re.compile(r"[(){}\[\]=<>;]")


class PassageSpeaker(StrEnum):
    """Whose words a passage has."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Passage:
    """One thing that a compressor reads, such as an observation."""

    ref: str
    """The short name that opens it, such as ``3#12``; every line taken from it carries it."""
    speaker: PassageSpeaker
    text: str
    pinned: tuple[str, ...] = ()
    """Parts of the text that must stay word for word, such as a person's constraints."""


@dataclass(frozen=True, slots=True)
class CompressedLine:
    """A line of compressed text: words of one passage, in the order they had there."""

    ref: str
    speaker: PassageSpeaker
    text: str
    outdated: bool = False
    """A later line says otherwise."""
    worth: float = 0.0
    """How much its place in the text was worth, 0 to 1."""
    pinned: bool = False
    """It must stay when it is compressed again."""
    times: int = 1
    """How many lines it stands for that differ from it in their values only."""

    @property
    def tells(self) -> bool:
        """Whether it says something to somebody who was not there. A piece of code or data does
        not without what stood around it."""
        if self.speaker is not PassageSpeaker.TOOL or self.pinned:
            return True
        if _CODE.search(self.text):
            return bool(_RAISED.match(self.text))
        if sum(char.isalnum() or char in " .,:" for char in self.text) < PLAIN * len(self.text):
            return False
        return len(self.text.split()) > 2 or bool(_TROUBLE.search(self.text))


@dataclass(frozen=True, slots=True)
class CompressedText:
    """Passages in fewer words. Every line is taken from them."""

    text: str
    """What a reader is given, lines with their names."""
    tokens: int
    """Of the text, exactly."""
    source_tokens: int
    lines: tuple[CompressedLine, ...]
    values: tuple[str, ...]
    """Values that no line holds, named at the end of the text."""
    pinned: int
    """How many pinned parts the passages had."""
    kept: int
    """How many of them the text holds."""
    method: str
    """What made it: ``extract``, or the name of a model that put the lines into other words."""
    cost: int = 0
    """Millionths of a dollar that models were paid for it."""
    declined: str = ""
    """What a model was to do and did not, and why; empty where none was to be asked."""

    @property
    def ratio(self) -> float:
        """How many tokens of the source one token stands for."""
        return self.source_tokens / max(1, self.tokens)


@dataclass(frozen=True, slots=True)
class Compression:
    """A stage or a task in fewer words, as it is kept, and how well that went."""

    team: str
    task: str
    stage: int
    """The number of the stage; 0: the task."""
    until_sequence: int
    """Of the last observation that it stands for."""
    text: str
    lines: tuple[CompressedLine, ...]
    tokens: int
    source_tokens: int
    """Of the observations that it stands for."""
    target: float
    """How many tokens of the source one token was to stand for."""
    facts: int
    """Critical facts of the source."""
    kept: int
    """Those of them that the text has."""
    contradictions: int
    """What the text says that the source does not."""
    method: str
    cost: int
    """Millionths of a dollar."""
    declined: str
    """Why the words of a model were not taken; empty where they were, or none was asked."""
    tries: int
    created_at: int
    beyond: str = ""
    """Why a stage has more tokens than its target says; empty where it has not."""

    @property
    def retention(self) -> float:
        """What share of the critical facts the text has; 1 where there are none."""
        return self.kept / self.facts if self.facts else 1.0

    @property
    def ratio(self) -> float:
        """How many tokens of the source one token stands for."""
        return self.source_tokens / max(1, self.tokens)


def excess_reason(tokens: int, source_tokens: int, target: float) -> str:
    """Say why a summary of a stage has more tokens than was aimed at, if it has."""
    if tokens <= NEARLY * source_tokens / target:
        return ""
    if source_tokens <= SMALL:
        return f"it has at most {SMALL} tokens and is left as it is"
    return "its critical facts and the names of where they stand need more"


@dataclass(frozen=True, slots=True)
class Quality:
    """What a compressed text still says of its passages."""

    facts: int
    """Critical facts of the passages."""
    kept: int
    lost: tuple[str, ...]
    contradictions: int
    """Lines that say other than the passages: what is outdated without what is true now, and what
    lost its negation or its condition."""

    @property
    def retention(self) -> float:
        """The share of the facts that was kept, 0 to 1."""
        return self.kept / self.facts if self.facts else 1.0
