"""Statement that is to become a memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoranda.memories.link_model import LinkTo, Reference
from memoranda.memories.model import Category, MemorySource, Visibility, checked_confidence
from memoranda.memories.pattern_parts import PatternParts
from memoranda.observations.model import Origin
from memoranda.text import normalise


@dataclass(frozen=True, slots=True)
class NewMemory:
    """Statement that a caller wants to be remembered."""

    content: str
    title: str | None = None
    category: Category = Category.INSIGHT
    """Category of the statement.

    The five of the profile are always part of a context, and limited together; the others are found
    by search.
    """
    tags: Sequence[str] = ()
    critical: bool | None = None
    """None: decided by the text, if a person states it."""
    protected: bool = False
    visibility: Visibility = Visibility.WORKSPACE
    evidence: Sequence[str] = ()
    """Observations that it rests on."""
    source: MemorySource = MemorySource.MANUAL
    valid_from: int | None = None
    """Start of its validity in microseconds; None if unlimited."""
    valid_until: int | None = None
    """End of its validity; None while it is valid."""
    references: Sequence[Reference] = ()
    links: Sequence[LinkTo] = ()
    confidence: float | None = None
    """0 to 1; None for 1 from a person and 0.6 from others, who cannot claim more."""
    reason: str = ""
    """Of a pattern or anti-pattern: why it is so. Like the next three, a line of the content."""
    alternative: str = ""
    """What to do instead."""
    applies_to: Sequence[str] = ()
    """Where it applies, such as a language, a workspace or a folder."""
    examples: Sequence[str] = ()


def parts_stated(statement: NewMemory, clean: Callable[[str], str]) -> PatternParts:
    """Return the parts of a pattern that a statement names, in their stored form."""
    return PatternParts(
        clean(normalise(statement.reason)),
        clean(normalise(statement.alternative)),
        tuple(clean(normalise(one)) for one in statement.applies_to),
        tuple(clean(normalise(one)) for one in statement.examples),
    )


def confidence_of(statement: NewMemory, origin: Origin) -> float:
    """Return the confidence of a new memory; nobody but a person claims more than is usual.

    Raises:
        InvalidInput: the stated one does not lie between 0 and 1.
    """
    usual = 1.0 if origin is Origin.HUMAN else 0.6
    stated = statement.confidence
    return usual if stated is None else min(usual, checked_confidence(stated))
