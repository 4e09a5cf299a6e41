"""Jobs: derived work, written in the transaction of its cause and done later."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
