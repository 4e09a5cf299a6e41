"""Excludes statements that a person rejected, archived or corrected.

Contexts omit them at once.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memoranda.context.user_sentences import Remark
from memoranda.language.sentences import sentence_spans
from memoranda.language.words import content_stems, plain_words
from memoranda.memories import table as memories, version_table as memory_versions
from memoranda.memories.capacity import ACTOR, REPETITION
from memoranda.memories.model import Memory, MemoryKind, MemoryStatus
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryVersion
from memoranda.scope import Scope
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.utterances.message_clauses import clause_spans

NEWEST = 200
"""Number of newest such memories per status, and of their versions, that are read."""
SAME = 0.75
"""Minimum Jaccard similarity of the stems of two equivalent statements."""
MIN_COUNT = 4
"""Minimum number of stems of a text that is part of a statement."""

_LABEL = re.compile(r"^\W*(?:[\d-]+ )?\w+: ")
"""Start of a line that feedback adds to a block: date and type."""
_ORDER = re.compile(
    r"^\W*(?:please )?(?:(?:remember|note)(?: that|:)|don['\u2019]?t forget that) ", re.IGNORECASE
)
"""Start of a message whose rest became a memory."""


class Rejections:
    """Rejected, archived and corrected statements of a scope.

    A statement that a person repeated afterwards is not excluded.
    """

    def __init__(self, texts: Iterable[WithdrawnText]) -> None:
        self._texts = list(texts)
        self._having: dict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(self._texts):
            for stem in content_stems(text.text):
                self._having[stem].append(at)

    @classmethod
    def of(cls, tx: Transaction, scope: Scope) -> Rejections:
        """Read the withdrawn statements of memories that are visible in the scope."""
        place = scope.team, scope.workspace, scope.agent
        rejected, archived, approved = (
            _stating(memories.reworded(tx, *place, status, limit=NEWEST))
            for status in (MemoryStatus.REJECTED, MemoryStatus.ARCHIVED, MemoryStatus.APPROVED)
        )
        known = {memory.id: memory for memory in (*rejected, *archived, *approved)}
        versions = memory_versions.of_memories(tx, scope.team, list(known), limit=NEWEST)
        automatic = {version.memory for version in versions if version.actor in (ACTOR, REPETITION)}
        gone = _by_person([*rejected, *archived], automatic)
        texts = [WithdrawnText(item.content, item.updated_at) for item in gone]
        return cls([*texts, *_corrected(versions, known)])

    def without(self, remarks: Iterable[Remark]) -> list[Remark]:
        """Omit sentences that were rejected after they were stated."""
        return [
            remark
            for remark in remarks
            if not self.cover(remark.sentence.text, remark.observation.counted_at)
        ]

    def without_lines(self, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
        """Omit people's lines that were rejected after they were stated."""
        lines = ((item, item.origin is Origin.HUMAN) for item in items)
        return tuple(
            context_item
            for context_item, stated in lines
            if not (stated and self.cover(context_item.text, context_item.at))
        )

    def without_notes(self, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
        """Omit block lines with a sentence that was rejected at any time."""
        return tuple(
            item
            for item in items
            if not any(self.cover(_LABEL.sub("", part), 0) for part in _parts(item.text))
        )

    def cover(self, text: str, stated_at: int) -> bool:
        """Return whether a text was rejected at or after the time it was stated."""
        text = _ORDER.sub("", text)
        own = content_stems(text) if self._texts else frozenset()
        common = Counter(at for stem in own for at in self._having.get(stem, ()))
        near = (self._texts[at] for at, count in common.items() if count >= SAME * len(own))
        return any(
            withdrawn_text.at >= stated_at and withdrawn_text.states(text, own)
            for withdrawn_text in near
        )


@dataclass(frozen=True, slots=True)
class WithdrawnText:
    """Text of a memory that is not valid since a certain time."""

    text: str
    at: int
    current: str = ""
    """Text that replaced it in the memory; repeated parts are still valid."""

    def states(self, text: str, stems: frozenset[str]) -> bool:
        """Return whether a text equals a withdrawn statement, or a part of one."""
        statements, kept = _statements(self.text, self.current)
        return (
            any(_matches(statement, stems) for statement in statements)
            and plain_words(text) not in kept
        )


def _matches(statement: frozenset[str], stems: frozenset[str]) -> bool:
    """Return whether stems match those of a statement or of a part of it."""
    common = len(statement & stems)
    part = common == len(stems) >= MIN_COUNT
    return part or SAME * (len(statement) + len(stems) - common) <= common


@lru_cache(maxsize=5 * NEWEST)  # a server renders contexts of the same memories repeatedly
def _statements(text: str, current: str) -> tuple[Sequence[frozenset[str]], frozenset[str]]:
    """Return the stems of each withdrawn statement, and the parts still valid.

    These are its sentences and clauses, and without a current text the whole text.
    """
    kept = frozenset(plain_words(part) for part in _parts(current))
    parts = _parts(text) if current else (text, *_parts(text))
    return [content_stems(part) for part in parts if plain_words(part) not in kept], kept


def _stating(found: Iterable[Memory]) -> list[Memory]:
    """Return memories without task reports.

    A report quotes what people said in the task, but does not state it: without the report, it is
    as valid as before.
    """
    return [memory for memory in found if memory.kind is not MemoryKind.EPISODIC]


def _by_person(gone: Iterable[Memory], automatic: Collection[str]) -> Iterator[Memory]:
    """Yield what a person rejected, or archived without a replacement.

    What was rejected as a repetition may have been stated again since.
    """
    return (
        memory for memory in gone if memory.superseded_by is None and memory.id not in automatic
    )


def _corrected(
    versions: Iterable[MemoryVersion], known: Mapping[str, Memory]
) -> Iterator[WithdrawnText]:
    """Yield the texts of versions that their memories no longer have."""
    for version in versions:
        text, current = version.state.content, known[version.memory].content
        if text != current:
            yield WithdrawnText(text, version.created_at, current)


def _parts(text: str) -> tuple[str, ...]:
    """Return the sentences and the clauses of a text."""
    places = {*sentence_spans(text), *clause_spans(text)}
    return tuple(text[start:end] for start, end in sorted(places))
