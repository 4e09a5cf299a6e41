"""Checks of a new statement: already stored, and critical."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from memoranda.memories import table as memories
from memoranda.memories.criticality import critical_reason
from memoranda.memories.model import Category, Memory, MemoryStatus
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.scope import Scope
from memoranda.store.database import Transaction

_PREVENTING = frozenset({Category.ANTI_PATTERN, Category.TROUBLESHOOTING, Category.LEARNED_RULE})


def find_repetition(tx: Transaction, new: Memory, scope: Scope) -> Memory | None:
    """Return the equal memory in the same place that still holds, or None.

    A statement about another time is another memory. What an agent stated and no person has
    approved does not replace the statement of a person.
    """
    id = memories.same_content(tx, new, new.created_at)
    existing = memories.by_ids(tx, scope.team, [id], scope.agent).get(id) if id else None
    if existing is None or (existing.status is MemoryStatus.PENDING and new.origin is Origin.HUMAN):
        return None
    validity = (new.valid_from, new.valid_until)
    same_time = validity in ((None, None), (existing.valid_from, existing.valid_until))
    return existing if same_time else None


def with_criticality(
    memory: Memory,
    wanted: bool | None,
    constraints: Callable[[str], Sequence[str]],
    evidence: Collection[Observation],
) -> Memory:
    """Return a new memory with whether it is critical and why.

    It is as its author requests, else, for a person's, decided by its text and by the observations
    that it rests on.
    """
    if wanted is not None:
        by_hand = "set by hand" if wanted else "cleared by hand"
        return replace(memory, critical=wanted, critical_reason=by_hand)
    if memory.status is not MemoryStatus.APPROVED:
        return memory
    fixes = any(one.type is ObservationType.FIX and one.resolves for one in evidence)
    failed = any(one.type is ObservationType.ERROR for one in evidence)
    reason = critical_reason(
        memory.content,
        constraints=constraints,
        fixes_error=fixes,
        prevents_known_error=failed and memory.category in _PREVENTING,
    )
    return replace(memory, critical=reason is not None, critical_reason=reason)
