"""Changing a memory: what it was before is kept, what search knows of it is made anew."""

from __future__ import annotations

from dataclasses import replace

from memoranda.errors import InvalidInput, NotFound
from memoranda.ids import IdSource
from memoranda.learn.memories import MAX_CONTENT, MAX_TAGS, TITLE, kind_of, text_entry, title_of
from memoranda.ports import Sanitiser, TokenCounter
from memoranda.store.database import Transaction
from memoranda.store.tables import entries, jobs, journal, memories, memory_versions
from memoranda.text import clip, normalise, one_line
from memoranda.values.job import Job, JobKind, JobState
from memoranda.values.memory import Memory, MemoryStatus
from memoranda.values.proposal import MemoryEdit, MemoryState, MemoryVersion
from memoranda.values.scope import Scope

BY_HAND = "set by hand"
REASON = 500
"""Characters."""


class MemoryChanges:
    """Writes memories in another state, within the transaction of whoever asks."""

    def __init__(self, counter: TokenCounter, sanitiser: Sanitiser, ids: IdSource) -> None:
        self._counter = counter
        self._sanitiser = sanitiser
        self._ids = ids

    def cleaned(self, edit: MemoryEdit) -> MemoryEdit:
        """Return an edit without secrets.

        Raises:
            InvalidInput: nothing is to change, or a text is empty or too long.
        """
        if edit == MemoryEdit():
            raise InvalidInput("nothing to change: give a title, a content, a category or tags")
        title, content, tags = edit.title, edit.content, edit.tags
        if content is not None:
            content = self.clean(content)
            if not content:
                raise InvalidInput("a memory needs some text; `memoranda memory archive` drops it")
            if len(content) > MAX_CONTENT:
                raise InvalidInput(f"a memory has at most {MAX_CONTENT:,} characters")
        if title is not None:
            title = clip(one_line(self.clean(title)), TITLE)
            if not title:
                raise InvalidInput("a memory needs a title")
        if tags is not None:
            tags = tuple(dict.fromkeys(self._sanitiser.clean(one_line(tag)) for tag in tags))
            if len(tags) > MAX_TAGS:
                raise InvalidInput(f"a memory has at most {MAX_TAGS} tags")
        return replace(edit, title=title, content=content, tags=tags)

    def clean(self, text: str) -> str:
        """Return a text as it may be stored."""
        return self._sanitiser.clean(normalise(text)).strip()

    def told(self, text: str) -> str:
        """Return a reason as it may be stored: one line of at most 500 characters."""
        return clip(one_line(self.clean(text)), REASON) if text.strip() else ""

    def change(
        self, tx: Transaction, memory: Memory, state: MemoryState, actor: str, reason: str, now: int
    ) -> Memory:
        """Write a memory in another state, what it was before beside it; equal changes nothing."""
        before = MemoryState.of(memory)
        if state == before:
            return memory
        number = memory_versions.newest(tx, memory.team, memory.id) + 1
        version = MemoryVersion(memory.team, memory.id, number, before, actor, reason, now)
        memory_versions.put(tx, version)
        after = self._after(memory, state, now)
        memories.update(tx, after, text_entry(after))
        entries.delete(tx, memory.team, [memory.id])
        self._enqueue(tx, after, now)
        detail = {"version": number, "status": state.status.value}
        note = journal.Note(now, actor, "memory change", memory.id, detail)
        journal.append(tx, memory.team, note)
        return after

    def _after(self, memory: Memory, state: MemoryState, now: int) -> Memory:
        reason = memory.critical_reason or BY_HAND if state.critical else None
        return replace(
            memory,
            title=state.title,
            content=state.content,
            category=state.category,
            kind=kind_of(state.category),
            tags=state.tags,
            workspace=state.workspace,
            visibility=state.visibility,
            critical=state.critical,
            critical_reason=reason,
            protected=state.protected,
            status=state.status,
            tokens=self._counter.count(state.content),
            updated_at=max(now, memory.updated_at + 1),
        )

    def _enqueue(self, tx: Transaction, memory: Memory, now: int) -> None:
        team = memory.team
        job = Job(team, self._ids.new(), JobKind.INDEX_MEMORIES, "", JobState.PENDING, 0, now, None)
        jobs.enqueue(tx, job, now)


def edited(state: MemoryState, edit: MemoryEdit) -> MemoryState:
    """Return a state with what is wanted in it; a title that was the first line follows it."""
    after = edit.applied(state)
    if edit.content is None or edit.title is not None or state.title != title_of(state.content):
        return after
    return replace(after, title=title_of(edit.content))


def current(tx: Transaction, team: str, id: str, agent: str | None) -> Memory:
    """Return a memory that an agent, or without one a person, sees.

    Raises:
        NotFound: there is none.
    """
    found = memories.by_ids(tx, team, [id], agent)
    if not found:
        raise NotFound(f"no memory {id!r} in this scope; `memoranda memory list` shows them")
    return found[id]


def archived(state: MemoryState) -> MemoryState:
    """Return a state out of use. It can be brought back.

    Raises:
        InvalidInput: the memory is protected.
    """
    if state.protected:
        raise InvalidInput("the memory is protected; `memoranda memory edit --unprotected` first")
    return replace(state, status=MemoryStatus.ARCHIVED)


def actor(scope: Scope) -> str:
    """Return whom the journal names."""
    return scope.agent or "human"
