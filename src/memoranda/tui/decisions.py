"""A person's decisions on a memory or proposal, and how to undo them.

Each step applies only to the state that the person was shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoranda.exceptions import Conflict, InvalidInput, Stale
from memoranda.memories.model import Memory
from memoranda.proposals.model import MemoryEdit, Proposal, ProposalKind

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


def approve(memory: Memoranda, shown: Proposal, text: MemoryEdit | None = None) -> MemoryDecision:
    """Apply a proposed change as it was shown, or with the person's text.

    Raises:
        Conflict: the proposal has changed since it was shown, or has already been decided.
    """
    decided = memory.proposals.approve(shown.id, shown.hash, edit=text)
    newest = _newest(memory, decided.memory)
    back = None if decided.kind is ProposalKind.ADD else newest
    return MemoryDecision(f"approved: {decided.after.title}", decided.memory, newest, back)


def reject(memory: Memoranda, shown: Proposal, reason: str) -> MemoryDecision:
    """Reject a proposal; the memory remains unchanged.

    The dashboard cannot restore a rejected proposal.
    """
    decided = memory.proposals.reject(shown.id, note=reason)
    return MemoryDecision(f"rejected: {decided.after.title}", decided.memory)


def approve_edited(memory: Memoranda, shown: Proposal, title: str, content: str) -> MemoryDecision:
    """Approve the person's text instead of the proposed one.

    Raises:
        InvalidInput: the proposal does not change the text.
        Conflict: the proposal has changed since it was shown, or has already been decided.
    """
    if shown.kind not in EDITABLE:
        raise InvalidInput(f"to {shown.kind} has no text to edit; approve (a) or reject (r) it")
    if (title, content) == (shown.after.title, shown.after.content):
        return approve(memory, shown)
    text = MemoryEdit(_changed(title, shown.after.title), _changed(content, shown.after.content))
    approved = approve(memory, shown, text)
    return replace(approved, message=f"approved with your text: {title}")


def edit(memory: Memoranda, shown: Memory, title: str, content: str) -> MemoryDecision:
    """Change the text of a memory.

    Raises:
        Stale: the text has changed since it was shown.
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
        Stale: the text has changed since it was shown.
        InvalidInput: the memory is protected.
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
