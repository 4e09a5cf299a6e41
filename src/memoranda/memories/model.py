"""Memories: durable pieces of knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

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
    """Where a memory stands; only approved ones enter a context by themselves."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    ARCHIVED = "archived"


class MemorySource(StrEnum):
    """How a memory came to be."""

    MANUAL = "manual"
    """Somebody stated it."""
    LEARNED = "learned"
    """From what a person said of the work: a correction, a rule."""
    ANALYZED = "analyzed"
    """Worked out from what is kept, such as how often a tool fails."""
    INFERRED = "inferred"
    """From what people accepted without laying it down."""
    EXECUTION = "execution"
    """From a task that ended."""
    IMPORT = "import"
    """Another system remembered it."""


class Visibility(StrEnum):
    """Who sees a memory: its agent alone, its workspace, or the whole team."""

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
    """When it was written down; what it says may have held before: `valid_from`."""
    updated_at: int
    source: MemorySource = MemorySource.MANUAL
    approved_by: str | None = None
    """The person who approved it, or the rule that did; None where nobody had to."""
    valid_from: int | None = None
    """Since when it holds, in microseconds; None where it always did."""
    valid_until: int | None = None
    """Until when it held; None while it does."""
    superseded_by: str | None = None
    """The memory that says what holds instead."""
    uses: int = 0
    """How often it stood in a context or was accepted."""
    last_used: int | None = None

    def holds_at(self, time: int) -> bool:
        """Say whether what it says holds at a time, in microseconds."""
        return (self.valid_from or 0) <= time and (
            self.valid_until is None or time < self.valid_until
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a memory is there: itself and the observations it came from."""

    memory: Memory
    observations: tuple[str, ...]
    """Ids of observations, oldest first."""
    trust: Trust = Trust.WEB
    """How far the memory may be relied on."""
