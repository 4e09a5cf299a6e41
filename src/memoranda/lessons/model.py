"""Types of lessons, task archives and the result of a task."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from memoranda.memories.model import Category, Memory
from memoranda.proposals.model import Proposal
from memoranda.stages.model import Stage
from memoranda.tasks.model import Task, TaskStatus

GENERATOR = "memoranda"
"""Name under which this program's memories and proposals are recorded in the journal."""


@dataclass(frozen=True, slots=True)
class TaskArchive:
    """Record of the memory that archives the approach of a task."""

    team: str
    task: str
    memory: str
    """Id of the memory; after its removal, the memory is not created again."""
    position: int
    """Sequence number of the last observation that the memory covers."""
    status: TaskStatus
    """Final status of the task."""
    written_at: int
    """Time at which this program last wrote the memory.

    Later changes were made by others.
    """


class LessonKind(StrEnum):
    """Kind of lesson."""

    FIX = "fix"
    """What resolved an error."""
    DEAD_END = "dead_end"
    """Attempt that did not work."""
    CHECK = "check"
    """Command that verifies the work."""
    DECISION = "decision"
    """Decision with its reason."""
    CONSTRAINT = "constraint"
    """Requirement or rule that a person stated."""
    STATED = "stated"
    """Lesson that an agent stated."""
    TOOL = "tool"
    """Tool that often fails."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Lesson of a task, quoted from its record."""

    kind: LessonKind
    key: str
    """Key of the subject, independent of the wording; lessons with equal keys are the same lesson.
    """
    category: Category
    title: str
    content: str
    confidence: float
    worth: float
    """Value used to select the best lessons, from 0 to 1."""
    evidence: tuple[str, ...]
    """Ids of observations."""


@dataclass(frozen=True, slots=True)
class KnownLesson:
    """Lesson that a workspace has already learned."""

    team: str
    workspace: str
    key: str
    memory: str
    """Id of the memory; after its removal, the lesson is not proposed again."""
    seen: int
    """Number of tasks that yielded the lesson."""
    updated_at: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """Result of the search for lessons in a task."""

    task: str
    proposals: tuple[Proposal, ...]
    """New lessons; an approval rule may already have decided on some of them."""
    reinforced: tuple[str, ...]
    """Memories of known lessons that the task confirms."""
    repeated: int
    """Number of lessons that were already known from this task, or that a person rejected."""
    method: str
    """``record`` for verbatim text from the record, otherwise the model that worded the lessons."""
    declined: str = ""
    """Why a model's text was rejected."""


@dataclass(frozen=True, slots=True)
class Execution:
    """Task with its stages, archive and lessons."""

    task: Task
    stages: tuple[Stage, ...]
    """The first hundred stages, in order."""
    archive: Memory | None
    """Memory that archives the approach; None until it is written."""
    lessons: tuple[Memory, ...]
    """Lessons of the task, whatever their status."""


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """Ended task with its results."""

    task: Task
    archive: str | None
    """Memory about the task's approach; None if there is nothing to archive."""
    learnings: Extraction


def key(kind: LessonKind, about: str) -> str:
    """Return a lesson's key: a hash, which does not reveal deleted text."""
    return hashlib.sha256(f"{kind}\n{about}".encode("utf-8", "replace")).hexdigest()[:32]
