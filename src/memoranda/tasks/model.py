"""Workspaces and tasks: their fields and states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from memoranda.ids import is_uuid

READ_BY_ITSELF = "claude-code-files"
"""Host of the pseudo-task for files that agents read by themselves.

It is an index of these files. No context includes it.
"""


NAMED_BY_CALLER = "api"
"""Host of the tasks whose names callers choose."""


UNNAMED = "default"
"""Name of the task of what is stored without one, separate in each workspace."""
_LABEL = re.compile(r"[\w.:/+-]{1,60}")


class TaskStatus(StrEnum):
    """Status of a task."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A repository or project of a team; the id is stable, the name a label."""

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
    """Short name within the team; 0 until the store has assigned one."""
    workspace: str
    agent: str
    goal: str
    status: TaskStatus
    host: str
    session: str
    started_at: int
    last_event_at: int
    ended_at: int | None
    """Time when its end was reported, by its host or by a person.

    None while it is active, and also for a completed task whose end is only inferred from
    inactivity.
    """
    observations: int
    """Number of its observations; their sequence runs from 1 to this."""
    tokens: int = 0
    """Total number of tokens in the contents of its observations."""
    name: str = ""
    """Name that a caller chose for it; empty if its host named the session."""

    @property
    def title(self) -> str:
        """Its name and its goal; a name that reads like a sentence is left out."""
        return self.stated_title or "no goal stated"

    @property
    def stated_title(self) -> str:
        """Its title; empty if no name or goal was stated."""
        name = self.name if _LABEL.fullmatch(self.name) and not is_uuid(self.name) else ""
        if name == UNNAMED:
            name = ""
        return ": ".join(filter(None, (name, self.goal)))


def own_name(host: str, session: str) -> str:
    """Return the name that a caller chose for a task; empty if its host named the session."""
    if host != NAMED_BY_CALLER:
        return ""
    return session.rpartition("@")[0] if "@" in session else session
