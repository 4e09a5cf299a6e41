"""Decides whether a text from outside gives orders to the assistant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain

from memoranda.quarantine.addressees import addressed_orders
from memoranda.quarantine.concepts import ConceptRule, anchors_in, concepts, concepts_in
from memoranda.quarantine.encodings import decoded, turned
from memoranda.quarantine.model import QuarantineReason
from memoranda.quarantine.normalization import FoldedText, closed_up, fold
from memoranda.quarantine.order_model import OrderWeights, scored_windows, sentence_score
from memoranda.quarantine.signs import signs

_CARRIES = re.compile(
    "[\u00ad\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2068\ufe00-\ufe0f\ufeff\U000e0001-\U000e01ef]"
)
"""Any character that the other patterns look for.

Most texts have none of them.
"""
_TAGS = re.compile(r"(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001-\U000e007f]{1,200}")
"""Tag characters; after a black flag they form the flag of a region."""
_TURNING = re.compile("[\u202a\u202b\u202d\u202e\u2066-\u2068]")
"""Characters that change the direction of the following text.

They do so also where it is not Hebrew or Arabic.
"""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_RUN = re.compile("[\u2060-\u2064\u200b\u180e]{4,200}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,200}")
"""Sequence of invisible characters.

A person needs at most two of them in a place.
"""
_INSIDE_WORDS = re.compile("[A-Za-z][\u00ad\u200b-\u200d\u2060\ufeff](?=[A-Za-z])")
_MOST_INSIDE = 3


def hidden(text: str) -> tuple[int, int] | None:
    """Return the position of unnecessary invisible characters, if any.

    No language needs them.
    """
    if not _CARRIES.search(text):
        return None
    for pattern in (_TAGS, _RUN):
        if found := pattern.search(text):
            return found.span()
    turning = _TURNING.search(text)
    if turning and not _RIGHT_TO_LEFT.search(text):
        return turning.span()
    inside = [
        found.span() for found, _ in zip(_INSIDE_WORDS.finditer(text), range(8), strict=False)
    ]
    return (inside[0][0], inside[-1][1]) if len(inside) > _MOST_INSIDE else None


_SENTENCE = re.compile(r"(?:[^\n.!?\u3002\uff01\uff1f\u061f\u0964]|[.!?](?=\S)){2,600}")
_APART = 80
"""Maximum characters between two sentences that are read together."""


@dataclass(frozen=True, slots=True)
class FoundCommand:
    """A sentence, or two, that fulfil a rule."""

    reason: QuarantineReason
    weight: float
    span: tuple[int, int]


def commands_in(text: str) -> Iterator[FoundCommand]:
    """Yield the commands of a folded text, in order.

    An override stands in one sentence; what is done in secret may stand in the next one.
    """
    before: dict[str, set[str]] = {}
    start = end = 0
    for found in _sentences(text, anchors_in(text)):
        here = concepts_in(found[0])
        if not here:
            continue
        near = before if found.start() - end <= _APART else {}
        for language, names in here.items():
            both = names | near.get(language, set())
            for rule in _fulfilled(names, both):
                first = found.start() if rule.concepts <= names else start
                yield FoundCommand(rule.reason, rule.weight, (first, found.end()))
        before, (start, end) = here, found.span()


def _sentences(text: str, anchors: Collection[str]) -> Iterator[re.Match[str]]:
    """Yield the sentences that have an anchor, and those beside them."""
    places = sorted(place for anchor in anchors for place in _places(text, anchor))
    if not places:
        return
    before, was_near, at = None, False, 0
    for found in _SENTENCE.finditer(text):
        while at < len(places) and places[at] < found.start():
            at += 1
        is_near = at < len(places) and places[at] < found.end()
        if is_near and before is not None and not was_near:
            yield before
        if is_near or was_near:
            yield found
        before, was_near = (None, True) if is_near else (found, False)
        if at >= len(places) and not was_near:
            return


def _places(text: str, anchor: str) -> Iterator[int]:
    is_word = anchor.isascii()
    at = text.find(anchor)
    while at >= 0:
        end = at + len(anchor)
        if not (is_word and (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum())):
            yield at
        at = text.find(anchor, end)


def _fulfilled(alone: set[str], both: set[str]) -> Iterator[ConceptRule]:
    for rule in concepts().rules:
        names = alone if rule.reason is QuarantineReason.OVERRIDE else both
        if rule.concepts <= names and not rule.concepts.isdisjoint(alone):
            yield rule


ENOUGH = 0.7
"""Weight from which on a text is suspicious."""

_LIKELY, _POSSIBLE = 1.0, 0.0
"""Log odds from which on the model's judgement is enough, or adds to other signs."""
_LIKELY_WEIGHT, _POSSIBLE_WEIGHT = 0.8, 0.4
_UNLIKELY = -2.5
"""Log odds below which a sentence with a phrase of an order speaks of something else."""
_SPELLED = (
    "ignoreall",
    "ignoreprev",
    "ignoreyour",
    "disregard",
    "systemprompt",
    "forgetall",
    "forgetthe",
)
_SPELT = 8
"""Number of consecutive single letters that may spell something."""
_WORD = re.compile(r"[^\W_]+")
_GAPS = {code: " " for code in range(128) if not chr(code).isalnum()}
_COMMANDS = ("| sh", "|sh", "| bash", "rm -rf", "os.system", "wget ", "curl ")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Why a text is withheld."""

    reason: QuarantineReason
    """Reason with the highest weight."""
    span: tuple[int, int]
    """Position in the text: first character, and the one after the last."""
    score: float
    """0.7 to 1; it orders suspicions and is not a probability."""


@dataclass(frozen=True, slots=True)
class _FoundSign:
    reason: QuarantineReason
    span: tuple[int, int]
    weight: float


def suspicion(text: str, weights: OrderWeights | None = None) -> Suspicion | None:
    """Return why a text is to be withheld until a person has reviewed it.

    None where it is not. For text of tools, of pages and of imports, not for what the user says. It
    takes time in proportion to the length of the text. Signs of different reasons add up, so that a
    text with two weak ones is withheld too.

    ``weights`` are the model's; those of the package unless passed.
    """
    found: dict[QuarantineReason, _FoundSign] = {}
    for one in chain(_signs(text, weights), _modelled(fold(text), weights)):
        if one.reason not in found or found[one.reason].weight < one.weight:
            found[one.reason] = one
    score = min(1.0, sum(one.weight for one in found.values()))
    if score < ENOUGH:
        return None
    heaviest = max(found.values(), key=lambda one: one.weight)
    return Suspicion(heaviest.reason, heaviest.span, score)


def has_signs(text: str) -> bool:
    """Return whether a rule finds any sign in a text, whatever its weight."""
    return next(_signs(text), None) is not None


def _signs(text: str, weights: OrderWeights | None = None) -> Iterator[_FoundSign]:
    if span := hidden(text):
        yield _FoundSign(QuarantineReason.INVISIBLE, span, 1.0)
    yield from _found_signs(fold(text), weights)
    for span, plain in decoded(text):
        if any(True for _ in _found_signs(fold(plain))) or _runs_something(plain):
            yield _FoundSign(QuarantineReason.ENCODED, span, 1.0)
    for plain, back in turned(text):
        for one in _found_signs(fold(plain)):
            yield _FoundSign(QuarantineReason.ENCODED, back(*one.span), 1.0)


def _found_signs(folded: FoldedText, weights: OrderWeights | None = None) -> Iterator[_FoundSign]:
    text = folded.text
    for sign in signs().patterns:
        if span := sign.around_its_words(text):
            yield _FoundSign(sign.reason, folded.span(*span), sign.weight)
    for order in addressed_orders(text):
        if sentence_score(text, order.span, weights) > _UNLIKELY:
            yield _FoundSign(QuarantineReason.ADDRESS, folded.span(*order.span), order.weight)
    for one in commands_in(text):
        yield _FoundSign(one.reason, folded.span(*one.span), one.weight)
    words = _words(text)
    yield from _phrases(folded, frozenset(words), weights)
    if sum(len(word) == 1 for word in words) >= _SPELT:
        for spaced in closed_up(folded):
            yield from _spelled_out(spaced)


def _modelled(folded: FoldedText, weights: OrderWeights | None) -> Iterator[_FoundSign]:
    """Yield the windows that the model takes for orders to an assistant."""
    for one in scored_windows(folded.text, weights):
        if one.score > _POSSIBLE:
            weight = _LIKELY_WEIGHT if one.score > _LIKELY else _POSSIBLE_WEIGHT
            yield _FoundSign(QuarantineReason.ADDRESS, folded.span(*one.span), weight)


def _words(text: str) -> list[str]:
    return text.translate(_GAPS).split() if text.isascii() else _WORD.findall(text)


def _phrases(
    folded: FoldedText, words: frozenset[str], weights: OrderWeights | None
) -> Iterator[_FoundSign]:
    """Search for phrases at the positions of their first word.

    The word is one of ``words``.
    """
    text, begun = folded.text, signs().phrases
    for sign in {sign: None for word in begun.keys() & words for sign in begun[word]}:
        if not sign.could_be_in(text) or not (span := sign.at_its_starts(text, words)):
            continue
        if sentence_score(text, span, weights) > _UNLIKELY:
            yield _FoundSign(sign.reason, folded.span(*span), sign.weight)


def _spelled_out(spaced: FoldedText) -> Iterator[_FoundSign]:
    """Check words that were written letter by letter."""
    for phrase in _SPELLED:
        if (at := spaced.text.find(phrase)) >= 0:
            yield _FoundSign(QuarantineReason.OVERRIDE, spaced.span(at, at + len(phrase)), 1.0)


def _runs_something(plain: str) -> bool:
    """Return whether a decoded piece is a shell command.

    An encoded command is there to hide something.
    """
    low = plain.lower()
    return any(mark in low for mark in _COMMANDS)
