"""Jobs: derived work, written in the transaction of its cause and done later."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
    INDEX_TEXT = "index_text"
    """Bring full text of an earlier version up to date, from a place on."""
    INDEX_MEMORIES = "index_memories"
    """Make what search knows of memories."""
    ENCODE_MEMORIES = "encode_memories"
    """Take memories apart and compare them with others."""
    TURN_MEMORIES = "turn_memories"
    """At a time when some memory begins or ceases to hold: prepare contexts anew."""
    EMBED = "embed"
    """Give vectors to some of the passages that wait for one."""
    DISTIL = "distil"
    """Follow the stages of a task and put those that ended into fewer words."""
    OPTIMISE_PROFILE = "optimise_profile"
    """Work out what could make a crowded profile smaller, and have people told."""
    TASK_ENDED = "task_ended"
    """Archive the approach of a task, and propose what it taught."""
    PROCESS_FEEDBACK = "process_feedback"
    """Do what follows from feedback."""
    MIRROR = "mirror"
    """Bring the files of the mirror and the memories together."""


HEAVY = frozenset({JobKind.EMBED, JobKind.DISTIL, JobKind.OPTIMISE_PROFILE, JobKind.TASK_ENDED})
"""What takes seconds of a processor: left to whoever has time, never done on the way out."""

BESIDE_CONTEXTS = frozenset(JobKind) - {JobKind.RENDER_CONTEXT}
"""What the context of the next session does not wait for."""


READ_WITHOUT = frozenset(
    {
        JobKind.EMBED,
        JobKind.INDEX_TEXT,
        JobKind.MIRROR,
        JobKind.OPTIMISE_PROFILE,
        JobKind.PURGE_TEXT,
    }
)
"""What no reader waits for: answers are right without it, or it takes minutes."""


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

    @classmethod
    def waiting(cls, team: str, id: str, kind: str, subject: str, run_at: int) -> Job:
        """Return a job that nobody has begun, due at a time."""
        return cls(team, id, kind, subject, JobState.PENDING, 0, run_at, None)


@dataclass(frozen=True, slots=True)
class Backlog:
    """The jobs of a team that have not ended, counted by kind."""

    due: Mapping[str, int]
    """Those that wait for a worker."""
    running: Mapping[str, int]
    """Those that some worker is at."""
    retried: Mapping[str, int]
    """Those that failed and are tried again later."""

    def without(self, kinds: Collection[str]) -> Backlog:
        """Return the same but for some kinds."""
        return Backlog(*(
            {kind: count for kind, count in part.items() if kind not in kinds}
            for part in (self.due, self.running, self.retried)
        ))  # fmt: skip

    @property
    def unfinished(self) -> int:
        """How many would be done by now if every worker had time."""
        return sum(self.due.values()) + sum(self.running.values())
