"""Verifiable sentences: an amount, a date, or what a named thing is."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from memoranda.memories.encoding_model import MemoryType
from memoranda.memories.extraction.types import SentenceType
from memoranda.statements.tokens import scan

MOST = 8

_LEAST_WORDS = 4
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|uses?|used|runs? on|lives?|lived|works?|worked|belongs?"
    r"|costs?|takes|holds|contains?|requires?|supports?|expires?|starts?|ends?|opens?|closes?|returns?"
    r"|listens?|stores?|stands for|means|sits|owns?|leads|reports to|depends on|founded|located"
    r"|includes?|produces?|accepts?|points to|set to|caused|fixed|failed|passed|showed|shows)\b"
)
_SUBJECTIVE = frozenset((MemoryType.OPINION, MemoryType.COMMITMENT, MemoryType.PREFERENCE))
_SUPPOSES = re.compile(
    r"\b(?:might|(?<!in )(?<!since )may(?! \d)|maybe|perhaps|probably|could"
    r"|should|would|if|unless|whether|hope|hopefully|guess|suppose|seems?|apparently|wonder|wants?|likely)\b"
)


def facts(readings: Sequence[SentenceType], named: Collection[str] = ()) -> tuple[str, ...]:
    """Return the sentences that can be checked, verbatim, in order.

    There are at most 8. ``named``: the names in the text. Questions, suppositions, promises and
    judgements are excluded.
    """
    found: list[str] = []
    for one in readings:
        if len(found) == MOST:
            break
        if _is_checkable(one, named):
            found.append(one.sentence)
    return tuple(found)


def _is_checkable(one: SentenceType, named: Collection[str]) -> bool:
    if one.low.endswith("?") or one.low.count(" ") < _LEAST_WORDS - 1 or one.type in _SUBJECTIVE:
        return False
    if _SUPPOSES.search(one.low) or not _STATES.search(one.low):
        return False
    return any(name in one.sentence for name in named) or _measures(one.sentence)


def _measures(sentence: str) -> bool:
    """Return whether a sentence contains a number or a date."""
    return any(token.date or token.number is not None for token in scan(sentence))
