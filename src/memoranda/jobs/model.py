"""Jobs: derived work, queued in the transaction of its cause."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum


class JobKind(StrEnum):
    """Kind of derived work."""

    RENDER_CONTEXT = "render_context"
    """Prepare the context of the next session of a workspace."""
    PURGE_TEXT = "purge_text"
    """Remove the last traces of deleted text from the full-text index.

    A job is used so that the removal is completed even if the process that deleted the text is
    killed.
    """

    INDEX_TASK = "index_task"
    """Build the search index of a task's observations."""
    INDEX_TEXT = "index_text"
    """Convert the full-text index of an earlier version, starting at a given position."""
    INDEX_MEMORIES = "index_memories"
    """Build the search index of memories."""
    ENCODE_MEMORIES = "encode_memories"
    """Analyse memories and compare them with other memories."""
    TURN_MEMORIES = "turn_memories"
    """Render contexts again when a memory becomes valid or invalid."""
    EMBED = "embed"
    """Embed some of the passages that do not have an embedding yet."""
    DISTIL = "distil"
    """Detect the stages of a task and summarise those that have ended."""
    OPTIMISE_PROFILE = "optimise_profile"
    """Compute how to shrink a nearly full profile, and notify people."""
    TASK_ENDED = "task_ended"
    """Archive the approach of a task, and propose the lessons learned from it."""
    CHECKPOINT = "checkpoint"
    """Make the checkpoint that an event requests."""
    PROCESS_FEEDBACK = "process_feedback"
    """Apply the effects of feedback."""
    MIRROR = "mirror"
    """Synchronise the files of the mirror with the memories."""


HEAVY = frozenset({JobKind.EMBED, JobKind.DISTIL, JobKind.OPTIMISE_PROFILE, JobKind.TASK_ENDED})
"""Kinds that take seconds of CPU time.

Background workers run these jobs; they are never run at shutdown.
"""

BESIDE_CONTEXTS = frozenset(JobKind) - {JobKind.RENDER_CONTEXT}
"""Kinds that the context of the next session does not wait for."""


READ_WITHOUT = frozenset(
    {
        JobKind.EMBED,
        JobKind.INDEX_TEXT,
        JobKind.MIRROR,
        JobKind.OPTIMISE_PROFILE,
        JobKind.PURGE_TEXT,
    }
)
"""Kinds that no reader waits for.

Results are correct without these jobs, or the jobs take minutes.
"""


class JobState(StrEnum):
    """State of a job; done and failed are final."""

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

    @classmethod
    def waiting(cls, team: str, id: str, kind: str, subject: str, run_at: int) -> Job:
        """Return a waiting job that is due at a time."""
        return cls(team, id, kind, subject, JobState.PENDING, 0, run_at, None)


@dataclass(frozen=True, slots=True)
class Backlog:
    """Unfinished jobs of a team, counted by kind."""

    due: Mapping[str, int]
    """Jobs waiting for a worker."""
    running: Mapping[str, int]
    """Jobs that a worker is processing."""
    retried: Mapping[str, int]
    """Failed jobs that will be retried."""

    def without(self, kinds: Collection[str]) -> Backlog:
        """Return the backlog without some kinds of jobs."""
        return Backlog(*(
            {kind: count for kind, count in part.items() if kind not in kinds}
            for part in (self.due, self.running, self.retried)
        ))  # fmt: skip

    @property
    def unfinished(self) -> int:
        """Number of jobs that are due or running."""
        return sum(self.due.values()) + sum(self.running.values())
