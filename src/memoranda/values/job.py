"""Jobs: derived work, written in the transaction of its cause and done later."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class JobKind(StrEnum):
    """What derived work there is."""

    RENDER_CONTEXT = "render_context"
    """Prepare what the next session of a workspace will be told."""
    PURGE_TEXT = "purge_text"
    """Take the last traces of removed text out of the full-text index; being a job, it is done even
    if the process that forgot is killed before."""

    INDEX_TASK = "index_task"
    """Make what search knows of a task's observations."""
    INDEX_MEMORIES = "index_memories"
    """Make what search knows of memories."""
    EMBED = "embed"
    """Give vectors to some of the passages that wait for one."""
    DISTIL = "distil"
    """Follow the stages of a task and put those that ended into fewer words."""


HEAVY = frozenset({JobKind.EMBED, JobKind.DISTIL})
"""What takes seconds of a processor: left to whoever has time, never done on the way out."""


class JobState(StrEnum):
    """Where a job stands; done and failed are final."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of derived work."""

    team: str
    id: str
    kind: str
    subject: str
    state: JobState
    attempts: int
    run_at: int
    error: str | None
