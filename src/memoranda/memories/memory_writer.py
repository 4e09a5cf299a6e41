"""Changes to a memory; each stores a version and updates the index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.json_data import JsonValue
from memoranda.language.prose import without_list_mark
from memoranda.memories import (
    extraction_table as memory_encodings,
    link_table as memory_links,
    table as memories,
    version_table as memory_versions,
)
from memoranda.memories.link_model import LinkKind, MemoryLink
from memoranda.memories.memory_service import (
    MAX_CONTENT,
    MAX_TAGS,
    TITLE,
    kind_of,
    text_entry,
    title_of,
)
from memoranda.memories.model import Memory, MemoryKind, MemoryStatus
from memoranda.memories.statement_assessment import critical_reason
from memoranda.memories.statement_metadata import (
    check_validity,
    enqueue_change_jobs,
    enqueue_validity_jobs,
)
from memoranda.memories.supersession_rules import AUTOMATIC, refuse_circle
from memoranda.observations.model import Origin
from memoranda.profile.limit import admit, require_room
from memoranda.proposals.model import MemoryEdit, MemoryState, MemoryVersion
from memoranda.search import table as entries
from memoranda.store.database import Transaction
from memoranda.text import clip, is_blank, normalise, one_line

if TYPE_CHECKING:
    from memoranda.ports import Sanitiser, TokenCounter

BY_HAND = "set by hand"
CLEARED = "cleared by hand"
REASON = 500
"""Maximum length of a reason in characters."""

_ACTS = {
    (MemoryStatus.PENDING, MemoryStatus.APPROVED): "approve",
    (MemoryStatus.PENDING, MemoryStatus.REJECTED): "reject",
    (MemoryStatus.APPROVED, MemoryStatus.ARCHIVED): "archive",
    (MemoryStatus.PENDING, MemoryStatus.ARCHIVED): "archive",
    (MemoryStatus.ARCHIVED, MemoryStatus.APPROVED): "restore",
    (MemoryStatus.REJECTED, MemoryStatus.APPROVED): "restore",
}
"""Journal actions by previous and new status."""


UNSETTABLE = ("valid_from", "valid_until")
"""Fields whose value an edit may clear."""


class MemoryChanges:
    """Writes new states of memories, within the caller's transaction."""

    def __init__(
        self,
        counter: TokenCounter,
        sanitiser: Sanitiser,
        ids: IdSource,
        constraints: Callable[[str], Sequence[str]],
    ) -> None:
        """``constraints`` lists the sentences of a text that state a requirement."""
        self._constraints = constraints
        self._counter = counter
        self._sanitiser = sanitiser
        self._ids = ids

    def cleaned(self, edit: MemoryEdit) -> MemoryEdit:
        """Return an edit without secrets.

        Raises:
            InvalidInput: nothing would change, a text is empty or too long, or the validity would
                end before it begins.
        """
        check_validity(edit.valid_from, edit.valid_until)
        for name in edit.unset:
            if name not in UNSETTABLE or getattr(edit, name) is not None:
                raise InvalidInput(
                    f"unset: only {' and '.join(UNSETTABLE)} can be unset, and only if the same "
                    f"edit does not set them; got {name!r:.40}"
                )
        if edit.confidence is not None:
            raise InvalidInput("a confidence can only be set by an edit of one existing memory")
        if edit == MemoryEdit():
            raise InvalidInput("nothing to change: set title, content, category or tags")
        title, content, tags = edit.title, edit.content, edit.tags
        if content is not None:
            blank, content = is_blank(content), self.clean(content)
            if blank or is_blank(content):
                raise InvalidInput(
                    "a memory must contain text; to remove the memory, run `memoranda memory"
                    " archive`"
                )
            if len(content) > MAX_CONTENT:
                raise InvalidInput(f"a memory may have at most {MAX_CONTENT:,} characters")
        if title is not None:
            title = clip(one_line(self.clean(title)), TITLE)
            if not title:
                raise InvalidInput("a memory needs a title")
        if tags is not None:
            tags = tuple(dict.fromkeys(self._sanitiser.clean(one_line(tag)) for tag in tags))
            if len(tags) > MAX_TAGS:
                raise InvalidInput(f"a memory may have at most {MAX_TAGS} tags")
        return replace(edit, title=title, content=content, tags=tags)

    def clean(self, text: str) -> str:
        """Return a text in the form in which it is stored."""
        return self._sanitiser.clean(normalise(text)).strip()

    def clean_note(self, text: str) -> str:
        """Return a reason as stored: one line of at most 500 characters."""
        return clip(one_line(self.clean(text)), REASON) if text.strip() else ""

    def change(
        self,
        tx: Transaction,
        memory: Memory,
        state: MemoryState,
        actor: str,
        reason: str,
        now: int,
        act: str = "",
    ) -> Memory:
        """Write a memory in a new state; keep its previous state as a version.

        An equal state changes nothing. ``act`` is the action recorded in the journal, by default
        the action that the difference implies.

        Raises:
            InvalidInput: the memory would never be valid or would supersede itself in a cycle.
            ProfileFull: the profile has no space for the memory; nothing was written, so the caller
                may continue the transaction.
        """
        require_room(tx, self._after(memory, state, actor, now), memory)
        after = self.write(tx, memory, state, actor, reason, now, act)
        if after is not memory:
            admit(tx, memory, after, self._ids)
        return after

    def set_confidence(
        self, tx: Transaction, memory: Memory, confidence: float, actor: str, now: int
    ) -> Memory:
        """Set a memory's confidence without storing a version."""
        memories.set_confidence(tx, memory.team, memory.id, confidence)
        detail: dict[str, JsonValue] = {"before": memory.confidence, "after": confidence}
        note = journal.NewJournalEntry(now, actor, "confidence", memory.id, detail)
        journal.append(tx, memory.team, note)
        enqueue_change_jobs(tx, memory.team, self._ids, now)
        return replace(memory, confidence=confidence)

    def write(
        self,
        tx: Transaction,
        memory: Memory,
        state: MemoryState,
        actor: str,
        reason: str,
        now: int,
        act: str = "",
    ) -> Memory:
        """Change a memory like `change`, without checking the profile's limit.

        The caller checks the limit.
        """
        before = MemoryState.of(memory)
        if state == before:
            return memory
        check_validity(state.valid_from, state.valid_until)
        replaced = state.superseded_by if state.superseded_by != before.superseded_by else None
        if replaced:
            refuse_circle(tx, memory, replaced)
        number = memory_versions.newest(tx, memory.team, memory.id) + 1
        version = MemoryVersion(memory.team, memory.id, number, before, actor, reason, now)
        memory_versions.put(tx, version)
        after = replace(
            self._after(memory, state, actor, now),
            critical_reason=self._critical_reason(memory, state, actor, reason),
        )
        memories.update(tx, after, text_entry(after))
        entries.delete(tx, memory.team, [memory.id])
        if (state.content, state.status) != (before.content, before.status):
            memory_encodings.delete(tx, memory.team, memory.id)
            memory_links.drop_derived(tx, memory.team, memory.id, AUTOMATIC)
        self._enqueue(tx, after, now)
        if replaced:
            self._succeed(tx, after, replaced, actor, now)
        detail: dict[str, JsonValue] = {
            "act": act or _act(before, state),
            "version": number,
            "status": state.status.value,
        }
        note = journal.NewJournalEntry(now, actor, "memory change", memory.id, detail)
        journal.append(tx, memory.team, note)
        return after

    def requires(self, text: str) -> str | None:
        """Return why a text is critical; None if it is not."""
        return critical_reason(text, constraints=self._constraints)

    def recast(self, memory: Memory, state: MemoryState) -> MemoryState:
        """Return a state, marked as critical if its new text requires it.

        A mark that was set or removed by a person is kept.
        """
        by_hand = memory.critical_reason in (BY_HAND, CLEARED) or state.critical != memory.critical
        if by_hand or state.content == memory.content:
            return state
        return replace(state, critical=self.requires(state.content) is not None)

    def _critical_reason(
        self, memory: Memory, state: MemoryState, actor: str, reason: str
    ) -> str | None:
        """Return why a memory becomes critical, or who decided against it."""
        if state.critical == memory.critical:
            return memory.critical_reason
        if actor == AUTOMATIC:
            return reason if state.critical else None
        is_stated_again = memory.status is MemoryStatus.PENDING or state.content != memory.content
        requirement = self.requires(state.content) if is_stated_again else None
        if state.critical:
            return requirement or BY_HAND
        return None if state.content != memory.content and requirement is None else CLEARED

    def _succeed(self, tx: Transaction, older: Memory, by: str, actor: str, now: int) -> None:
        """Record a memory's successor, and the end of validity if unknown."""
        team = older.team
        memory_links.put(tx, MemoryLink(team, by, LinkKind.SUPERSEDES, older.id, "", actor, now))
        newer = memories.of_any_agent(tx, team, [by]).get(by)
        began = older.valid_until
        if newer is None or newer.valid_from is not None or began is None:
            return
        if newer.valid_until is None or began < newer.valid_until:
            state = replace(MemoryState.of(newer), valid_from=began)
            self.change(tx, newer, state, actor, f"holds in place of {older.id}", now)

    def _after(self, memory: Memory, state: MemoryState, actor: str, now: int) -> Memory:
        is_reworded = (state.status, state.content) != (memory.status, memory.content)
        record = memory.kind is MemoryKind.EPISODIC
        is_standing = state.status is MemoryStatus.APPROVED and memory.origin is not Origin.HUMAN
        return replace(
            memory,
            title=state.title,
            content=state.content,
            category=state.category,
            kind=memory.kind if record else kind_of(state.category),
            tags=state.tags,
            workspace=state.workspace,
            visibility=state.visibility,
            critical=state.critical,
            protected=state.protected,
            status=state.status,
            approved_by=actor if is_standing and is_reworded and not record else memory.approved_by,
            valid_from=state.valid_from,
            valid_until=state.valid_until,
            superseded_by=state.superseded_by,
            tokens=self._counter.count(state.content),
            updated_at=max(now, memory.updated_at + 1),
        )

    def _enqueue(self, tx: Transaction, memory: Memory, now: int) -> None:
        enqueue_change_jobs(tx, memory.team, self._ids, now)
        enqueue_validity_jobs(tx, memory, self._ids, now)


def edited(state: MemoryState, edit: MemoryEdit) -> MemoryState:
    """Return a memory state with an edit applied.

    A title that was derived from the first line is updated.
    """
    after = edit.applied(state)
    if edit.content is None or edit.title is not None:
        return after
    for derived in (title_of, _title_of_item):
        if state.title == derived(state.content):
            return replace(after, title=derived(edit.content))
    return after


def _title_of_item(content: str) -> str:
    """Return the first line without its bullet: a learned rule's title."""
    return title_of(without_list_mark(content))


def current(tx: Transaction, team: str, id: str, agent: str | None) -> Memory:
    """Return a memory visible to the agent, or to a person if agent is None.

    Raises:
        NotFound: there is no such memory.
    """
    found = memories.by_ids(tx, team, [id], agent)
    if not found:
        raise NotFound(
            f"no memory {id!r} in this scope; to list the memories, run `memoranda memory list`"
        )
    return found[id]


def archived(state: MemoryState) -> MemoryState:
    """Return an archived state, which can be restored.

    Raises:
        InvalidInput: the memory is protected.
    """
    if state.protected:
        raise InvalidInput(
            "the memory is protected; run `memoranda memory edit --unprotected` first"
        )
    return replace(state, status=MemoryStatus.ARCHIVED)


def _act(before: MemoryState, after: MemoryState) -> str:
    """Return the journal action for a change."""
    if after.status is not before.status:
        return _ACTS.get((before.status, after.status), f"became {after.status.value}")
    if after.workspace != before.workspace:
        return "promote" if after.workspace is None else "demote"
    if after.superseded_by != before.superseded_by:
        return "supersede" if after.superseded_by else "restore"
    return "edit"
