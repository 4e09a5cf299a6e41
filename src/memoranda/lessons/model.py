"""What a task leaves behind when it ends: an archive of its approach, and lessons."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from memoranda.memories.model import Category, Memory
from memoranda.proposals.model import Proposal
from memoranda.stages.model import Stage
from memoranda.tasks.model import Task, TaskStatus

GENERATOR = "memoranda"
"""Who the journal names where this program itself wrote a memory or proposed one."""


@dataclass(frozen=True, slots=True)
class TaskArchive:
    """That the approach of a task was archived, and as what."""

    team: str
    task: str
    memory: str
    """Which may have been forgotten; then it is not made again."""
    position: int
    """The sequence of the last observation that it tells of."""
    status: TaskStatus
    """How the task had ended."""
    written_at: int
    """When the memory was written last; a later change of it is somebody else's."""


class LessonKind(StrEnum):
    """What sort of thing was learned."""

    FIX = "fix"
    """What ended an error."""
    DEAD_END = "dead_end"
    """What was tried and did not work."""
    CHECK = "check"
    """A command that verifies the work."""
    DECISION = "decision"
    """A decision with its reason."""
    CONSTRAINT = "constraint"
    """What a person laid down."""
    STATED = "stated"
    """What an agent said it had learned."""
    TOOL = "tool"
    """A tool that often fails."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One thing that a task taught, in the words of its record."""

    kind: LessonKind
    key: str
    """What it is about, however it is worded: equal keys are one lesson."""
    category: Category
    title: str
    content: str
    confidence: float
    worth: float
    """By which the best are chosen, 0 to 1."""
    evidence: tuple[str, ...]
    """Ids of observations."""


@dataclass(frozen=True, slots=True)
class KnownLesson:
    """A lesson that a workspace has learned before."""

    team: str
    workspace: str
    key: str
    memory: str
    """Which may have been forgotten; then it is not proposed again."""
    seen: int
    """In how many tasks."""
    updated_at: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """What came of looking for lessons in a task."""

    task: str
    proposals: tuple[Proposal, ...]
    """New ones; a rule may have decided some."""
    reinforced: tuple[str, ...]
    """Memories that the task bears out again."""
    repeated: int
    """Lessons that were known from this task, or that a person has turned down."""
    method: str
    """``record`` for the record's own words, else the model whose words they are."""
    declined: str = ""
    """Why the words of a model were not taken."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A task with what it came to."""

    task: Task
    stages: tuple[Stage, ...]
    """In order; the first hundred."""
    archive: Memory | None
    """How it was done; None while that is not told."""
    lessons: tuple[Memory, ...]
    """What it taught, whatever became of that."""


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """A task that ended, and what it left behind."""

    task: Task
    archive: str | None
    """The memory that tells its approach; None for a task that has nothing to tell."""
    learnings: Extraction


def key(kind: LessonKind, about: str) -> str:
    """Return the key of a lesson: a hash, so that it holds nothing of a text that is forgotten."""
    return hashlib.sha256(f"{kind}\n{about}".encode("utf-8", "replace")).hexdigest()[:32]
