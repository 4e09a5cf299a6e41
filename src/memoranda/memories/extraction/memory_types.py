"""Types of memory in a text: fact, decision, commitment, and so on.

The others are preference and opinion. Each type has English cues, with more weight early in a
sentence. One sentence of each type is kept (two facts); sentences that explain or carry out an
earlier one are omitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.memories.extraction.cues import (
    ADOPTS,
    BACKWARD,
    FORWARD,
    HAS_TO,
    IMPERSONAL,
    JOINED,
    OF_OTHERS,
    PRONOUN,
    UNDER_WAY,
    cues,
)
from memoranda.memories.extraction_model import MemoryType, TypedSentence
from memoranda.text import lowered

MAX_FACTS = 2

_ENOUGH = 2.0
_EARLY = 1.0
"""Weight of a cue at the very start of a sentence; it decreases for later ones."""

_MORE = 0.5
"""Weight of each further group of cues for the same type."""
_OF_THINGS = 2.5
"""Deduction for a decision whose subject is a thing."""

_FACT, _DECISION = MemoryType.FACT, MemoryType.DECISION
_COMMITMENT, _OPINION = MemoryType.COMMITMENT, MemoryType.OPINION


@dataclass(frozen=True, slots=True)
class SentenceType:
    """Sentence with the type that its cues indicate; None without cues."""

    sentence: str
    low: str
    """The sentence in lower case."""
    type: MemoryType | None


def sentence_type(sentence: str) -> SentenceType:
    """Classify a sentence by its cues; a question has no type."""
    low = lowered(sentence)
    weights: dict[MemoryType, float] = {}
    groups: set[tuple[MemoryType, float]] = set()
    for cue, at in cues(low) if not low.endswith("?") else ():
        weight = cue.weight + _EARLY * (1 - at / len(low))
        weights[cue.type] = max(weight, weights.get(cue.type, 0.0))
        groups.add((cue.type, cue.weight))
    for kind in weights:
        weights[kind] += _MORE * (sum(group[0] is kind for group in groups) - 1)
    if _DECISION in weights and IMPERSONAL.match(low):
        weights[_DECISION] -= _OF_THINGS
    best = max(weights, key=lambda kind: weights[kind], default=None)
    return SentenceType(sentence, low, best if best and weights[best] >= _ENOUGH else None)


def typed_sentences(readings: Sequence[SentenceType]) -> tuple[TypedSentence, ...]:
    """Return at most six sentences with their memory types, in order.

    If there is no other, the first sentence is a fact unless it is a question.
    """
    types = [reading for reading in readings if not reading.sentence.endswith("?")]
    sentences: list[TypedSentence] = []
    for item in types:
        kind = _follows(item, sentences) if sentences else item.type
        if kind is not None:
            sentences.append(TypedSentence(kind, item.sentence))
        if sentences and JOINED.search(item.low) and not _carries_out(_COMMITMENT, sentences):
            sentences.append(TypedSentence(_COMMITMENT, item.sentence))
    return tuple(sentences) or tuple(TypedSentence(_FACT, one.sentence) for one in types[:1])


def _follows(one: SentenceType, found: Sequence[TypedSentence]) -> MemoryType | None:
    """Return the type of memory that a sentence adds, or None."""
    kinds = {verb.type for verb in found}
    step = _step(one.low)
    if step is not None:
        return step if not _carries_out(step, found) else None
    if one.type is _FACT:
        return _FACT if _adds_fact(one, found) else None
    if one.type in (None, _COMMITMENT) or one.type in kinds or BACKWARD.match(one.low):
        return None
    return one.type if one.type is not _OPINION or kinds == {_FACT} else None


def _step(low: str) -> MemoryType | None:
    """Return the type of a sentence about the writer's next step."""
    if ADOPTS.match(low):
        return _DECISION
    return _COMMITMENT if FORWARD.match(low) or UNDER_WAY.match(low) else None


def _carries_out(step: MemoryType, found: Sequence[TypedSentence]) -> bool:
    """Return whether a step only carries out an earlier decision or promise."""
    first = found[0]
    own_decision = first.type is _DECISION and not OF_OTHERS.match(first.sentence)
    return own_decision or any(verb.type in (step, _COMMITMENT) for verb in found)


def _adds_fact(one: SentenceType, found: Sequence[TypedSentence]) -> bool:
    if any(verb.type is not _FACT for verb in found) or len(found) >= MAX_FACTS:
        return False
    points = BACKWARD.match(one.low) or PRONOUN.match(one.low)
    measured = any(map(str.isdigit, one.low))
    return measured and not points and not HAS_TO.search(one.low)
