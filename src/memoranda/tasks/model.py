"""Workspaces and tasks: their fields and states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from memoranda.ids import is_uuid

READ_BY_ITSELF = "claude-code-files"
"""Host of the pseudo-task for files that agents read on their own.

The pseudo-task is an index of these files. No context includes it.
"""


NAMED_BY_CALLER = "api"
"""Host of tasks whose names are chosen by callers."""


UNNAMED = "default"
"""Name of each workspace's task for records that belong to no task."""
_LABEL = re.compile(r"[\w.:/+-]{1,60}")


class TaskStatus(StrEnum):
    """Status of a task."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A repository or project of a team; its id is stable, its name a label."""

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
    """Short name within the team; 0 until the store assigns one."""
    workspace: str
    agent: str
    goal: str
    status: TaskStatus
    host: str
    session: str
    started_at: int
    last_event_at: int
    ended_at: int | None
    """Time at which the end of the task was reported, by its host or a person.

    None while the task is active, and also for a completed task whose end is only inferred from
    inactivity.
    """
    observations: int
    """Number of the task's observations, whose sequence numbers run from 1 to this number."""
    tokens: int = 0
    """Total number of tokens in the contents of the task's observations."""
    name: str = ""
    """Name chosen by a caller; empty if the host named the session."""

    @property
    def title(self) -> str:
        """Name and goal; a name that reads like a sentence is left out."""
        return self.stated_title or "no goal stated"

    @property
    def stated_title(self) -> str:
        """Title of the task; empty if neither a name nor a goal was stated."""
        name = self.name if _LABEL.fullmatch(self.name) and not is_uuid(self.name) else ""
        if name == UNNAMED:
            name = ""
        return ": ".join(filter(None, (name, self.goal)))


def own_name(host: str, session: str) -> str:
    """Return a task's name as chosen by a caller; "" if the host named it."""
    if host != NAMED_BY_CALLER:
        return ""
    return session.rpartition("@")[0] if "@" in session else session
