"""Memory service: stores, lists and explains a team's memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memoranda.clock import Clock
from memoranda.exceptions import InvalidInput, NotFound, empty_text
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.memories import table as memories
from memoranda.memories.model import (
    Category,
    Evidence,
    Memory,
    MemoryKind,
    MemoryStatus,
    Visibility,
    content_with,
)
from memoranda.memories.statement_assessment import (
    NewMemory as NewMemory,
    confidence_of,
    find_repetition,
    parts_stated,
    with_criticality,
)
from memoranda.memories.statement_metadata import (
    Relations,
    attach,
    check_validity,
    cleaned,
    enqueue_change_jobs,
    enqueue_validity_jobs,
)
from memoranda.memories.table import NEWEST, MemoryFilter
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, Origin
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.profile.limit import admit, require_room
from memoranda.scope import Scope
from memoranda.store.database import Database, TextEntry, Transaction
from memoranda.text import clip, is_blank, normalise, one_line
from memoranda.trust import least_trusted, trust_of
from memoranda.workspaces.recognition import with_workspace

if TYPE_CHECKING:
    from memoranda.ports import Sanitiser, TokenCounter

MAX_CONTENT = 20_000
"""Maximum length of a memory in characters.

Longer texts should be stored as observations.
"""
MAX_TAGS = 10
TITLE = 120

PROCEDURAL = frozenset({Category.LEARNED_RULE, Category.PATTERN, Category.ANTI_PATTERN})


class Memories:
    """Memories of a team, accessed by scope."""

    def __init__(
        self,
        database: Database,
        counter: TokenCounter,
        sanitiser: Sanitiser,
        clock: Clock,
        ids: IdSource,
        propose: Callable[[Transaction, Memory, Scope], object],
        constraints: Callable[[str], Sequence[str]],
    ) -> None:
        """Create the service.

        ``propose`` requests a person's decision on a pending memory; ``constraints`` returns the
        sentences of a text that state a requirement.
        """
        self._database = database
        self._counter = counter
        self._sanitiser = sanitiser
        self._clock = clock
        self._ids = ids
        self._propose = propose
        self._constraints = constraints

    def remember(self, statement: NewMemory, scope: Scope, origin: Origin, actor: str) -> Memory:
        """Store a memory and return it.

        If the same scope contains an equal memory, ignoring case, spacing and closing punctuation,
        the existing memory is reinforced and returned.

        Secrets are removed before anything is stored. A person's statement is approved at once; an
        agent's statement is pending, with at most the trust level of its evidence.

        Raises:
            InvalidInput: the content is empty or too long, there are too many tags, references or
                links, evidence or a link is not in scope, or the validity ends before it begins.
            ProfileFull: the memory would be part of the profile, which has no space for it.
        """
        new = self.made(statement, scope, origin)
        relations = cleaned(self._sanitiser, statement.references, statement.links)

        def work(tx: Transaction) -> Memory:
            there = with_workspace(tx, scope, new.created_at)
            placed = replace(new, workspace=there.workspace) if new.workspace else new
            return self._store(tx, placed, (statement, relations), there, actor)

        return self._database.write(work)

    def add(
        self,
        tx: Transaction,
        statement: NewMemory,
        scope: Scope,
        origin: Origin,
        actor: str,
        at: int | None = None,
    ) -> Memory:
        """Store a memory in a transaction; ``at`` is the time of the statement."""
        new = self.made(statement, scope, origin)
        if at is not None:
            new = replace(new, created_at=min(at, new.created_at))
        relations = cleaned(self._sanitiser, statement.references, statement.links)
        return self._store(tx, new, (statement, relations), scope, actor)

    def _store(
        self,
        tx: Transaction,
        new: Memory,
        stated: tuple[NewMemory, Relations],
        scope: Scope,
        actor: str,
    ) -> Memory:
        (statement, relations), now = stated, new.updated_at
        found = observations.by_ids(tx, scope.team, statement.evidence)
        missing = [id for id in statement.evidence if id not in found]
        if missing:
            raise InvalidInput(f"unknown observation in the evidence: {', '.join(missing)}")
        if existing := find_repetition(tx, new, scope):
            return self._again(tx, existing, statement.evidence, relations, scope, now)
        new = derived(new, found.values())
        memory = with_criticality(new, statement.critical, self._constraints, found.values())
        # checked before any write, so that a caller can continue after the error
        require_room(tx, memory)
        memories.insert(tx, memory, text_entry(memory), statement.evidence)
        admit(tx, None, memory, self._ids)
        attach(tx, memory, relations, scope, actor, now)
        self._journal(tx, memory, actor, now)
        enqueue_change_jobs(tx, memory.team, self._ids, now)
        enqueue_validity_jobs(tx, memory, self._ids, now)
        if memory.status is MemoryStatus.PENDING:
            self._propose(tx, memory, scope)
            return memories.by_ids(tx, scope.team, [memory.id], scope.agent)[memory.id]
        return memory

    def _again(
        self,
        tx: Transaction,
        existing: Memory,
        evidence: Sequence[str],
        relations: Relations,
        scope: Scope,
        now: int,
    ) -> Memory:
        """Update an existing memory whose text is stated again.

        An approved memory is reinforced. Evidence and relations are added if the memory is pending
        or the caller is a person.
        """
        speaker = scope.actor
        if scope.agent is None or existing.status is MemoryStatus.PENDING:
            attach(tx, existing, relations, scope, speaker, now)
            memories.add_evidence(tx, existing.team, existing.id, evidence)
        if existing.status is MemoryStatus.APPROVED:
            memories.reinforce(tx, existing.team, existing.id, now)
            note = journal.NewJournalEntry(now, speaker, "reinforce", existing.id, {})
            journal.append(tx, existing.team, note)
        return memories.by_ids(tx, existing.team, [existing.id], scope.agent)[existing.id]

    def list(
        self, team: str, where: MemoryFilter, *, cursor: str | None = None, limit: int = 50
    ) -> Page[Memory]:
        """Return the memories that match a filter, newest first."""
        checked_limit(limit)
        before = place_of(cursor, first=NEWEST)
        found = self._database.read(
            lambda tx: memories.listed(tx, team, where, before=before, limit=limit + 1)
        )
        return page_of(found, limit, lambda memory: memory.id)

    def why(self, scope: Scope, id: str) -> Evidence:
        """Return a memory with the observations from which it was derived.

        Raises:
            NotFound: no memory in the scope has this id or prefix.
        """

        from memoranda.id_prefix import full_id

        def work(tx: Transaction) -> Evidence:
            beginning = partial(memories.by_prefix, agent=scope.agent)
            whole = full_id(tx, scope.team, id, beginning, "memory")
            found = memories.by_ids(tx, scope.team, [whole], scope.agent) if whole else {}
            if not found:
                raise NotFound(f"no memory {id!r} in this scope")
            (memory,) = found.values()
            rests_on = memories.evidence(tx, scope.team, memory.id)
            return Evidence(memory, rests_on, trust_of(memory))

        return self._database.read(work)

    def made(self, statement: NewMemory, scope: Scope, origin: Origin) -> Memory:
        """Return a new memory without storing it.

        A memory stated by a person is approved, any other is pending.

        Raises the same errors as `remember`.
        """
        content = self._sanitiser.clean(normalise(statement.content)).strip()
        if is_blank(statement.content) or is_blank(content):
            raise empty_text("a memory")
        content = content_with(content, parts_stated(statement, self._sanitiser.clean))
        if len(content) > MAX_CONTENT:
            raise InvalidInput(f"a memory may have at most {MAX_CONTENT:,} characters")
        tags = tuple(dict.fromkeys(self._sanitiser.clean(one_line(t)) for t in statement.tags))
        if len(tags) > MAX_TAGS:
            raise InvalidInput(f"a memory may have at most {MAX_TAGS} tags")
        check_validity(statement.valid_from, statement.valid_until)
        title = self._sanitiser.clean(statement.title or "")
        default = Visibility.WORKSPACE if scope.workspace else Visibility.TEAM
        shown_to = statement.visibility or default
        private = shown_to is Visibility.AGENT
        if private and scope.agent is None:
            raise InvalidInput(
                "only an agent has private memories; use the agent's key or set MEMORANDA_AGENT_ID"
            )
        if shown_to is Visibility.WORKSPACE and scope.workspace is None:
            raise InvalidInput(
                "a memory with visibility workspace needs a workspace: set workspace, or set"
                " visibility to team"
            )
        now = self._clock.now()
        return Memory(
            team=scope.team,
            id=self._ids.new(),
            workspace=None if shown_to is Visibility.TEAM else scope.workspace,
            agent=scope.agent if private else None,
            visibility=shown_to,
            title=clip(one_line(title), TITLE) or title_of(content),
            content=content,
            kind=kind_of(statement.category),
            category=statement.category,
            tags=tags,
            origin=origin,
            confidence=confidence_of(statement, origin),
            critical=False,
            critical_reason=None,
            protected=statement.protected,
            status=MemoryStatus.APPROVED if origin is Origin.HUMAN else MemoryStatus.PENDING,
            tokens=self._counter.count(content),
            created_at=now,
            updated_at=now,
            source=statement.source,
            valid_from=statement.valid_from,
            valid_until=statement.valid_until,
        )

    def _journal(self, tx: Transaction, memory: Memory, actor: str, now: int) -> None:
        detail = {"category": memory.category.value, "critical": memory.critical}
        note = journal.NewJournalEntry(now, actor, "remember", memory.id, detail)
        journal.append(tx, memory.team, note)


def derived(memory: Memory, evidence: Iterable[Observation]) -> Memory:
    """Return a memory with the trust level of its least trusted evidence.

    A person's statement keeps the person's trust level, whatever the evidence.
    """
    if memory.origin is Origin.HUMAN:
        return memory
    origins = (memory.origin, *(observation.origin for observation in evidence))
    return replace(memory, origin=least_trusted(origins))


def title_of(content: str) -> str:
    """Return the default title of a memory."""
    return clip(one_line(content.split("\n")[0]), TITLE)


def kind_of(category: Category) -> MemoryKind:
    """Return the kind of memory that a category belongs to."""
    return MemoryKind.PROCEDURAL if category in PROCEDURAL else MemoryKind.SEMANTIC


def text_entry(memory: Memory) -> TextEntry:
    """Return the full-text entry of a memory."""
    text = f"{memory.title}\n{memory.content}\n{' '.join(memory.tags)}"
    return TextEntry(memory.team, memory.id, memory.workspace, None, text, text.split())
