"""Finds an existing memory that already states a proposed text."""

from __future__ import annotations

from memoranda.language.text_overlap import jaccard
from memoranda.language.words import plain_words
from memoranda.memories import table as memories
from memoranda.memories.model import Memory, MemoryKind, MemoryStatus, Visibility
from memoranda.profile.optimization.essential_facts import (
    covers,
    differ,
    plain_sentences,
    restates,
    rules,
    turned,
)
from memoranda.store.database import TextQuery, Transaction

ALIKE = 0.8
"""Minimum Jaccard similarity of the words of two equivalent rules."""
EXAMINED = 20
"""Maximum number of memories compared, and maximum number of words searched for."""
COMPARED = 12
"""Maximum number of sentences of a memory that are compared."""


def restated(
    tx: Transaction,
    team: str,
    workspace: str | None,
    text: str,
    statuses: frozenset[MemoryStatus] = frozenset(MemoryStatus),
) -> Memory | None:
    """Return a memory that states every rule of a text, or None.

    The memory is visible to the whole workspace, has one of the statuses, and is not episodic.
    """
    own = set(plain_words(text).split())
    query = TextQuery(team, sorted(own)[:EXAMINED], workspace=workspace)
    hits = tx.text("memory").search(query)[:EXAMINED]
    found = memories.of_any_agent(tx, team, [hit.id for hit in hits])
    near = (
        item
        for item in found.values()
        if item.workspace in (None, workspace)
        and item.visibility is not Visibility.AGENT
        and item.status in statuses
        and item.kind is not MemoryKind.EPISODIC  # the archive of a task quotes its messages
    )
    return next((memory for memory in near if _restates(own, text, memory)), None)


def _restates(own: set[str], text: str, other: Memory) -> bool:
    """Return whether a memory states every rule of a text.

    The memory's first line may have nearly the same words, or its sentences may paraphrase the
    rules.
    """
    words = set(plain_words(other.content.partition("\n")[0]).split())
    if jaccard(own, words) >= ALIKE:
        return not any(turned(item, text) for item in plain_sentences(other.content)[:1])
    laid_down = rules(text) or list(plain_sentences(text)[:1])
    other_sentences = plain_sentences(other.content)[:COMPARED]
    return bool(laid_down) and all(
        any(_same(one, old) for old in other_sentences) for one in laid_down
    )


def _same(new: str, old: str) -> bool:
    if differ(old, new) or turned(old, new):
        return False
    return covers(old, new) or restates(old, new)
