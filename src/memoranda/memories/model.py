"""Memories: durable pieces of knowledge, with their categories and states."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from memoranda.exceptions import InvalidInput
from memoranda.observations.model import Origin
from memoranda.text import one_line, text_lines
from memoranda.trust import Trust

_LABELS = {
    "reason": "Reason",
    "alternative": "Instead",
    "applies_to": "Applies to",
    "examples": "Example",
}
_LINE = re.compile(rf"({'|'.join(_LABELS.values())}): (\S.*)")


class MemoryKind(StrEnum):
    """The three kinds of long-term memory."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class Category(StrEnum):
    """The profile's five categories, then the memory bank's five."""

    USER_PREFERENCE = "user_preference"
    PROJECT_PATTERN = "project_pattern"
    LEARNED_RULE = "learned_rule"
    DOMAIN_KNOWLEDGE = "domain_knowledge"
    COMMUNICATION_STYLE = "communication_style"
    PATTERN = "pattern"
    ANTI_PATTERN = "anti_pattern"
    DECISION = "decision"
    INSIGHT = "insight"
    TROUBLESHOOTING = "troubleshooting"


class MemoryStatus(StrEnum):
    """Status of a memory; only approved memories enter a context unrequested."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    ARCHIVED = "archived"


class MemorySource(StrEnum):
    """Origin of a memory."""

    MANUAL = "manual"
    """Stated explicitly."""
    LEARNED = "learned"
    """From a person's comments on the work, such as a correction or rule."""
    ANALYZED = "analyzed"
    """Derived from stored data, such as a tool's failure rate."""
    INFERRED = "inferred"
    """Derived from what people accepted without stating it as a rule."""
    EXECUTION = "execution"
    """From a task that ended."""
    IMPORT = "import"
    """Imported from another system."""


class Visibility(StrEnum):
    """Audience of a memory: its agent, its workspace or the whole team."""

    AGENT = "agent"
    WORKSPACE = "workspace"
    TEAM = "team"


@dataclass(frozen=True, slots=True)
class Memory:
    """One durable piece of knowledge."""

    team: str
    id: str
    workspace: str | None
    agent: str | None
    visibility: Visibility
    title: str
    content: str
    kind: MemoryKind
    category: Category
    tags: tuple[str, ...]
    origin: Origin
    confidence: float
    """Confidence, 0 to 1."""
    critical: bool
    critical_reason: str | None
    protected: bool
    status: MemoryStatus
    tokens: int
    created_at: int
    """Time of creation, or of the message that stated the memory; for the validity see
    `valid_from`.
    """
    updated_at: int
    source: MemorySource = MemorySource.MANUAL
    approved_by: str | None = None
    """Person or rule that approved the memory; None if no approval was needed."""
    valid_from: int | None = None
    """Start of validity in microseconds; None if unlimited."""
    valid_until: int | None = None
    """End of validity; None while the memory is valid."""
    superseded_by: str | None = None
    """Id of the memory that replaces this one."""
    uses: int = 0
    """Number of times that the memory was in a context or was accepted."""
    last_used: int | None = None

    def holds_at(self, time: int) -> bool:
        """Return whether the statement is valid at a time in microseconds."""
        return (self.valid_from or 0) <= time and (
            self.valid_until is None or time < self.valid_until
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """Memory with the observations from which it was derived."""

    memory: Memory
    observations: tuple[str, ...]
    """Ids of observations, oldest first."""
    trust: Trust = Trust.WEB
    """Trust level of the memory."""


class RecordKind(StrEnum):
    """Kinds of records that contexts refer to by name."""

    MEMORY = "memory"
    OBSERVATION = "observation"
    ERROR = "error"
    """A reported error."""
    TASK = "task"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class NamedRecord:
    """Record that a name in a context refers to."""

    kind: RecordKind
    id: str
    name: str
    """Name as printed in a context."""
    text: str
    origin: Origin
    """Author of the text."""
    at: int
    command: str
    """Command that shows the full record."""


@dataclass(frozen=True, slots=True)
class NamedEvidence:
    """Record that a name refers to, with its source observations."""

    memory: Memory | None
    """The memory, if the name refers to one."""
    observations: tuple[str, ...]
    """Ids of observations, oldest first."""
    trust: Trust
    """Trust level of the text."""
    record: NamedRecord


def checked_confidence(confidence: float) -> float:
    """Validate a confidence.

    Raises:
        InvalidInput: the confidence is not between 0 and 1.
    """
    if isinstance(confidence, bool) or not 0 <= confidence <= 1:
        raise InvalidInput(f"a confidence must be between 0 and 1, not {confidence!r:.40}")
    return float(confidence)


@dataclass(frozen=True, slots=True)
class PatternParts:
    """Details of a pattern: reason, alternative and scope."""

    reason: str = ""
    """Reason for the pattern."""
    alternative: str = ""
    """What to do instead."""
    applies_to: tuple[str, ...] = ()
    """Where the pattern applies, such as a language, a workspace or a folder."""
    examples: tuple[str, ...] = ()


def content_with(content: str, parts: PatternParts) -> str:
    """Return content with the details of a pattern appended as lines."""
    fields: Sequence[tuple[str, str]] = [
        ("reason", parts.reason),
        ("alternative", parts.alternative),
        ("applies_to", ", ".join(item for item in map(one_line, parts.applies_to) if item)),
        *(("examples", example) for example in parts.examples),
    ]
    lines = [f"{_LABELS[name]}: {one_line(text)}" for name, text in fields if one_line(text)]
    return "\n".join([content.rstrip(), *lines]) if lines else content


def parts_of(content: str) -> PatternParts:
    """Parse the details at the end of content; empty if there are none."""
    found: dict[str, list[str]] = {name: [] for name in _LABELS}
    names = {label: name for name, label in _LABELS.items()}
    for line in reversed(text_lines(content)[1:]):
        part = _LINE.fullmatch(line)
        if part is None:
            break
        found[names[part[1]]].insert(0, part[2].strip())
    return PatternParts(
        reason=" ".join(found["reason"]),
        alternative=" ".join(found["alternative"]),
        applies_to=tuple(
            item.strip() for line in found["applies_to"] for item in line.split(",") if item.strip()
        ),
        examples=tuple(found["examples"]),
    )
