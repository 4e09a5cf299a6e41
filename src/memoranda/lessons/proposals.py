"""Lessons stored as pending memories, once per workspace.

Every further task that confirms a lesson raises its confidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memoranda.clock import Clock
from memoranda.feedback.command_parser import command
from memoranda.feedback.model import CommandKind
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.lessons import table as lessons
from memoranda.lessons.model import GENERATOR, KnownLesson, Lesson, LessonKind
from memoranda.memories import table as memories
from memoranda.memories.memory_service import kind_of, text_entry
from memoranda.memories.model import Category, Memory, MemorySource, MemoryStatus, Visibility
from memoranda.memories.restatement import restated
from memoranda.memories.statement_metadata import enqueue_change_jobs
from memoranda.observations.model import Origin
from memoranda.ports import Sanitiser, TokenCounter
from memoranda.proposals.decisions import Proposals
from memoranda.proposals.model import MemoryState, Proposal, ProposalKind
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.text import clip, normalise, one_line

TITLE = 120
SURER = 0.1
"""Increase in confidence by each further task that confirms a lesson."""
SUREST = 0.95
"""Maximum confidence that this program assigns."""
STANDING = (MemoryStatus.PENDING, MemoryStatus.APPROVED)


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """Content of a memory to be created."""

    title: str
    content: str
    category: Category
    confidence: float
    tags: tuple[str, ...]


@dataclass(slots=True)
class WrittenLessons:
    """Result of writing lessons."""

    proposals: list[Proposal] = field(default_factory=list)
    reinforced: list[str] = field(default_factory=list)
    repeated: int = 0


class LessonWriter:
    """Writes lessons, within the caller's transaction."""

    def __init__(
        self,
        proposals: Proposals,
        counter: TokenCounter,
        sanitiser: Sanitiser,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._proposals = proposals
        self._counter = counter
        self._sanitiser = sanitiser
        self._clock = clock
        self._ids = ids

    def write(
        self, tx: Transaction, scope: Scope, found: Sequence[Lesson], source: MemorySource
    ) -> WrittenLessons:
        """Propose new lessons, and reinforce those that this task confirms.

        ``scope`` specifies workspace and task. Lessons that a person rejected or removed are not
        proposed again.
        """
        written = WrittenLessons()
        for lesson in found:
            self._write_one(tx, scope, lesson, source, written)
        return written

    def made(self, scope: Scope, draft: MemoryDraft, source: MemorySource) -> Memory:
        """Return a new memory of this workspace from a draft."""
        now, made_at = self._clock.now(), self.clean(draft.content)
        return Memory(
            team=scope.team,
            id=self._ids.new(),
            workspace=scope.workspace,
            agent=None,
            visibility=Visibility.WORKSPACE,
            title=clip(one_line(self.clean(draft.title)), TITLE),
            content=made_at,
            kind=kind_of(draft.category),
            category=draft.category,
            tags=draft.tags,
            origin=Origin.GENERATED,
            confidence=draft.confidence,
            critical=False,
            critical_reason=None,
            protected=False,
            status=MemoryStatus.PENDING,
            tokens=self._counter.count(made_at),
            created_at=now,
            updated_at=now,
            source=source,
        )

    def clean(self, text: str) -> str:
        """Return a text in the form in which it is stored."""
        return self._sanitiser.clean(normalise(text)).strip()

    def insert(self, tx: Transaction, memory: Memory, evidence: Sequence[str]) -> None:
        """Store a memory with its evidence, and queue it for the search index."""
        memories.insert(tx, memory, text_entry(memory), evidence)
        detail = {"category": memory.category.value, "source": memory.source.value}
        note = journal.NewJournalEntry(
            memory.created_at, GENERATOR, "remember", memory.id, dict(detail)
        )
        journal.append(tx, memory.team, note)
        enqueue_change_jobs(tx, memory.team, self._ids, memory.created_at)

    # ------------------------------------------------------------------ inside a transaction

    def _write_one(
        self,
        tx: Transaction,
        scope: Scope,
        lesson: Lesson,
        source: MemorySource,
        written: WrittenLessons,
    ) -> None:
        assert scope.workspace is not None
        existing = lessons.known_lesson(tx, scope.team, scope.workspace, lesson.key)
        if existing is not None:
            self._see_again(tx, scope, existing, lesson, written)
            return
        tags = (lesson.kind.value,)
        draft = MemoryDraft(lesson.title, lesson.content, lesson.category, lesson.confidence, tags)
        memory = self.made(scope, draft, source)
        if not memory.content or self._is_stated(tx, memory, lesson):
            written.repeated += 1
            return
        self.insert(tx, memory, lesson.evidence)
        self._note(tx, scope, lesson, memory.id, 1)
        written.proposals.append(self._propose(tx, scope, memory, lesson, 1))

    def _see_again(
        self,
        tx: Transaction,
        scope: Scope,
        existing: KnownLesson,
        lesson: Lesson,
        written: WrittenLessons,
    ) -> None:
        memory = memories.of_any_agent(tx, scope.team, [existing.memory]).get(existing.memory)
        is_current = memory is not None and memory.status in STANDING
        new = scope.task is not None and lessons.add_task(
            tx, existing.team, existing.workspace, existing.key, scope.task
        )
        if memory is None or not (is_current and new):
            written.repeated += 1
            return
        surer = max(memory.confidence, min(SUREST, memory.confidence + SURER))
        now = max(self._clock.now(), memory.updated_at + 1)
        lessons.reinforce(tx, memory.team, memory.id, surer, lesson.evidence, now)
        self._note(tx, scope, lesson, memory.id, existing.seen + 1)
        detail = {"seen": existing.seen + 1}
        entry = journal.NewJournalEntry(now, GENERATOR, "memory reinforce", memory.id, dict(detail))
        journal.append(tx, memory.team, entry)
        written.reinforced.append(memory.id)
        if memory.status is MemoryStatus.PENDING:
            after = replace(memory, confidence=surer)
            self._propose(tx, scope, after, lesson, existing.seen + 1)

    def _note(self, tx: Transaction, scope: Scope, lesson: Lesson, memory: str, seen: int) -> None:
        assert scope.workspace is not None
        team, workspace, now = scope.team, scope.workspace, self._clock.now()
        lessons.put(tx, KnownLesson(team, workspace, lesson.key, memory, seen, now))
        if scope.task is not None:
            lessons.add_task(tx, team, workspace, lesson.key, scope.task)

    def _propose(
        self, tx: Transaction, scope: Scope, memory: Memory, lesson: Lesson, seen: int
    ) -> Proposal:
        after = replace(MemoryState.of(memory), status=MemoryStatus.APPROVED)
        tasks = "one task" if seen == 1 else f"{seen} tasks"
        reason = f"{lesson.kind.replace('_', ' ')}, seen in {tasks}"
        by = replace(scope, agent=GENERATOR)
        return self._proposals.put(tx, by, ProposalKind.ADD, memory, after, reason)

    def _is_stated(self, tx: Transaction, memory: Memory, lesson: Lesson) -> bool:
        """Return whether a memory states a lesson verbatim or in a rule."""
        if memories.same_content(tx, memory):
            return True
        if lesson.kind is not LessonKind.CONSTRAINT:
            return False
        # "please remember that …" is stored without this introduction
        order = command(memory.content)
        said = order.argument if order and order.kind is CommandKind.REMEMBER else memory.content
        return restated(tx, memory.team, memory.workspace, said) is not None
