"""Workspaces and the tasks done in them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

READ_BY_ITSELF = "claude-code-files"
"""The host of a task that is no work but an index of files which an agent reads by itself; no
context tells of it."""


class TaskStatus(StrEnum):
    """How a task stands."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A repository or project inside a team. The id is stable, the name only a label."""

    team: str
    id: str
    name: str
    root: str | None
    created_at: int


@dataclass(frozen=True, slots=True)
class Task:
    """One unit of work with a goal; for a coding agent, one session."""

    team: str
    id: str
    number: int
    """A short name within the team; 0 until the store has given one."""
    workspace: str
    agent: str
    goal: str
    status: TaskStatus
    host: str
    session: str
    started_at: int
    last_event_at: int
    ended_at: int | None
    """When it was said to end, by its host or by somebody; None while it is active, and also
    for a completed task whose end is only inferred from its quiet."""
    observations: int
    """How many observations it has; their sequence runs from 1 to this."""
    tokens: int = 0
    """Of the contents of all of them."""
