"""Joins a later statement of a person with the earlier one that it probably changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memoranda.context.revisions import (
    ENOUGH,
    FLOOR,
    SHARED,
    PersonStatement,
    Rarity,
    RevisionModel,
    revision_model,
)
from memoranda.context.user_sentences import Remark
from memoranda.language.words import content_stems

LASTS = 0.5
"""Minimum lasting probability of a later statement; a report of what was done changes no rule."""
MAX_LENGTH = 450
"""Maximum characters of both statements; the earlier one would be cut from a longer line."""


@dataclass(frozen=True, slots=True)
class RevisionPair:
    """Earlier and later remark, by their positions, with the score in logits."""

    earlier: int
    later: int
    score: float


def with_revisions(remarks: Sequence[Remark]) -> list[Remark]:
    """Return the remarks, each that changes an earlier lasting one joined with it.

    The line is a standing instruction, so that a rule stays one if both are only about the same.
    Each is in one pair, the one with the highest score.
    """
    pairs = sorted(_pairs(remarks), key=lambda one: (-one.score, one.earlier, one.later))
    result: dict[int, Remark] = dict(enumerate(remarks))
    used: set[int] = set()
    for pair in pairs:
        if used.isdisjoint((pair.earlier, pair.later)):
            used |= {pair.earlier, pair.later}
            result[pair.later] = _joined(remarks[pair.earlier], remarks[pair.later])
            del result[pair.earlier]
    return list(result.values())


def _joined(earlier: Remark, later: Remark) -> Remark:
    text = f"{later.sentence.text} (before, {earlier.observation.ref}: {earlier.sentence.text})"
    sentence = replace(later.sentence, text=text)
    return replace(later, sentence=sentence, worth=max(earlier.worth, later.worth), replaces=True)


def _pairs(remarks: Sequence[Remark]) -> Iterator[RevisionPair]:
    """Yield the pairs above the floor that have enough in common."""
    earlier = {at: content_stems(one.sentence.text) for at, one in enumerate(remarks) if one.lasts}
    if not earlier or len(remarks) < 2:
        return
    rarity = Rarity([one.sentence.text for one in remarks])
    having: dict[str, list[int]] = defaultdict(list)
    for at, stems in earlier.items():
        for stem in stems:
            having[stem].append(at)
    model = revision_model()
    first = {at: model.earlier(remarks[at].sentence.text) for at in earlier}
    for at, one in enumerate(remarks):
        stems = content_stems(one.sentence.text)
        near = {
            other
            for stem in stems
            for other in having.get(stem, ())
            if remarks[other].observation.counted_at < one.observation.counted_at
        }
        shares = {other: rarity.share(earlier[other], stems) for other in near}
        close = {
            other: share
            for other, share in shares.items()
            if share >= SHARED and rarity.relative(earlier[other] & stems) >= ENOUGH
        }
        if close and (one.lasts or one.sentence.lasting >= LASTS):
            yield from _scored(model, remarks, at, close, first)


def _scored(
    model: RevisionModel,
    remarks: Sequence[Remark],
    at: int,
    close: Mapping[int, float],
    first: Mapping[int, float],
) -> Iterator[RevisionPair]:
    remark = remarks[at]
    text = remark.sentence.text
    starts = [one.start for one in remark.message]
    own = model.later(PersonStatement.of(remark.message, starts.index(remark.sentence.start)))
    stems = content_stems(text)
    for other, share in close.items():
        earlier = remarks[other].sentence.text
        if len(earlier) + len(text) > MAX_LENGTH:
            continue
        common = len(content_stems(earlier) & stems)
        score = own + first[other] + model.both(earlier, text, share, common)
        if score >= FLOOR:
            yield RevisionPair(other, at, score)
