"""Excludes statements that a person rejected, archived or corrected.

Contexts omit such statements immediately.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TypeAlias

from memoranda.context.user_sentences import Remark
from memoranda.language.rule_preference import without_reminder
from memoranda.language.sentences import sentence_spans
from memoranda.language.words import content_stems, plain_words
from memoranda.memories import (
    table as memories,
    tombstone_table as tombstones,
    version_table as memory_versions,
)
from memoranda.memories.capacity import ACTOR, REPETITION
from memoranda.memories.model import Memory, MemoryKind, MemoryStatus
from memoranda.memories.tombstone_table import statement_key
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryVersion
from memoranda.scope import Scope
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.utterances.message_clauses import clause_spans

NEWEST = 200
"""Number of newest withdrawn memories per status, and of their versions, that are read."""
SAME = 0.75
"""Minimum Jaccard similarity of the stems of two equivalent statements."""
MIN_COUNT = 4
"""Minimum number of stems of a text that is part of a statement."""

_LABEL = re.compile(r"^\W*(?:[\d-]+ )?\w+: ")
"""Start of a line that feedback adds to a block: date and type."""
FROM_SOURCE = 0.4
"""The same similarity for a sentence of the message that a memory was taken from."""
Statement: TypeAlias = "tuple[str, str]"
"""Id of a message, and one of its sentences."""


class Rejections:
    """Rejected, archived and corrected statements of a scope.

    A statement that a person repeated afterwards is not excluded.
    """

    def __init__(
        self,
        texts: Iterable[WithdrawnText],
        erased: Callable[[Iterable[str]], Collection[str]] = lambda keys: (),
    ) -> None:
        """Create it for texts; ``erased`` returns which tombstone keys exist."""
        self._erased = erased
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
        texts = [WithdrawnText(item.content, item.updated_at, memory=item.id) for item in gone]
        texts += _corrected(versions, known)
        sources = memories.sources(tx, scope.team, list({text.memory for text in texts}))
        with_sources = (
            replace(text, sources=sources.get(text.memory, frozenset())) for text in texts
        )
        return cls(with_sources, partial(tombstones.with_tombstone, tx, scope.team))

    def without(self, remarks: Iterable[Remark]) -> list[Remark]:
        """Omit sentences that were rejected after they were stated."""
        stated = {(one.observation.id, _whole(one)): one for one in remarks}
        erased = self.erased(stated)
        return [
            one
            for statement, one in stated.items()
            if statement not in erased
            if not self.cover(one.sentence.text, one.observation.counted_at, one.observation.id)
        ]

    def erased(self, statements: Iterable[Statement]) -> set[Statement]:
        """Return the statements whose memory a person erased."""
        keys = {statement_key(*statement): statement for statement in statements}
        return {keys[key] for key in self._erased(keys)} if keys else set()

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

    def cover(self, text: str, stated_at: int, source: str = "") -> bool:
        """Return whether a text was rejected at or after the time it was stated.

        ``source`` is the id of its message.
        """
        text = without_reminder(text)
        own = content_stems(text) if self._texts else frozenset()
        common = Counter(at for stem in own for at in self._having.get(stem, ()))
        near = (self._texts[at] for at, count in common.items() if count >= FROM_SOURCE * len(own))
        return any(
            withdrawn_text.at >= stated_at and withdrawn_text.states(text, own, source)
            for withdrawn_text in near
        )


@dataclass(frozen=True, slots=True)
class WithdrawnText:
    """Text of a memory that has not been valid since a certain time."""

    text: str
    at: int
    current: str = ""
    """Text that replaced the withdrawn text in the memory; repeated parts are still valid."""

    memory: str = ""
    sources: frozenset[str] = frozenset()
    """Ids of the messages that the memory was taken from."""

    def states(self, text: str, stems: frozenset[str], source: str = "") -> bool:
        """Return whether a text equals a withdrawn statement, or a part of one.

        ``source`` is the id of its message, if it is a sentence of one.
        """
        statements, kept = _statements(self.text, self.current)
        least = FROM_SOURCE if source in self.sources else SAME
        return (
            any(_matches(statement, stems, least) for statement in statements)
            and plain_words(text) not in kept
        )


def _whole(remark: Remark) -> str:
    """Return the sentence of a remark as its message has it."""
    start = remark.sentence.start
    return next((one.text for one in remark.message if one.start == start), remark.sentence.text)


def _matches(statement: frozenset[str], stems: frozenset[str], least: float) -> bool:
    """Return whether stems match those of a statement or of a part of it."""
    common = len(statement & stems)
    part = common == len(stems) >= MIN_COUNT
    return part or least * (len(statement) + len(stems) - common) <= common


@lru_cache(maxsize=5 * NEWEST)  # a server renders contexts of the same memories repeatedly
def _statements(text: str, current: str) -> tuple[Sequence[frozenset[str]], frozenset[str]]:
    """Return the stems of each withdrawn statement, and the parts still valid.

    The statements are the sentences and clauses of the text, and without a current text also the
    whole text.
    """
    kept = frozenset(plain_words(part) for part in _parts(current))
    parts = _parts(text) if current else (text, *_parts(text))
    return [
        content_stems(without_reminder(part)) for part in parts if plain_words(part) not in kept
    ], kept


def _stating(found: Iterable[Memory]) -> list[Memory]:
    """Return memories without task reports.

    A report quotes what people said in the task, but does not state it: the quoted statements are
    as valid without the report as before.
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
    """Yield the texts of versions that their memories no longer contain."""
    for version in versions:
        text, current = version.state.content, known[version.memory].content
        if text != current:
            yield WithdrawnText(text, version.created_at, current, version.memory)


def _parts(text: str) -> tuple[str, ...]:
    """Return the sentences and the clauses of a text."""
    places = {*sentence_spans(text), *clause_spans(text)}
    return tuple(text[start:end] for start, end in sorted(places))
