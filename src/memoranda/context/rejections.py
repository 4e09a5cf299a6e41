"""Excludes statements that a person rejected, archived or corrected.

Contexts omit them at once.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from memoranda.context.remarks import Remark
from memoranda.language.sentences import sentence_spans
from memoranda.language.words import content_stems, plain_words
from memoranda.memories import table as memories, version_table as memory_versions
from memoranda.memories.capacity import ACTOR
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.memories.table import MemoryFilter
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryVersion
from memoranda.scope import Scope
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.utterances import clause_spans

NEWEST = 200
"""Number of newest memories of each status, and of versions of them, that are read."""
SAME = 0.75
"""Minimum Jaccard similarity of the stems of two equivalent statements."""
FEWEST = 4
"""Minimum number of stems of a text that is a part of a statement."""

_LABEL = re.compile(r"^\W*(?:[\d-]+ )?\w+: ")
"""Opening of a line that feedback writes into a block: date and type."""


class Rejections:
    """Rejected, archived and corrected statements of a scope.

    A statement that a person repeated afterwards is not excluded.
    """

    def __init__(self, statements: Iterable[WithdrawnStatement]) -> None:
        self._withdrawn = list(statements)
        self._having: dict[str, list[int]] = defaultdict(list)
        for at, one in enumerate(self._withdrawn):
            for stem in one.stems:
                self._having[stem].append(at)

    @classmethod
    def of(cls, tx: Transaction, scope: Scope) -> Rejections:
        """Read the withdrawn statements of memories that the scope sees."""
        read = {
            status: memories.listed(
                tx, scope.team, MemoryFilter(scope.workspace, scope.agent, status), limit=NEWEST
            )
            for status in (MemoryStatus.REJECTED, MemoryStatus.ARCHIVED, MemoryStatus.APPROVED)
        }
        known = {one.id: one for found in read.values() for one in found}
        versions = memory_versions.of_memories(tx, scope.team, list(known), limit=NEWEST)
        by_capacity = {one.memory for one in versions if one.actor == ACTOR}
        gone = [*read[MemoryStatus.REJECTED], *_put_away(read[MemoryStatus.ARCHIVED], by_capacity)]
        texts = (found for one in gone for found in withdrawn(one.content, one.updated_at))
        return cls([*texts, *(one for version in versions for one in _corrected(version, known))])

    def without(self, said: Iterable[Remark]) -> list[Remark]:
        """Omit sentences that were rejected after they were stated."""
        return [
            one for one in said if not self.cover(one.sentence.text, one.observation.created_at)
        ]

    def without_lines(self, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
        """Omit lines of people that were rejected after they were stated."""
        lines = ((one, one.origin is Origin.HUMAN) for one in items)
        return tuple(one for one, stated in lines if not (stated and self.cover(one.text, one.at)))

    def without_notes(self, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
        """Omit lines of blocks with a sentence that was rejected at any time."""
        return tuple(
            one
            for one in items
            if not any(self.cover(_LABEL.sub("", part), 0) for part in _parts(one.text))
        )

    def cover(self, text: str, stated_at: int) -> bool:
        """Return whether a text was rejected at or after the time it was stated."""
        own = content_stems(text) if self._withdrawn else frozenset()
        common = Counter(at for stem in own for at in self._having.get(stem, ()))
        return any(
            one.at >= stated_at and one.says(own, count) and plain_words(text) not in one.kept
            for one, count in ((self._withdrawn[at], count) for at, count in common.items())
        )


@dataclass(frozen=True, slots=True)
class WithdrawnStatement:
    """Statement that has not been valid since a time."""

    stems: frozenset[str]
    at: int
    kept: frozenset[str] = frozenset()
    """Sentences that the memory still contains."""

    def says(self, stems: frozenset[str], common: int) -> bool:
        """Return whether a text is equivalent to the statement or a part of it.

        ``common`` is the number of its ``stems`` in the statement.
        """
        part = common == len(stems) >= FEWEST
        return part or SAME * (len(self.stems) + len(stems) - common) <= common


def withdrawn(content: str, at: int) -> Iterator[WithdrawnStatement]:
    """Yield a text, its sentences and clauses as withdrawn statements."""
    for part in (content, *_parts(content)):
        yield WithdrawnStatement(content_stems(part), at)


def _put_away(archived: Iterable[Memory], by_capacity: Collection[str]) -> Iterator[Memory]:
    """Yield memories that a person archived and no other memory replaces."""
    return (one for one in archived if one.superseded_by is None and one.id not in by_capacity)


def _corrected(version: MemoryVersion, known: Mapping[str, Memory]) -> Iterator[WithdrawnStatement]:
    """Yield the sentences of a version that its memory no longer states."""
    content = known[version.memory].content
    if version.state.content == content:
        return
    kept = frozenset(plain_words(part) for part in _parts(content))
    for part in _parts(version.state.content):
        if plain_words(part) not in kept:
            yield WithdrawnStatement(content_stems(part), version.created_at, kept)


@lru_cache(maxsize=5 * NEWEST)  # a server renders contexts of the same memories repeatedly
def _parts(text: str) -> tuple[str, ...]:
    """Return the sentences and the clauses of a text."""
    places = {*sentence_spans(text), *clause_spans(text)}
    return tuple(text[start:end] for start, end in sorted(places))
