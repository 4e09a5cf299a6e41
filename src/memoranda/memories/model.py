"""Memories: durable pieces of knowledge, with their categories and states."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.exceptions import InvalidInput
from memoranda.observations.model import Origin
from memoranda.trust import Trust


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
    """Status of a memory; only approved ones enter a context automatically."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    ARCHIVED = "archived"


class MemorySource(StrEnum):
    """Origin of a memory."""

    MANUAL = "manual"
    """Stated explicitly."""
    LEARNED = "learned"
    """From a person's comments on the work: a correction, a rule."""
    ANALYZED = "analyzed"
    """Derived from stored data, such as how often a tool fails."""
    INFERRED = "inferred"
    """From what people accepted without stating it as a rule."""
    EXECUTION = "execution"
    """From a task that ended."""
    IMPORT = "import"
    """Imported from another system."""


class Visibility(StrEnum):
    """Audience of a memory: its agent, its workspace, or the whole team."""

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
    """0 to 1."""
    critical: bool
    critical_reason: str | None
    protected: bool
    status: MemoryStatus
    tokens: int
    created_at: int
    """Time of creation; its validity may start earlier: `valid_from`."""
    updated_at: int
    source: MemorySource = MemorySource.MANUAL
    approved_by: str | None = None
    """Person or rule that approved it; None where no approval was needed."""
    valid_from: int | None = None
    """Start of its validity in microseconds; None if unlimited."""
    valid_until: int | None = None
    """End of its validity; None while it is valid."""
    superseded_by: str | None = None
    """Id of the memory that replaces it."""
    uses: int = 0
    """Number of times it was in a context or was accepted."""
    last_used: int | None = None

    def holds_at(self, time: int) -> bool:
        """Return whether the statement is valid at a time in microseconds."""
        return (self.valid_from or 0) <= time and (
            self.valid_until is None or time < self.valid_until
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """Memory with the observations that it came from."""

    memory: Memory
    observations: tuple[str, ...]
    """Ids of observations, oldest first."""
    trust: Trust = Trust.WEB
    """How far the memory can be trusted."""


def checked_confidence(confidence: float) -> float:
    """Validate a confidence.

    Raises:
        InvalidInput: it does not lie between 0 and 1.
    """
    if isinstance(confidence, bool) or not 0 <= confidence <= 1:
        raise InvalidInput(f"a confidence must be between 0 and 1, not {confidence!r:.40}")
    return float(confidence)
