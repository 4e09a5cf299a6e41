"""When one memory takes the place of another, and whose word stands above whose."""

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
"""Whom the journal names for what this program does by itself."""
_MOST = 1_000
"""Memories of one line of succession that are looked through."""


def authority(memory: Memory) -> Trust:
    """Return whose word a memory is; what a person approved stands as what a person said."""
    return min(trust_of(memory), Trust.PERSON)


def effective_since(memory: Memory) -> int:
    """Return since when a memory speaks: since it holds, else since it was written down."""
    return memory.created_at if memory.valid_from is None else memory.valid_from


def overlap_in_time(one: Memory, other: Memory) -> bool:
    """Say whether there is a time at which both hold."""
    began = max(one.valid_from or 0, other.valid_from or 0)
    return all(end is None or began < end for end in (one.valid_until, other.valid_until))


def ordered_by_time(one: Memory, other: Memory) -> tuple[Memory, Memory]:
    """Return two memories, the one that speaks of the earlier time first."""
    first, second = sorted((one, other), key=lambda m: (effective_since(m), m.created_at, m.id))
    return first, second


def is_automatic(older: Memory, newer: Memory, *, outright: bool = False) -> bool:
    """Say whether a memory may take another's place with nobody asked, if what they say allows.

    A critical one gives way only to a person who says ``outright`` that it ended.
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
    """Return what an older memory is once a newer one holds in its place.

    Raises:
        InvalidInput: both are one, the newer is not approved, or it began before the older.
        Conflict: the older was superseded before.
    """
    if older.id == newer.id:
        raise InvalidInput("a memory cannot supersede itself; name the newer one second")
    if newer.status is not MemoryStatus.APPROVED:
        raise InvalidInput(f"the newer memory is {newer.status}; only an approved one supersedes")
    if older.superseded_by is not None:
        raise Conflict(
            f"the memory was superseded before, by {older.superseded_by};"
            " `memoranda memory restore` takes that back"
        )
    began = effective_since(newer)
    if effective_since(older) >= began:
        raise InvalidInput("the newer memory must have begun to hold after the older one")
    ended = began if older.valid_until is None else min(began, older.valid_until)
    return replace(MemoryState.of(older), valid_until=ended, superseded_by=newer.id)


def refuse_circle(tx: Transaction, memory: Memory, by: str) -> None:
    """Refuse that a memory be superseded by one that it supersedes itself, directly or not.

    Raises:
        InvalidInput: it would be so.
    """
    at: str | None = by
    for _ in range(_MOST):
        if at == memory.id:
            raise InvalidInput("the memories would supersede each other in a circle")
        found = memories.of_any_agent(tx, memory.team, [at]) if at else {}
        at = found[at].superseded_by if at in found else None
        if at is None:
            return
