"""Memories: durable pieces of knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memoranda.values.observation import Origin


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
    updated_at: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a memory is there: itself and the observations it came from."""

    memory: Memory
    observations: tuple[str, ...]
    """Ids of observations, oldest first."""
