"""A person's decisions on a memory or proposal, and how to undo them.

Each step applies only to the state that the person was shown. If a decision takes several
operations, their order ensures that after an interruption no memory is in use that the person has
neither written nor read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoranda.exceptions import Conflict, InvalidInput, Stale
from memoranda.memories.model import Memory
from memoranda.proposals.model import MemoryEdit, MemoryState, Proposal, ProposalKind

if TYPE_CHECKING:
    from memoranda.memory import Memoranda

EDITABLE = (ProposalKind.ADD, ProposalKind.UPDATE)


@dataclass(frozen=True)
class MemoryDecision:
    """A completed action, and how to undo it."""

    message: str
    memory: str
    version: int | None = None
    """Newest version after the action; None if it cannot be undone."""
    back: int | None = None
    """The version to restore; None if undoing archives the memory."""


def approve(memory: Memoranda, shown: Proposal) -> MemoryDecision:
    """Approve a proposed change as it was shown.

    Raises:
        Conflict: it has changed since it was shown, or was decided before.
    """
    decided = memory.proposals.approve(shown.id, shown.hash)
    newest = _newest(memory, decided.memory)
    back = None if decided.kind is ProposalKind.ADD else newest
    return MemoryDecision(f"approved: {decided.after.title}", decided.memory, newest, back)


def reject(memory: Memoranda, shown: Proposal, reason: str) -> MemoryDecision:
    """Reject a proposal; the memory stays unchanged.

    Nothing restores a rejected proposal.
    """
    decided = memory.proposals.reject(shown.id, note=reason)
    return MemoryDecision(f"rejected: {decided.after.title}", decided.memory)


def approve_edited(memory: Memoranda, shown: Proposal, title: str, content: str) -> MemoryDecision:
    """Approve the person's text instead of the proposed one.

    Raises:
        InvalidInput: the proposal does not change the text.
        Stale: it has changed since it was shown.
    """
    if shown.kind not in EDITABLE:
        raise InvalidInput(f"to {shown.kind} has no text to edit; approve (a) or reject (r) it")
    now = memory.memories.evidence(shown.memory).memory
    is_same = now is not None and MemoryState.of(now) == shown.before
    if memory.proposals.show(shown.id).hash != shown.hash or not is_same:
        raise Stale("the proposal or its memory has changed since it was shown; review it again")
    if (title, content) == (shown.after.title, shown.after.content):
        return approve(memory, shown)
    after = shown.after
    edit = MemoryEdit(
        _changed(title, shown.before.title),
        content,
        after.category,
        after.tags,
        after.critical,
        after.protected,
        after.valid_from,
        after.valid_until,
    )
    before = _newest(memory, shown.memory)
    memory.memories.edit(shown.memory, edit, reason=f"replaces proposal {shown.id}")
    memory.proposals.reject(shown.id, note="reworded")
    if shown.kind is ProposalKind.ADD:  # restoring a pending memory approves it
        edited = _newest(memory, shown.memory)
        memory.memories.restore(shown.memory, edited or 1, reason="approved with this text")
    newest = _newest(memory, shown.memory)
    back = None if shown.kind is ProposalKind.ADD else (before or 0) + 1
    return MemoryDecision(f"approved with your text: {title}", shown.memory, newest, back)


def edit(memory: Memoranda, shown: Memory, title: str, content: str) -> MemoryDecision:
    """Change the text of a memory.

    Raises:
        Stale: its text has changed since it was shown.
    """
    _refuse_stale(memory, shown)
    memory_edit = MemoryEdit(_changed(title, shown.title), _changed(content, shown.content))
    changed = memory.memories.edit(shown.id, memory_edit)
    if changed.proposal:
        return MemoryDecision("proposed; pending approval", shown.id)
    newest = _newest(memory, shown.id)
    return MemoryDecision(f"changed: {changed.memory.title}", shown.id, newest, newest)


def archive(memory: Memoranda, shown: Memory) -> MemoryDecision:
    """Archive a memory.

    Raises:
        Stale: its text has changed since it was shown.
        InvalidInput: it is protected.
    """
    _refuse_stale(memory, shown)
    changed = memory.memories.archive(shown.id)
    if changed.proposal:
        return MemoryDecision("proposed; pending approval", shown.id)
    newest = _newest(memory, shown.id)
    return MemoryDecision(f"archived: {shown.title}", shown.id, newest, newest)


def undo(memory: Memoranda, done: MemoryDecision) -> MemoryDecision:
    """Undo an action if the memory has not changed since.

    Raises:
        Conflict: the memory has changed since.
    """
    if _newest(memory, done.memory) != done.version:
        raise Conflict(
            f"the memory has changed since; see `memoranda memory history {done.memory}`"
        )
    if done.back is None:
        memory.memories.archive(done.memory, reason="undone")
        return replace(done, message="undone; the memory is archived", version=None)
    memory.memories.restore(done.memory, done.back, reason="undone")
    return replace(done, message="undone; the memory is restored", version=None)


def _refuse_stale(memory: Memoranda, shown: Memory) -> None:
    now = memory.memories.evidence(shown.id).memory
    if now is None or now.updated_at != shown.updated_at:
        raise Stale("the memory has changed since it was shown; review it again")


def _newest(memory: Memoranda, id: str) -> int | None:
    """Return the number of the newest stored version of a memory, or None."""
    page = memory.memories.history(id, limit=1)
    return page.items[0].version if page.items else None


def _changed(text: str, before: str) -> str | None:
    return None if text == before else text
