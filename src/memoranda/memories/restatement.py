"""Whether a memory says already, in other words, what is about to be proposed."""

from __future__ import annotations

from memoranda.language.selection import jaccard
from memoranda.language.words import plain_words
from memoranda.memories import table as memories
from memoranda.memories.model import Memory, MemoryKind, MemoryStatus, Visibility
from memoranda.profile.optimization.facts import (
    covers,
    differ,
    plain_sentences,
    restates,
    rules,
    turned,
)
from memoranda.store.database import TextQuery, Transaction

ALIKE = 0.8
"""The share of common words from which two rules say the same."""
LOOKED = 20
"""Memories that are compared, and words that they are looked up by."""
COMPARED = 12
"""Sentences of each of them."""


def restated(
    tx: Transaction,
    team: str,
    workspace: str | None,
    text: str,
    statuses: frozenset[MemoryStatus] = frozenset(MemoryStatus),
) -> Memory | None:
    """Return a memory that holds here, is no agent's own, and says all that a text lays down."""
    own = set(plain_words(text).split())
    query = TextQuery(team, sorted(own)[:LOOKED], workspace=workspace)
    hits = tx.text("memory").search(query)[:LOOKED]
    found = memories.of_any_agent(tx, team, [hit.id for hit in hits])
    near = (
        one
        for one in found.values()
        if one.workspace in (None, workspace)
        and one.visibility is not Visibility.AGENT
        and one.status in statuses
        and one.kind is not MemoryKind.EPISODIC  # the archive of a task quotes its messages
    )
    return next((one for one in near if _alike(own, text, one)), None)


def _alike(own: set[str], text: str, other: Memory) -> bool:
    """Say whether the first line of a memory has the same words, but for a few, or whether all
    that a text lays down stands in the memory in other words."""
    words = set(plain_words(other.content.partition("\n")[0]).split())
    if jaccard(own, words) >= ALIKE:
        return not any(turned(one, text) for one in plain_sentences(other.content)[:1])
    laid_down = rules(text) or list(plain_sentences(text)[:1])
    other_sentences = plain_sentences(other.content)[:COMPARED]
    return bool(laid_down) and all(
        any(_same(one, old) for old in other_sentences) for one in laid_down
    )


def _same(new: str, old: str) -> bool:
    if differ(old, new) or turned(old, new):
        return False
    return covers(old, new) or restates(old, new)
