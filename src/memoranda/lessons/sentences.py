"""Finds the sentences of a person's message that apply to later work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoranda.text import one_line
from memoranda.utterances import (
    LABELS,
    UtteranceLabel,
    is_momentary,
    plain_classifier,
    sentence_spans,
)
from memoranda.utterances.parts import UtterancePart

SURE = 0.45
"""Minimum probability that a sentence lasts for it to be proposed."""
FOLLOWING, PRECEDING = 0.05, 0.15
"""The same for the sentences after and before it that belong to it."""
LONGEST = 480
"""Maximum length in characters of sentences used together."""
LEAST = 4
"""Minimum number of words of a sentence that can be read alone."""

_CODE = re.compile(r"^\s*(?:[|>$#@]|at |File |[A-Z_]+=|\S+:\d+|[-+]{3} |```)|^\s{4,}")
_QUESTION = re.compile(r"[?\uff1f][\s\W]*$")
_PRAISE = re.compile(r"^\W{0,3}(?:i|we) (?:really |do )?(?:like|love) (?:it|that|this|how)\b", re.I)
_LASTING = (UtteranceLabel.RULE, UtteranceLabel.PREFERENCE, UtteranceLabel.REMEMBER)


@dataclass(frozen=True, slots=True)
class LastingSentence:
    """Lasting instruction of a person, verbatim."""

    text: str
    """One sentence, with adjacent ones that belong to it."""
    label: UtteranceLabel
    sure: float
    """Probability that it lasts, 0 to 1."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    start: int
    end: int
    lasting: float
    label: UtteranceLabel
    passes: bool
    """Whether it is a request, temporary, or no sentence of the person."""


def lasting_sentences(message: str, before: str = "") -> list[LastingSentence]:
    """Return the lasting instructions in a message, in order; often none.

    ``before`` is the agent's last message. The same message gives the same sentences.
    """
    return list(_joined(_read(message, before), message))


def _read(message: str, before: str) -> list[_Sentence]:
    parts = plain_classifier().parts(message, before)
    return [_sentence(message, a, b, parts) for a, b in _unfenced(message)]


def _sentence(message: str, start: int, end: int, parts: Sequence[UtterancePart]) -> _Sentence:
    text = message[start:end]
    own = [one for one in parts if one.start < end and one.end > start]
    marked = any(found.search(text) for found in (_CODE, _QUESTION, _PRAISE))
    passes = marked or is_momentary(text)
    best = max(own, key=lambda one: one.lasting, default=None)
    if best is None:
        return _Sentence(text, start, end, 0.0, UtteranceLabel.NONE, passes)
    label = max(_LASTING, key=lambda one: best.chances[LABELS.index(one)])
    return _Sentence(text, start, end, best.lasting, label, passes)


def _joined(found: Sequence[_Sentence], message: str) -> Iterator[LastingSentence]:
    at = before = 0
    while at < len(found):
        first = last = at
        at += 1
        if not _lays_down(found[first]):
            continue
        while at < len(found) and _belongs(found[at], FOLLOWING, _span(found, first, at, message)):
            last, at = at, at + 1
        while first > before and _belongs(
            found[first - 1], PRECEDING, _span(found, first - 1, last, message)
        ):
            first -= 1
        before = at
        best = max(found[first : last + 1], key=lambda one: one.lasting)
        text = one_line(message[found[first].start : found[last].end])
        yield LastingSentence(text, best.label, best.lasting)


def _lays_down(one: _Sentence) -> bool:
    return not one.passes and one.lasting >= SURE and len(one.text.split()) >= LEAST


def _span(found: Sequence[_Sentence], first: int, last: int, message: str) -> str:
    return message[found[first].start : found[last].end]


def _belongs(one: _Sentence, least: float, span: str) -> bool:
    """Return whether a sentence belongs to those beside it, with which it makes up ``span``.

    They are in one paragraph, and short enough together.
    """
    fits = len(span) <= LONGEST and "\n\n" not in span
    return fits and not one.passes and one.lasting >= least


def _unfenced(message: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of sentences outside of fenced code."""
    fenced = False
    for start, end in sentence_spans(message):
        marks = message.count("```", start, end)
        if not fenced and not marks:
            yield start, end
        fenced ^= marks % 2 == 1
