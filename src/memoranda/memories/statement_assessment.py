"""Assessment of new statements before they are stored as memories."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from memoranda.memories import table as memories
from memoranda.memories.link_model import LinkTo, Reference
from memoranda.memories.model import (
    Category,
    Memory,
    MemorySource,
    MemoryStatus,
    PatternParts,
    Visibility,
    checked_confidence,
)
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.text import normalise

OFTEN = 3
"""Number of completed tasks using a memory at which it becomes critical."""

_PREVENTING = frozenset({Category.ANTI_PATTERN, Category.TROUBLESHOOTING, Category.LEARNED_RULE})


def find_repetition(tx: Transaction, new: Memory, scope: Scope) -> Memory | None:
    """Return an equal valid memory in the same scope, or None.

    A statement that is valid at another time is a different memory. A person's statement is not
    treated as a repetition of a pending memory.
    """
    id = memories.same_content(tx, new, new.updated_at)
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
    """Return a new memory with its criticality and the reason.

    The author's request decides; without a request, a person's statement is critical depending on
    its text and evidence.
    """
    if wanted is not None:
        by_hand = "set by hand" if wanted else "cleared by hand"
        return replace(memory, critical=wanted, critical_reason=by_hand)
    if memory.status is not MemoryStatus.APPROVED:
        return memory
    fixes = any(
        observation.type is ObservationType.FIX and observation.resolves for observation in evidence
    )
    failed = any(item.type is ObservationType.ERROR for item in evidence)
    reason = critical_reason(
        memory.content,
        constraints=constraints,
        fixes_error=fixes,
        prevents_known_error=failed and memory.category in _PREVENTING,
    )
    return replace(memory, critical=reason is not None, critical_reason=reason)


@dataclass(frozen=True, slots=True)
class NewMemory:
    """Statement to be stored as a memory."""

    content: str
    title: str | None = None
    category: Category = Category.INSIGHT
    """Category of the statement.

    Memories in the profile's five categories are always part of a context and share a limit; the
    others are found by search.
    """
    tags: Sequence[str] = ()
    critical: bool | None = None
    """Whether the statement is critical; if None, the text of a person's statement decides."""
    protected: bool = False
    visibility: Visibility | None = None
    """Who can see the statement; None for the workspace if there is one, or else the whole team."""
    evidence: Sequence[str] = ()
    """Ids of the observations that support the statement."""
    source: MemorySource = MemorySource.MANUAL
    valid_from: int | None = None
    """Start of validity in microseconds; None if unlimited."""
    valid_until: int | None = None
    """End of validity; None while the statement is valid."""
    references: Sequence[Reference] = ()
    links: Sequence[LinkTo] = ()
    confidence: float | None = None
    """Confidence, 0 to 1; None for the default: 1 for a person and 0.6 for others, who cannot set a
    higher value.
    """
    reason: str = ""
    """Reason for a pattern or anti-pattern; stored as a line of the content, like the next three
    fields.
    """
    alternative: str = ""
    """What to do instead."""
    applies_to: Sequence[str] = ()
    """Where the pattern applies, such as a language, a workspace or a folder."""
    examples: Sequence[str] = ()


def parts_stated(statement: NewMemory, clean: Callable[[str], str]) -> PatternParts:
    """Return the details of a pattern in a statement, as they are stored."""
    return PatternParts(
        clean(normalise(statement.reason)),
        clean(normalise(statement.alternative)),
        tuple(clean(normalise(item)) for item in statement.applies_to),
        tuple(clean(normalise(example)) for example in statement.examples),
    )


def confidence_of(statement: NewMemory, origin: Origin) -> float:
    """Return a new memory's confidence; only people may exceed the default.

    Raises:
        InvalidInput: the requested confidence is not between 0 and 1.
    """
    usual = 1.0 if origin is Origin.HUMAN else 0.6
    stated = statement.confidence
    return usual if stated is None else min(usual, checked_confidence(stated))


def critical_reason(
    text: str,
    *,
    constraints: Callable[[str], Sequence[str]],
    fixes_error: bool = False,
    prevents_known_error: bool = False,
) -> str | None:
    """Return why a memory is critical; None if it is not.

    ``constraints`` lists the sentences of a text that state a requirement. ``fixes_error``: the
    memory describes a fix after which an error ended. ``prevents_known_error``: the memory
    describes how to avoid an error that is on record.
    """
    if constraints(text):
        return "states a requirement"
    if fixes_error:
        return "ended an error"
    if prevents_known_error:
        return "prevents a known error"
    return None
