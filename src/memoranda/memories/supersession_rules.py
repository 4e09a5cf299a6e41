"""Rules on when one memory supersedes another, by author and time."""

from __future__ import annotations

from dataclasses import replace

from memoranda.exceptions import Conflict, InvalidInput
from memoranda.memories import table as memories
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryState
from memoranda.store.database import Transaction
from memoranda.trust import Trust, trust_of

AUTOMATIC = "memoranda"
"""Actor in the journal for automatic actions of this program."""
_MAXIMUM = 1_000
"""Maximum length of a chain of supersessions that is followed."""


def authority(memory: Memory) -> Trust:
    """Return a memory's trust level; a person's approval counts as authorship."""
    return min(trust_of(memory), Trust.PERSON)


def effective_since(memory: Memory) -> int:
    """Return the start of a memory's validity; by default, its creation time."""
    return memory.created_at if memory.valid_from is None else memory.valid_from


def overlap_in_time(one: Memory, other: Memory) -> bool:
    """Return whether the validities of two memories overlap."""
    began = max(one.valid_from or 0, other.valid_from or 0)
    return all(end is None or began < end for end in (one.valid_until, other.valid_until))


def ordered_by_time(one: Memory, other: Memory) -> tuple[Memory, Memory]:
    """Return two memories, starting with the one whose validity begins first."""
    first, second = sorted((one, other), key=lambda m: (effective_since(m), m.created_at, m.id))
    return first, second


def is_automatic(older: Memory, newer: Memory, *, outright: bool = False) -> bool:
    """Return whether a memory may replace another without a person's review.

    The caller has already compared their contents. A critical memory is replaced only by a person's
    statement that says ``outright`` that the older memory ended.
    """
    if older.protected or older.superseded_by is not None:
        return False
    if older.critical and not (outright and newer.origin is Origin.HUMAN):
        return False
    if not older.status is newer.status is MemoryStatus.APPROVED:
        return False
    place = (older.workspace, older.visibility, older.agent)
    if place != (newer.workspace, newer.visibility, newer.agent):
        return False
    lasts = newer.valid_until is None and effective_since(older) < effective_since(newer)
    return lasts and authority(newer) >= authority(older)


def superseded(older: Memory, newer: Memory) -> MemoryState:
    """Return the state of an older memory that a newer one replaces.

    Raises:
        InvalidInput: both memories are the same, the newer one is not approved, or it became valid
            before the older one.
        Conflict: the older memory was superseded before.
    """
    if older.id == newer.id:
        raise InvalidInput("a memory cannot replace itself; pass the newer one second")
    if newer.status is not MemoryStatus.APPROVED:
        raise InvalidInput(
            f"the newer memory is {newer.status}; only an approved memory can supersede another"
        )
    if older.superseded_by is not None:
        raise Conflict(
            f"the memory was already superseded by {older.superseded_by}; to undo that, run"
            f" `memoranda memory restore`"
        )
    began = effective_since(newer)
    if effective_since(older) >= began:
        raise InvalidInput("the newer memory must be valid from a later time than the older one")
    ended = began if older.valid_until is None else min(began, older.valid_until)
    return replace(MemoryState.of(older), valid_until=ended, superseded_by=newer.id)


def refuse_circle(tx: Transaction, memory: Memory, by: str) -> None:
    """Refuse a supersession that would create a cycle.

    Raises:
        InvalidInput: the supersession would create a cycle.
    """
    at: str | None = by
    for _ in range(_MAXIMUM):
        if at == memory.id:
            raise InvalidInput("the memories would supersede each other in a cycle")
        found = memories.of_any_agent(tx, memory.team, [at]) if at else {}
        at = found[at].superseded_by if at in found else None
        if at is None:
            return
