"""What two memories say, laid side by side: the same, another value, or what cannot both hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memoranda.statements import Conflict, Reason, Statement, claims, conflict, possible_conflict
from memoranda.values.memory import Memory

STATEMENTS = 6
"""Of one memory."""
SHORT = 600
"""Characters up to which every sentence of a memory counts as a statement."""
NEAR, SAME = 0.6, 0.9
"""Cosines from which on memories are related, and from which on they may say the same."""
COMPARABLE = 0.35
"""Cosine below which nothing is compared, where it is known."""
_HINTS = frozenset({Reason.ANNOUNCED_CHANGE, Reason.RESTATED})
"""Reasons that are more often wrong than right where nobody asked about the subject."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


class Verdict(StrEnum):
    """How a newer memory stands to an older one."""

    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    REPEATS = "repeats"
    RESTATES = "restates"
    """It may tell another value of the same, in other words."""
    RELATED = "related"


@dataclass(frozen=True, slots=True)
class Compared:
    """A verdict and what tells it."""

    verdict: Verdict
    reason: str


def compared(older: Memory, newer: Memory, cosine: float | None) -> Compared | None:
    """Compare two memories; None where they have nothing to do with each other.

    ``cosine`` is that of their vectors, None where they are not known. A memory is superseded only
    if everything it states is.
    """
    if cosine is not None and cosine < COMPARABLE:
        return None
    old, new = _statements(older.content), _statements(newer.content)
    near = cosine or 0.0
    found = [[_conflicts(one, new, near) for one in old]] if old and new else []
    conflicts = [each for group in found for each in group if each]
    best = max(conflicts, key=lambda one: (one.reason not in _HINTS, one.confidence), default=None)
    if best is None:
        return _alike(old, new, cosine)
    if len(conflicts) == len(old) and all(one.certain for one in conflicts):
        return Compared(Verdict.SUPERSEDES, str(best.reason))
    verdict = Verdict.RESTATES if best.reason in _HINTS else Verdict.CONTRADICTS
    return Compared(verdict, str(best.reason))


def _conflicts(old: Statement, new: tuple[Statement, ...], cosine: float) -> Conflict | None:
    found = [one for each in new if (one := conflict(old, each, cosine))]
    return max(found, key=lambda one: (one.certain, one.confidence), default=None)


def _alike(
    old: tuple[Statement, ...], new: tuple[Statement, ...], cosine: float | None
) -> Compared | None:
    if cosine is None:
        return None
    hints = (possible_conflict(one, other, cosine) for one in old for other in new)
    if hint := next(filter(None, hints), None):
        return Compared(Verdict.RESTATES, str(hint.reason))
    if cosine >= SAME and _values(old) == _values(new):
        return Compared(Verdict.REPEATS, "says the same")
    return Compared(Verdict.RELATED, "near in meaning") if cosine >= NEAR else None


def _values(statements: tuple[Statement, ...]) -> frozenset[object]:
    """Return what must not differ between two texts that say the same."""
    return frozenset(_told(statements))


def _told(statements: tuple[Statement, ...]) -> Iterator[object]:
    for one in statements:
        yield from ((amount.number, amount.dimension) for amount in one.amounts)
        yield from one.dates
        yield from one.names
        yield from one.objects
        yield from (("side", word) for side in one.sides for word in side)
        yield ("denied", one.tone.denied)


@lru_cache(maxsize=4096)
def _statements(text: str) -> tuple[Statement, ...]:
    sentences = _SENTENCE_END.split(text.strip()) if len(text) <= SHORT else claims(text)
    return tuple(Statement.of(one) for one in [s for s in sentences if s.strip()][:STATEMENTS])
