"""Decides whether an external text gives instructions to the assistant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from memoranda.quarantine.encodings import decoded, spelled_out, turned
from memoranda.quarantine.model import QuarantineReason
from memoranda.quarantine.normalization import FoldedText, fold, unnecessary_characters
from memoranda.quarantine.order_model import OrderWeights, scored_passages, sentence_score
from memoranda.quarantine.order_signs import FoundSign, found_signs

_LIKELY, _LIKELY_WEIGHT = 1.85, 0.8
"""Log odds above which a passage is an instruction, and the weight of this sign."""
_UNLIKELY = -4.0
"""Log odds up to which a sentence with the phrase of a sign is not an instruction."""
_COMMANDS = ("| sh", "|sh", "| bash", "rm -rf", "os.system", "wget ", "curl ")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """The reason to quarantine a text, with its position and score."""

    reason: QuarantineReason
    """Reason with the highest weight."""
    span: tuple[int, int]
    """Position in the text: first character, and end."""
    score: float
    """Score from 0.7 to 1 for ranking suspicions; it is not a probability."""


def suspicion(text: str, weights: OrderWeights | None = None) -> Suspicion | None:
    """Return why a text should be quarantined until it is reviewed, or None.

    Use this for text from tools, web pages and imports, not for a user's messages. The time is
    linear in the length of the text. ``weights`` are the weights of the model; by default, those of
    the package are used.
    """
    folded = fold(text)
    found: dict[QuarantineReason, FoundSign] = {}
    for item in chain(_signs(text, folded, weights), _likely_orders(folded, weights)):
        if item.reason not in found or found[item.reason].weight < item.weight:
            found[item.reason] = item
    if not found:
        return None
    heaviest = max(found.values(), key=lambda found_sign: found_sign.weight)
    return Suspicion(
        heaviest.reason, heaviest.span, min(1.0, sum(sign.weight for sign in found.values()))
    )


def _signs(text: str, folded: FoldedText, weights: OrderWeights | None) -> Iterator[FoundSign]:
    if span := unnecessary_characters(text):
        yield FoundSign(QuarantineReason.INVISIBLE, span, 1.0)
    yield from _likely_signs(folded, weights)
    for span, plain in decoded(text):
        if _runs_something(plain) or _has_order(fold(plain), weights):
            yield FoundSign(QuarantineReason.ENCODED, span, 1.0)
    for plain, back in turned(text):
        for sign in _likely_signs(fold(plain), weights):
            yield FoundSign(QuarantineReason.ENCODED, back(*sign.span), 1.0)
    for start, end in spelled_out(folded.text):
        yield FoundSign(QuarantineReason.OVERRIDE, folded.span(start, end), 1.0)


def _has_order(folded: FoldedText, weights: OrderWeights | None) -> bool:
    found = chain(_likely_signs(folded, weights), _likely_orders(folded, weights))
    return next(found, None) is not None


def _likely_signs(folded: FoldedText, weights: OrderWeights | None) -> Iterator[FoundSign]:
    """Yield a text's signs, except phrases in sentences that seem harmless."""
    for sign in found_signs(folded.text):
        if not sign.is_phrase or sentence_score(folded.text, sign.span, weights) > _UNLIKELY:
            yield FoundSign(sign.reason, folded.span(*sign.span), sign.weight)


def _likely_orders(folded: FoldedText, weights: OrderWeights | None) -> Iterator[FoundSign]:
    """Yield the passages that the model classifies as instructions."""
    for passage in scored_passages(folded.text, weights):
        if passage.score > _LIKELY:
            yield FoundSign(QuarantineReason.ADDRESS, folded.span(*passage.span), _LIKELY_WEIGHT)


def _runs_something(plain: str) -> bool:
    """Return whether a decoded piece contains a shell command."""
    low = plain.lower()
    return any(mark in low for mark in _COMMANDS)
