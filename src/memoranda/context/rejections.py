"""Statements that a person rejected as memories: they leave contexts at once."""

from __future__ import annotations

from collections.abc import Iterable

from memoranda.context.remarks import Remark
from memoranda.memories import table as memories
from memoranda.memories.model import MemoryStatus
from memoranda.memories.table import MemoryFilter
from memoranda.scope import Scope
from memoranda.search.words import STOP_WORDS, stems, words
from memoranda.store.database import Transaction
from memoranda.utterances import sentence_spans

NEWEST = 200
"""Newest rejected memories that are read."""
SAME = 0.75
"""Share of the stems of two statements in common from which on they say the same."""


class Rejections:
    """Rejected statements of a scope.

    A statement that a person made again after the rejection is valid again.
    """

    def __init__(self, rejected: Iterable[tuple[str, int]]) -> None:
        """Take rejected texts, each with the time of its rejection in microseconds."""
        self._rejected = [
            (found, at)
            for text, at in rejected
            for part in (text, *(text[start:end] for start, end in sentence_spans(text)))
            if (found := _stems(part))
        ]

    @classmethod
    def of(cls, tx: Transaction, scope: Scope) -> Rejections:
        """Read those of the memories that the scope sees."""
        where = MemoryFilter(scope.workspace, scope.agent, MemoryStatus.REJECTED)
        found = memories.listed(tx, scope.team, where, limit=NEWEST)
        return cls((one.content, one.updated_at) for one in found)

    def without(self, said: Iterable[Remark]) -> list[Remark]:
        """Omit what was rejected after it was stated."""
        return [
            one for one in said if not self.cover(one.sentence.text, one.observation.created_at)
        ]

    def cover(self, text: str, stated_at: int) -> bool:
        """Return whether a text of a time was rejected after that time."""
        own = _stems(text) if self._rejected else frozenset()
        return any(
            at >= stated_at and len(own & other) >= SAME * len(own | other)
            for other, at in self._rejected
        )


def _stems(text: str) -> frozenset[str]:
    return frozenset(stems(word for word in words(text) if word not in STOP_WORDS))
