"""Shortens a long memory without loss of facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoranda.compression.model import CompressedText, Passage, PassageSpeaker, Quality
from memoranda.memories.model import Memory
from memoranda.ports import Compressor, TokenCounter
from memoranda.profile.optimization.essential_facts import (
    lost_facts,
    plain_sentences,
    rules,
    values,
)

VERBOSE = 100
"""Minimum number of tokens of a text that is shortened."""
SHARES = (0.4, 0.55, 0.7, 0.85)
"""Fractions of the text's tokens that are tried in turn until every fact is kept."""
SAVED = 0.1
"""Minimum fraction of the text's tokens that a shorter text must save."""
METHOD = "extract"
"""Compression method whose text is quoted from its source."""

Measure = Callable[[Sequence[Passage], CompressedText], Quality]


class TextShortener:
    """Shortens with a compressor; accepts only texts that keep every fact."""

    def __init__(self, compressor: Compressor, measure: Measure, counter: TokenCounter) -> None:
        self._compressor = compressor
        self._measure = measure
        self._counter = counter

    def shorter(self, memory: Memory) -> str | None:
        """Return a shorter text for a memory.

        Return None if a shorter text would lose a fact or save too little.
        """
        pinned = tuple(rules(memory.content))
        for share in SHARES:
            passage = Passage("memory", PassageSpeaker.SYSTEM, memory.content, pinned)
            made = self._compressor.compress([passage], int(share * memory.tokens))
            text = compressed_text(made)
            missing = lost_facts(memory.content, text)
            if not missing and self._is_sound(passage, made):
                return text if self._saves(memory, text) else None
            pinned = _with(pinned, memory.content, missing)
        return None

    def _is_sound(self, passage: Passage, made: CompressedText) -> bool:
        if any(line.outdated for line in made.lines):
            return False  # the text contains a superseded statement
        quality = self._measure([passage], made)
        return quality.kept == quality.facts and not quality.contradictions

    def _saves(self, memory: Memory, text: str) -> bool:
        return self._counter.count(text) <= (1 - SAVED) * memory.tokens


def compressed_text(made: CompressedText) -> str:
    """Return a compressor's result for one text, without line labels."""
    if made.method == METHOD:
        return " ".join(line.text for line in made.lines)
    lines = made.text.split("\n")
    first = lines[0].partition(": ")[2]
    return " ".join([first, *(line.strip() for line in lines[1:])])


def _with(pinned: tuple[str, ...], text: str, missing: Sequence[str]) -> tuple[str, ...]:
    """Return the pinned sentences and the sentences with lost facts."""
    gone = set(missing)
    more = [
        item for item in plain_sentences(text) if item in gone or not values(item).isdisjoint(gone)
    ]
    return tuple(dict.fromkeys((*pinned, *more)))
