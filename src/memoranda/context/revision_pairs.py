"""Joins a person's later statement with the earlier one it probably changes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memoranda.context.revisions import (
    FLOOR,
    PersonStatement,
    Rarity,
    RevisionModel,
    revision_model,
    statement_stems,
)
from memoranda.context.user_sentences import Remark
from memoranda.utterances.labels import UtteranceLabel

LASTS = 0.5
"""Minimum lasting probability of a later statement; reports of completed work change no rule."""
WITHDRAWS = 0.3
"""Minimum probability that a later sentence ends what it mentions.

Of 79 statements that an author's messages ended, 25 were joined with the message by these limits,
and of 70 messages that end nothing, 4 were (other messages than those used to choose the limits).
"""
NAMED = ((0.9, 0.3), (2.1, 0.2))
"""Minimum rarity of what the later sentence mentions, or minimum share of the earlier statement's
weight.

A stem in a single statement has a rarity of 1.
"""
MAX_LENGTH = 450
"""Maximum number of characters of both statements; in a longer line, the earlier statement would be
cut.
"""


_LIFT = tuple(UtteranceLabel).index(UtteranceLabel.LIFT)


@dataclass(frozen=True, slots=True)
class RevisionPair:
    """Earlier and later remark by their positions, with the score in logits."""

    earlier: int
    later: int
    score: float


def with_revisions(remarks: Sequence[Remark]) -> list[Remark]:
    """Return the remarks, joining changes with the earlier lasting ones.

    The line is a standing instruction, so that a rule is kept even if both statements are only
    about the same subject. Each remark is in one pair, the one with the highest score.
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
    worth, lasts = max(earlier.worth, later.worth), earlier.lasts or later.lasts
    return replace(later, sentence=sentence, worth=worth, replaces=lasts)


def _pairs(remarks: Sequence[Remark]) -> Iterator[RevisionPair]:
    """Yield withdrawals, and pairs above the floor with enough in common."""
    earlier = {
        at: statement_stems(one.sentence.text) for at, one in enumerate(remarks) if one.lasts
    }
    if len(remarks) < 2:
        return
    rarity = Rarity([one.sentence.text for one in remarks])
    yield from _withdrawals(remarks, rarity)
    if not earlier:
        return
    having: dict[str, list[int]] = defaultdict(list)
    for at, stems in earlier.items():
        for stem in stems:
            having[stem].append(at)
    model = revision_model()
    whole = {at: rarity.of(stems) for at, stems in earlier.items()}
    for at, one in enumerate(remarks):
        if not one.lasts and one.sentence.lasting < LASTS:
            continue
        shares = rarity.shares(having, whole, statement_stems(one.sentence.text))
        close = {
            other: share
            for other, share in shares.items()
            if remarks[other].observation.counted_at < one.observation.counted_at
        }
        if close:
            yield from _scored(model, remarks, at, close)


def _withdrawals(remarks: Sequence[Remark], rarity: Rarity) -> Iterator[RevisionPair]:
    """Yield sentences that probably end another one, with the best match."""
    stems_of = [statement_stems(one.sentence.text) for one in remarks]
    for at, one in enumerate(remarks):
        text = one.sentence.text
        chance = one.sentence.chances[_LIFT] if one.sentence.chances else 0.0
        if chance < WITHDRAWS or "?" in text:
            continue
        named = [
            (rarity.of(common), -other)
            for other, earlier in enumerate(remarks)
            if earlier.observation.counted_at < one.observation.counted_at
            and len(earlier.sentence.text) + len(text) <= MAX_LENGTH
            and (common := stems_of[other] & stems_of[at])
            and _names(rarity, stems_of[other], common)
        ]
        if named:
            yield RevisionPair(-max(named)[1], at, math.log(chance / (1.001 - chance)))


def _names(rarity: Rarity, earlier: frozenset[str], common: frozenset[str]) -> bool:
    """Return whether the common words of two statements identify the earlier one."""
    weight, share = rarity.relative(common), rarity.share(earlier, common)
    return any(weight >= rare and share >= least for rare, least in NAMED)


def _scored(
    model: RevisionModel,
    remarks: Sequence[Remark],
    at: int,
    close: Mapping[int, float],
) -> Iterator[RevisionPair]:
    remark = remarks[at]
    text = remark.sentence.text
    starts = [one.start for one in remark.message]
    own = model.later(PersonStatement.of(remark.message, starts.index(remark.sentence.start)))
    stems = statement_stems(text)
    for other, share in close.items():
        earlier = remarks[other].sentence.text
        if len(earlier) + len(text) > MAX_LENGTH:
            continue
        common = len(statement_stems(earlier) & stems)
        score = own + model.earlier(earlier) + model.both(earlier, text, share, common)
        if score >= FLOOR:
            yield RevisionPair(other, at, score)
