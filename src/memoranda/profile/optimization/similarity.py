"""Groups of similar memories, by meaning or by terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from memoranda.language.text_overlap import jaccard
from memoranda.memories.model import Memory
from memoranda.profile.optimization.essential_facts import (
    covers,
    differ,
    plain_sentences,
    restates,
    tokens,
    turned,
)

if TYPE_CHECKING:
    from memoranda.ports import Vectors
    from memoranda.statements.statement import Statement

NEAR = 0.85
"""Minimum cosine of two similar memories."""
COMMON = 0.75
"""Minimum fraction of common words of similar memories whose vectors are dissimilar."""
SOME = 0.3
"""Minimum fraction of common words of similar memories that have a sentence in common."""
WORDS = 3
"""Minimum number of common words of similar memories."""
COMPARED = 12
"""Maximum number of sentences of a memory that are compared.

A memory with more sentences is not similar to any other memory.
"""


class MemorySimilarity:
    """Similarity of memories."""

    def __init__(self, memories: Sequence[Memory], vectors: Mapping[str, Vectors]) -> None:
        self._vectors = vectors
        self._tokens = {memory.id: frozenset(tokens(memory.content)) for memory in memories}

    def of(self, one: Memory, other: Memory) -> float:
        """Return the similarity of two memories, 0 to 1; 0 if not similar."""
        mine, theirs = self._vectors.get(one.id), self._vectors.get(other.id)
        cosine = float(mine @ theirs) if mine is not None and theirs is not None else 0.0
        if cosine >= NEAR:
            return min(1.0, cosine)
        first, second = self._tokens[one.id], self._tokens[other.id]
        if min(len(first), len(second)) < WORDS:
            return float(first == second and bool(first))
        share = jaccard(first, second)
        alike = share >= COMMON or (share >= SOME and _repeats(one, other))
        return share if alike else 0.0


def _repeats(one: Memory, other: Memory) -> bool:
    pairs = product(
        plain_sentences(one.content)[:COMPARED], plain_sentences(other.content)[:COMPARED]
    )
    return any(
        covers(mine, theirs) or covers(theirs, mine) or restates(mine, theirs)
        for mine, theirs in pairs
    )


def are_compatible(one: Memory, other: Memory, near: float) -> bool:
    """Return whether two similar memories can both be valid.

    No statement of one memory may contradict a statement of the other.
    """
    # imported here, because the patterns take long to load
    from memoranda.statements.conflicts import conflict

    older, newer = sorted((one, other), key=lambda memory: (memory.created_at, memory.id))
    before, after = plain_sentences(older.content), plain_sentences(newer.content)
    if max(len(before), len(after)) > COMPARED:
        return False
    return not any(
        differ(old, new) or turned(old, new) or conflict(_read(old), _read(new), near)
        for old, new in product(before, after)
    )


@lru_cache(maxsize=1_024)
def _read(sentence: str) -> Statement:
    from memoranda.statements.statement import Statement

    return Statement.of(sentence)


def are_same_kind(one: Memory, other: Memory) -> bool:
    """Return whether two memories have the same kind, audience and author."""
    return _place(one) == _place(other)


def _place(memory: Memory) -> tuple[object, ...]:
    return memory.category, memory.workspace, memory.visibility, memory.agent, memory.origin


def groups(memories: Sequence[Memory], likeness: MemorySimilarity) -> list[list[Memory]]:
    """Return groups of similar memories.

    Each memory is in at most one group, and is similar to every other memory of the group. Each
    group begins with the first of its memories; a protected memory can only be the first.
    """
    left, result = list(memories), list[list[Memory]]()
    while left:
        group = [left.pop(0)]
        for memory in list(left):
            if (
                not memory.protected
                and are_same_kind(group[0], memory)
                and _joins(group, memory, likeness)
            ):
                group.append(memory)
                left.remove(memory)
        if len(group) > 1:
            result.append(group)
    return result


def _joins(group: Sequence[Memory], memory: Memory, likeness: MemorySimilarity) -> bool:
    """Return whether a memory is similar to a group and compatible with it."""
    found = []
    for item in group:
        near = likeness.of(item, memory)
        if not near:
            # most memories are not similar to any other, and the compatibility check is the slowest
            # step
            return False
        found.append(near)
    return all(are_compatible(one, memory, near) for one, near in zip(group, found, strict=True))


def is_protected(memory: Memory) -> bool:
    """Return whether a memory must never be changed."""
    return memory.protected or memory.critical
