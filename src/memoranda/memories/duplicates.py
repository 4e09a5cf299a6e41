"""Finds memories equivalent to a text.

Candidates come from full-text search; they are then compared by words and vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.feedback.suggestion_comparison import same_suggestion
from memoranda.language.sentences import sentence_spans
from memoranda.language.words import EMPTY, stem, word_set, words
from memoranda.memories import table as memories
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.scope import Scope
from memoranda.store.database import TextQuery, Transaction
from memoranda.text import one_line

EXAMINED = 50
"""Maximum number of memories with common words that are compared."""
WORDS = 40
"""Maximum number of words of a text that are searched for."""
MORE = 8
"""Factor by which more hits are requested from the index than are needed.

The surplus is needed because the index finds memories of every status.
"""
SHORT = 240
"""Maximum number of characters of a memory that is taken to state everything it contains."""
ABOUT = 0.4
"""Minimum share of the opening of a long memory that a text must account for if the memory states
the text.
"""

_KINDS = frozenset(
    map(
        stem,
        word_set(
            "rule preference memory note fact setting convention instruction decision habit thing"
            " stuff reminder information name number value detail limit"
        ),
    )
)
"""Words for the kind of a memory rather than its subject."""
_FUNCTION = frozenset(map(stem, word_set("not no never always only any all every")))
"""Words that many memories contain, whatever their subject."""


@dataclass(frozen=True, slots=True)
class TextEmbedding:
    """Text with its vector."""

    model: str | None
    """Model that computed the vector; None if there is no vector."""
    vector: bytes | None
    """float16, little-endian."""


UNKNOWN = TextEmbedding(None, None)


def sharing_words(
    tx: Transaction, scope: Scope, text: str, limit: int = EXAMINED, *, pending: bool = False
) -> list[Memory]:
    """Return memories that share words with a text, best first."""
    statuses = {MemoryStatus.APPROVED, MemoryStatus.PENDING if pending else MemoryStatus.APPROVED}
    found = (item for item in _with_words(tx, scope, text, limit) if _is_in(item, scope))
    return [memory for memory in found if memory.status in statuses][:limit]


def find_rejected(tx: Transaction, memory: Memory) -> Memory | None:
    """Return a rejected, equivalent memory in the same scope.

    Another wording is recognised if one of the two texts contains every content word of the other
    and names no other thing.
    """
    scope = Scope(memory.team, workspace=memory.workspace, agent=memory.agent)
    stated = _every_stem(memory.content)
    for item in _with_words(tx, scope, memory.content, EXAMINED):
        stems = _every_stem(item.content)
        rejected = item.status is MemoryStatus.REJECTED and item.workspace == memory.workspace
        within = stated <= stems or stems <= stated
        if rejected and within and same_suggestion(memory.content, item.content):
            return item
    return None


def _with_words(tx: Transaction, scope: Scope, text: str, limit: int) -> list[Memory]:
    """Return memories of any status that share words with a text."""
    words = _content_words(text)[:WORDS]
    query = TextQuery(scope.team, words, (), scope.workspace, limit=limit * MORE)
    hits = tx.text("memory").search(query)
    found = memories.by_ids(tx, scope.team, [hit.id for hit in hits], scope.agent)
    return [found[hit.id] for hit in hits if hit.id in found]


def with_every_word(tx: Transaction, scope: Scope, text: str) -> list[Memory]:
    """Return approved memories with every content word of a text.

    If any memories have exactly the text, only those memories are returned. Words that name the
    kind of a memory, as in "the async rule", are not required.
    """
    wanted = _required_stems(text)
    if not wanted:
        return []
    found = [one for one in sharing_words(tx, scope, text) if wanted <= _stems(one)]
    exact = [memory for memory in found if plain(memory.content) == plain(text)]
    named = [item for item in found if _every_stem(text) <= _stems(item)]
    return exact or named or found


def stating(found: Sequence[Memory], text: str) -> list[Memory]:
    """Return the given memories that state a text rather than mention it.

    A short memory states everything that it contains; a long memory states only what its title and
    first sentence are mainly about. If there are short ones, only they are returned.
    """
    short = [memory for memory in found if len(memory.content) <= SHORT]
    return short or [memory for memory in found if _opens_with(memory, _required_stems(text))]


def _opens_with(memory: Memory, wanted: set[str]) -> bool:
    """Return whether a memory's title and first sentence are about some stems."""
    first = next(iter(sentence_spans(memory.content)), (0, 0))
    statement = f"{memory.title} {memory.content[slice(*first)]} {' '.join(memory.tags)}"
    stems = _every_stem(statement)
    return wanted <= stems and len(wanted) >= ABOUT * len(stems)


def with_some_words(tx: Transaction, scope: Scope, text: str) -> list[Memory]:
    """Return approved memories that share content words with a text.

    Memories with the most shared words come first.
    """
    wanted = _required_stems(text)
    shared = [(len(wanted & _stems(memory)), memory) for memory in sharing_words(tx, scope, text)]
    shared.sort(key=lambda pair: -pair[0])
    return [item for count, item in shared if count]


def _required_stems(text: str) -> set[str]:
    """Return the stems that a memory about a text must contain."""
    found = _every_stem(text)
    return (found - _KINDS - _FUNCTION) or (found - _FUNCTION)


def _every_stem(text: str) -> set[str]:
    return {stem(word) for word in _content_words(text)}


def with_same_text(tx: Transaction, scope: Scope, text: str) -> Memory | None:
    """Return the approved memory whose first line equals a text.

    Letter case and closing punctuation are ignored.
    """
    line = plain(text)
    found = sharing_words(tx, scope, text)
    return next(
        (memory for memory in found if plain(memory.content.partition("\n")[0]) == line), None
    )


def find_duplicate(
    tx: Transaction, scope: Scope, text: str, meaning: TextEmbedding, *, pending: bool = False
) -> Memory | None:
    """Return the nearest equivalent memory: approved or, on request, pending."""
    found = sharing_words(tx, scope, text, pending=pending)
    near = _cosines(tx, scope.team, meaning, [memory.id for memory in found])
    same = [item for item in found if same_suggestion(text, _first_line(item), near.get(item.id))]
    return max(same, key=lambda one: near.get(one.id, 0.0), default=None)


def plain(text: str) -> str:
    """Normalise a text for comparison: one line, lower case, no end marks."""
    return one_line(text).lower().rstrip(" .!")


def _first_line(memory: Memory) -> str:
    return memory.content.partition("\n")[0]


def _is_in(memory: Memory, scope: Scope) -> bool:
    return scope.workspace is None or memory.workspace in (None, scope.workspace)


def _content_words(text: str) -> list[str]:
    return list(dict.fromkeys(word for word in words(text) if word not in EMPTY))


def _stems(memory: Memory) -> set[str]:
    text = f"{memory.title} {memory.content} {' '.join(memory.tags)}"
    return {stem(word) for word in words(text)}


def _cosines(
    tx: Transaction, team: str, meaning: TextEmbedding, ids: Sequence[str]
) -> dict[str, float]:
    """Return the cosine of each memory with a vector.

    Memories without a vector of the same model are omitted.
    """
    if meaning.model is None or meaning.vector is None or not ids:
        return {}
    import numpy as np

    vector = np.frombuffer(meaning.vector, "<f2").astype(np.float32)
    result: dict[str, float] = {}
    for (source, _), cosine in tx.vectors().similarities(team, meaning.model, vector, ids).items():
        result[source] = max(cosine, result.get(source, -1.0))
    return result
