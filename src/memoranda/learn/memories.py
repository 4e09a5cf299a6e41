"""Remembering, listing and explaining memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoranda.clock import Clock
from memoranda.errors import InvalidInput, NotFound
from memoranda.ids import IdSource
from memoranda.ports import Sanitiser, TokenCounter
from memoranda.store.database import Database, TextEntry, Transaction
from memoranda.store.tables import jobs, journal, memories, observations
from memoranda.store.tables.memories import NEWEST, MemoryFilter
from memoranda.text import clip, normalise, one_line
from memoranda.values.job import Job, JobKind, JobState
from memoranda.values.memory import (
    Category,
    Evidence,
    Memory,
    MemoryKind,
    MemoryStatus,
    Visibility,
)
from memoranda.values.observation import Origin
from memoranda.values.page import Page, checked_limit
from memoranda.values.scope import Scope

MAX_CONTENT = 20_000
"""Characters a memory may have; longer texts belong into observations."""
MAX_TAGS = 10
TITLE = 120

PROCEDURAL = frozenset({Category.LEARNED_RULE, Category.PATTERN, Category.ANTI_PATTERN})


@dataclass(frozen=True, slots=True)
class Statement:
    """What somebody wants remembered."""

    content: str
    title: str | None = None
    category: Category = Category.DOMAIN_KNOWLEDGE
    tags: Sequence[str] = ()
    critical: bool = False
    protected: bool = False
    visibility: Visibility = Visibility.WORKSPACE
    evidence: Sequence[str] = ()
    """Observations it rests on."""


class MemoryBook:
    """The memories of a team, within scopes."""

    def __init__(
        self,
        database: Database,
        counter: TokenCounter,
        sanitiser: Sanitiser,
        clock: Clock,
        ids: IdSource,
        propose: Callable[[Transaction, Memory, Scope], object],
    ) -> None:
        """Make the book; ``propose`` has a memory that waits shown to a person."""
        self._database = database
        self._counter = counter
        self._sanitiser = sanitiser
        self._clock = clock
        self._ids = ids
        self._propose = propose

    def remember(self, statement: Statement, scope: Scope, origin: Origin, actor: str) -> Memory:
        """Keep a memory; saying the same again in the same place returns the one that is there.

        Secrets are taken out before anything is stored. A person's statement is approved at
        once, an agent's waits as pending.

        Raises:
            InvalidInput: the content is empty or too long, there are too many tags, or evidence
                names an observation that is not in scope.
        """
        memory = self._memory(statement, scope, origin)

        def work(tx: Transaction) -> Memory:
            known = memories.same_content(tx, memory)
            if known:
                return memories.by_ids(tx, scope.team, [known], scope.agent)[known]
            found = observations.by_ids(tx, scope.team, statement.evidence)
            missing = [id for id in statement.evidence if id not in found]
            if missing:
                raise InvalidInput(f"no such observation to rest on: {', '.join(missing)}")
            memories.insert(tx, memory, text_entry(memory), statement.evidence)
            self._journal(tx, memory, actor)
            self._have_indexed(tx, memory)
            if memory.status is MemoryStatus.PENDING:
                self._propose(tx, memory, scope)
            return memory

        return self._database.write(work)

    def list(
        self,
        scope: Scope,
        *,
        status: MemoryStatus | None = None,
        category: Category | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Memory]:
        """Return memories that the scope sees, newest first."""
        checked_limit(limit)
        where = MemoryFilter(scope.workspace, scope.agent, status, category)
        found = self._database.read(
            lambda tx: memories.listed(
                tx, scope.team, where, before=cursor or NEWEST, limit=limit + 1
            )
        )
        items = tuple(found[:limit])
        return Page(items, items[-1].id if len(found) > limit else None)

    def why(self, scope: Scope, id: str) -> Evidence:
        """Return a memory with the observations it came from.

        Raises:
            NotFound: the scope sees no memory with this id, or one that begins so.
        """

        def work(tx: Transaction) -> Evidence:
            ids = [id] if len(id) == 36 else memories.by_prefix(tx, scope.team, id)
            if len(ids) > 1:
                raise InvalidInput(f"more than one memory begins with {id!r}; give more of the id")
            found = memories.by_ids(tx, scope.team, ids, scope.agent)
            if not found:
                raise NotFound(f"no memory {id!r} in this scope")
            memory = found[ids[0]]
            return Evidence(memory, memories.evidence(tx, scope.team, memory.id))

        return self._database.read(work)

    def _memory(self, statement: Statement, scope: Scope, origin: Origin) -> Memory:
        content = self._sanitiser.clean(normalise(statement.content)).strip()
        if not content:
            raise InvalidInput("a memory needs some text")
        if len(content) > MAX_CONTENT:
            raise InvalidInput(f"a memory has at most {MAX_CONTENT:,} characters")
        tags = tuple(dict.fromkeys(self._sanitiser.clean(one_line(t)) for t in statement.tags))
        if len(tags) > MAX_TAGS:
            raise InvalidInput(f"a memory has at most {MAX_TAGS} tags")
        title = self._sanitiser.clean(statement.title or "")
        private = statement.visibility is Visibility.AGENT
        if private and scope.agent is None:
            raise InvalidInput("a private memory needs an agent in its scope")
        now = self._clock.now()
        return Memory(
            team=scope.team,
            id=self._ids.new(),
            workspace=None if statement.visibility is Visibility.TEAM else scope.workspace,
            agent=scope.agent if private else None,
            visibility=statement.visibility,
            title=clip(one_line(title), TITLE) or title_of(content),
            content=content,
            kind=kind_of(statement.category),
            category=statement.category,
            tags=tags,
            origin=origin,
            confidence=1.0 if origin is Origin.HUMAN else 0.6,
            critical=statement.critical,
            critical_reason="set by hand" if statement.critical else None,
            protected=statement.protected,
            status=MemoryStatus.APPROVED if origin is Origin.HUMAN else MemoryStatus.PENDING,
            tokens=self._counter.count(content),
            created_at=now,
            updated_at=now,
        )

    def _have_indexed(self, tx: Transaction, memory: Memory) -> None:
        kind, now = JobKind.INDEX_MEMORIES, memory.created_at
        job = Job(memory.team, self._ids.new(), kind, "", JobState.PENDING, 0, now, None)
        jobs.enqueue(tx, job, now)

    def _journal(self, tx: Transaction, memory: Memory, actor: str) -> None:
        detail = {"category": memory.category.value, "critical": memory.critical}
        note = journal.Note(memory.created_at, actor, "remember", memory.id, detail)
        journal.append(tx, memory.team, note)


def title_of(content: str) -> str:
    """Return the title of a memory that was given none."""
    return clip(one_line(content.split("\n")[0]), TITLE)


def kind_of(category: Category) -> MemoryKind:
    """Return the kind of memory that a category is of."""
    return MemoryKind.PROCEDURAL if category in PROCEDURAL else MemoryKind.SEMANTIC


def text_entry(memory: Memory) -> TextEntry:
    """Give what full text learns of a memory."""
    text = f"{memory.title}\n{memory.content}\n{' '.join(memory.tags)}"
    return TextEntry(memory.team, memory.id, memory.workspace, None, text, text.split())
