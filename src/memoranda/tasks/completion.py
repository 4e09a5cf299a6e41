"""End of a task: its approach is archived, and its lessons are proposed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoranda.clock import Clock
from memoranda.exceptions import Conflict, InvalidInput, NotFound
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.lessons import table as known
from memoranda.lessons.finder import MAXIMUM, lessons
from memoranda.lessons.model import GENERATOR, Extraction, Lesson, TaskArchive, TaskEnd
from memoranda.lessons.model_lessons import OFFERED, Guard, WordedLessons, word_lessons
from memoranda.lessons.proposals import LessonWriter, MemoryDraft, WrittenLessons
from memoranda.lessons.task_account import TaskAccount, account
from memoranda.lessons.task_record import TaskRecord, read
from memoranda.lessons.tool_failure_rates import ToolReliability, lesson_of
from memoranda.memories import table as memories
from memoranda.memories.memory_writer import MemoryChanges
from memoranda.memories.model import Category, Memory, MemoryKind, MemorySource, MemoryStatus
from memoranda.ports import LanguageModel
from memoranda.proposals import table as proposals
from memoranda.proposals.model import MemoryState
from memoranda.quarantine.order_detection import suspicion
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.learned_notes import LearnedNotes
from memoranda.tasks.model import Task, TaskStatus

if TYPE_CHECKING:
    from memoranda.utterances.classifier import UtteranceClassifier

NEWEST_PROPOSALS = 200
"""Number of proposals that are searched for those from a task."""

Models = Callable[[Scope], LanguageModel | None]
"""Function that returns the model for writing the lessons of a scope, or None."""


@dataclass(frozen=True, slots=True)
class TaskEndWriters:
    """Components that write memories for an ended task."""

    book: LessonWriter
    changes: MemoryChanges
    reliability: ToolReliability
    notes: LearnedNotes


class TaskEnds:
    """Ends tasks and extracts their results. Idempotent."""

    def __init__(
        self,
        database: Database,
        writers: TaskEndWriters,
        models: Models,
        guard: Guard,
        classifier: UtteranceClassifier,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._database = database
        self._writers = writers
        self._models = models
        self._guard = guard
        self._classifier = classifier
        self._clock = clock
        self._ids = ids

    def end(self, scope: Scope, task: str, outcome: TaskStatus) -> Task:
        """End a task with an outcome, and enqueue the extraction of its results.

        A task that a host ended as completed may still be marked as failed. A task that counts as
        completed only because of inactivity has not been ended, and accepts any outcome.

        Raises:
            InvalidInput: the outcome is not a final status.
            NotFound: there is no such task.
            Conflict: the task has already ended.
        """
        if outcome is TaskStatus.ACTIVE:
            raise InvalidInput("outcome must be completed or failed")

        def work(tx: Transaction) -> Task:
            found = _found(tx, scope.team, task)
            corrected = (found.status, outcome) == (TaskStatus.COMPLETED, TaskStatus.FAILED)
            if found.ended_at is not None and not corrected:
                raise Conflict(f"task {found.number} has already ended as {found.status}")
            now = self._clock.now()
            ended = replace(found, status=outcome, ended_at=found.ended_at or now)
            tasks.update(tx, ended)
            note = journal.NewJournalEntry(
                now, scope.actor, "task end", task, {"outcome": outcome.value}
            )
            journal.append(tx, scope.team, note)
            self._enqueue(tx, ended, now)
            return ended

        return self._database.write(work)

    def settle(self, scope: Scope, task: str) -> TaskEnd:
        """Archive an ended task, and propose its lessons.

        Raises:
            NotFound: there is no such task.
            Conflict: the task has not ended.
        """
        record = self._record(scope, task)
        if record.task.status is TaskStatus.ACTIVE:
            raise Conflict(f"task {record.task.number} has not ended")
        found = lessons(record, OFFERED, self._classifier)
        task_account = account(record, found)
        archive = self._database.write(lambda tx: self._archive(tx, record.task, task_account))
        now = self._clock.now()
        self._database.write(lambda tx: self._writers.notes.archive(tx, record.task, now))
        extraction = self._extract(scope, record, found)
        if any(step.tool for step in record.steps):
            self._note_tools(scope, record.task)
        return TaskEnd(record.task, archive, extraction)

    def extract(self, scope: Scope, task: str) -> Extraction:
        """Propose the lessons of a task so far.

        Raises:
            NotFound: there is no such task.
        """
        record = self._record(scope, task)
        return self._extract(scope, record, lessons(record, OFFERED, self._classifier))

    def _record(self, scope: Scope, task: str) -> TaskRecord:
        return self._database.read(lambda tx: read(tx, _found(tx, scope.team, task)))

    def _extract(self, scope: Scope, record: TaskRecord, found: list[Lesson]) -> Extraction:
        task = record.task
        taught = self._database.read(lambda tx: known.taught(tx, task.team, task.id))
        new = [item for item in found if item.key not in taught] if len(taught) < MAXIMUM else []
        place = replace(scope, workspace=task.workspace, task=task.id)
        model = self._models(place) if new else None
        chosen = word_lessons(found, model, self._guard)

        def work(tx: Transaction) -> Extraction:
            before = known.taught(tx, task.team, task.id)
            fresh = [lesson for lesson in chosen.lessons if lesson.key not in before]
            room = max(0, MAXIMUM - max(len(before), _proposed(tx, place, task)))
            safe = [item for item in fresh if not _is_suspicious(item)]
            source = MemorySource.EXECUTION
            written = self._writers.book.write(tx, place, safe[:room], source)
            written.repeated += len(chosen.lessons) - len(fresh)
            return _extraction(task, written, chosen)

        return self._database.write(work)

    def _note_tools(self, scope: Scope, task: Task) -> None:
        """Propose memories about tools that clearly fail more often, one per tool."""
        place = replace(scope, workspace=task.workspace, task=None)
        found = [
            lesson_of(record) for record in self._writers.reliability.of(place) if record.unreliable
        ]
        if found:
            safe = [lesson for lesson in found if not _is_suspicious(lesson)]
            source = MemorySource.ANALYZED
            self._database.write(lambda tx: self._writers.book.write(tx, place, safe, source))

    # ------------------------------------------------------------------ inside a transaction

    def _archive(self, tx: Transaction, task: Task, task_account: TaskAccount | None) -> str | None:
        """Write a task's archive memory, once for each end with new content."""
        before = known.archive(tx, task.team, task.id)
        if task_account is None:
            return before.memory if before else None
        if before is None:
            return self._archived(tx, task, task_account)
        if (before.position, before.status) == (task.observations, task.status):
            return before.memory
        memory = memories.of_any_agent(tx, task.team, [before.memory]).get(before.memory)
        written_at = before.written_at
        if memory is not None and memory.updated_at == written_at:  # unchanged by others
            written_at = self._rewritten(tx, memory, task_account).updated_at
        known.put_archive(tx, _noted(task, before.memory, written_at))
        return before.memory

    def _archived(self, tx: Transaction, task: Task, task_account: TaskAccount) -> str:
        scope, book = Scope(task.team, task.workspace), self._writers.book
        draft = MemoryDraft(
            task_account.title, task_account.content, Category.INSIGHT, 1.0, task_account.tags
        )
        made = book.made(scope, draft, MemorySource.EXECUTION)
        memory = replace(made, kind=MemoryKind.EPISODIC, status=MemoryStatus.APPROVED)
        book.insert(tx, memory, task_account.evidence)
        known.put_archive(tx, _noted(task, memory.id, memory.updated_at))
        return memory.id

    def _rewritten(self, tx: Transaction, memory: Memory, task_account: TaskAccount) -> Memory:
        """Rewrite the archive memory of a task that was continued.

        The previous text is kept as a version of the memory.
        """
        book = self._writers.book
        after = replace(
            MemoryState.of(memory),
            title=book.clean(task_account.title),
            content=book.clean(task_account.content),
            tags=task_account.tags,
        )
        memories.add_evidence(tx, memory.team, memory.id, task_account.evidence)
        why, now = "the task continued", self._clock.now()
        return self._writers.changes.change(tx, memory, after, GENERATOR, why, now)

    def _enqueue(self, tx: Transaction, task: Task, now: int) -> None:
        kind, id = JobKind.TASK_ENDED, self._ids.new()
        jobs.enqueue(tx, Job.waiting(task.team, id, kind, task.id, now), now)


def _found(tx: Transaction, team: str, task: str) -> Task:
    result = tasks.by_id(tx, team, task)
    if result is None:
        raise NotFound(f"no task {task!r}; `memoranda task list` lists the tasks")
    return result


def _noted(task: Task, memory: str, written_at: int) -> TaskArchive:
    return TaskArchive(task.team, task.id, memory, task.observations, task.status, written_at)


def _extraction(task: Task, written: WrittenLessons, chosen: WordedLessons) -> Extraction:
    return Extraction(
        task=task.id,
        proposals=tuple(written.proposals),
        reinforced=tuple(written.reinforced),
        repeated=written.repeated,
        method=chosen.method,
        declined=chosen.declined,
    )


def _is_suspicious(lesson: Lesson) -> bool:
    return suspicion(f"{lesson.title}\n{lesson.content}") is not None


def _proposed(tx: Transaction, scope: Scope, task: Task) -> int:
    """Return how many of the newest proposals are from a task."""
    made = proposals.listed(
        tx, scope.team, scope.workspace, GENERATOR, None, limit=NEWEST_PROPOSALS
    )
    return sum(proposal.task == task.id for proposal in made)
