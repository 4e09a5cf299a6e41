"""Finds the sentences of a person's message that apply to later work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoranda.language.prose import LIST_MARK
from memoranda.language.quotations import own_text, quotations, without_ranges
from memoranda.language.sentences import sentence_spans
from memoranda.search.text_cues import is_instruction
from memoranda.text import one_line
from memoranda.utterances.labels import LABELS, LASTING, UtteranceLabel, UtterancePart
from memoranda.utterances.sentence_checks import (
    is_aside,
    is_momentary,
    is_praise,
    plain_classifier,
    points_back,
)

if TYPE_CHECKING:
    from memoranda.utterances.classifier import UtteranceClassifier

SURE = 0.45
"""Minimum probability of being lasting for a sentence to be proposed."""
FOLLOWING, PRECEDING = 0.03, 0.15
"""Minimum probabilities for the following and the preceding sentence to be included."""
LIKELY = 0.5
"""Probability above which a sentence is probably still true later."""
BESIDE = 0.2
"""Minimum probability of an adjacent sentence that may be needed to understand a sentence."""
MAX_LENGTH = 480
"""Maximum total length in characters of sentences that are used together."""
MINIMUM = 4
"""Minimum number of words of a sentence that can be understood on its own.

A shorter sentence needs an adjacent sentence, before or after it.
"""
CUED = 0.8
"""Minimum probability of being lasting for a sentence that begins like a standing instruction."""

_CODE = re.compile(r"^\s*(?:[|>$#@]|at |File |[A-Z_]+=|\S+:\d+|[-+]{3} |```)|^\s{4,}")
_BEFORE_ITEM = re.compile(rf"\n(?=[ \t]*{LIST_MARK})")
_SEQUEL = re.compile(
    r"^\W{0,3}(?:(?:and|so|ok|okay|good|great|fine|well)\W{1,2})?"
    r"(?:then|next|now|first|after that|afterwards|last thing|finally)\b(?![ ]on\b)",
    re.IGNORECASE,
)
"""Beginnings of sentences about a step of the current work; an adjacent rule does not make such a
sentence lasting.
"""
_REMEMBERED = re.compile(
    r".*\b(?:remember|note|write down|keep in mind|bear in mind)\b[^.:;,!?\n]{0,60}:\s+"
    r"(?=(?:\S+\s+){3})",
    re.IGNORECASE | re.DOTALL,
)
"""Text before a statement to be remembered, up to and including the request to remember it."""
_REMEMBER_IT = re.compile(
    r"\W{0,3}(?:(?:so|and|also|please|pls)\W+){0,3}(?:remember|note|keep|bear|save|write down)"
    r" (?:that|this|it|these|those)(?: (?:rule|fact)s?)?(?: in mind| down)?"
    r"(?=\W*$|\W+(?:for|when|too|next|please|and)\b)",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[?\uff1f][\s\W]*$")
_LASTING = (UtteranceLabel.RULE, UtteranceLabel.PREFERENCE, UtteranceLabel.REMEMBER)
_TRUE_LATER = frozenset(
    LABELS.index(label)
    for label in (*LASTING, UtteranceLabel.CORRECTION, UtteranceLabel.DECISION, UtteranceLabel.FACT)
)
"""Positions of the labels for statements that remain true after the task has ended."""


@dataclass(frozen=True, slots=True)
class LastingSentence:
    """A person's lasting instruction, verbatim."""

    text: str
    """A sentence with the adjacent sentences that belong to it; list items are on separate lines.
    """
    label: UtteranceLabel
    sure: float
    """Probability that the instruction is lasting, from 0 to 1."""
    further: float = 0.0
    """Expected number of further lasting sentences in the instruction."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    start: int
    end: int
    lasting: float
    true_later: float
    """Probability that the sentence is lasting, corrects, decides or states a fact, from 0 to 1."""
    label: UtteranceLabel
    passes: bool
    """Whether the sentence is a request or temporary, or was not written by the person."""


def lasting_sentences(
    message: str, before: str = "", classifier: UtteranceClassifier | None = None
) -> list[LastingSentence]:
    """Return the lasting instructions in a message, in order; often none.

    ``before`` is the agent's last message; the default classifier does not use a neural network.
    Equal messages give equal sentences.
    """
    return list(_joined(_read(message, before, classifier or plain_classifier()), message))


def statements(message: str, before: str = "") -> list[LastingSentence]:
    """Return the statements of a message that remain true after the task.

    They are lasting sentences, corrections, decisions and facts, in order; ``sure`` is the minimum
    probability of these labels. Adjacent sentences of a paragraph form one statement.
    """
    sentences = _read(message, before, plain_classifier())
    groups = list[list[_Sentence]]()
    for sentence in sentences:
        last = groups[-1] if groups else []
        span = message[last[0].start : sentence.end] if last else ""
        if sentence.passes or sentence.true_later < BESIDE:
            groups.append([])
        elif last and len(span) <= MAX_LENGTH and "\n\n" not in span:
            last.append(sentence)
        else:
            groups.append([sentence])
    return [_statement(group, message) for group in groups if _is_likely(group)]


def _statement(group: Sequence[_Sentence], message: str) -> LastingSentence:
    best = max(group, key=lambda sentence: sentence.true_later)
    text = one_line(message[group[0].start : group[-1].end])
    return LastingSentence(text, best.label, best.true_later)


def _is_likely(group: Sequence[_Sentence]) -> bool:
    """Return whether a group can be understood alone and is likely true later."""
    return _reads_alone(group) and any(sentence.true_later >= LIKELY for sentence in group)


def _read(message: str, before: str, classifier: UtteranceClassifier) -> list[_Sentence]:
    parts = classifier.parts(own_text(message), before)
    spans = without_ranges(sentence_spans(message), quotations(message), message)
    return [_sentence(message, a, b, parts) for a, b, foreign in spans if not foreign]


def _sentence(message: str, start: int, end: int, parts: Sequence[UtterancePart]) -> _Sentence:
    text = message[start:end]
    own = [part for part in parts if part.start < end and part.end > start]
    marked = _CODE.search(text) is not None or _QUESTION.search(text) is not None
    passes = marked or is_momentary(text) or is_praise(text) or is_aside(text)
    best = max(own, key=lambda one: one.lasting, default=None)
    if best is None:
        return _Sentence(text, start, end, 0.0, 0.0, UtteranceLabel.NONE, passes)
    label = max(_LASTING, key=lambda utterance_label: best.chances[LABELS.index(utterance_label)])
    later = max(
        sum(utterance_part.chances[place] for place in _TRUE_LATER) for utterance_part in own
    )
    cued = is_instruction(text) and len(text.split()) > 1  # "never." may be an answer to a question
    lasting = max(best.lasting, CUED) if cued else best.lasting
    passes = passes or (lasting < LIKELY and _SEQUEL.match(text) is not None)
    return _Sentence(text, start, end, lasting, later, label, passes)


def _joined(found: Sequence[_Sentence], message: str) -> Iterator[LastingSentence]:
    at = before = 0
    while at < len(found):
        first = last = at
        at += 1
        if not _lays_down(found[first]):
            continue
        while at < len(found) and _belongs(found[at], FOLLOWING, _span(found, first, at, message)):
            last, at = at, at + 1
        least = PRECEDING if _reads_alone(found[first : first + 1]) else FOLLOWING
        lead = _REMEMBERED.match(found[first].text)
        while (
            not lead
            and first > before
            and _precedes(
                found[first - 1], found[first], least, _span(found, first - 1, last, message)
            )
        ):
            first -= 1
        if not _reads_alone(found[first:at]):
            continue
        before = at
        best = max(found[first : last + 1], key=lambda sentence: sentence.lasting)
        while last > first and _only_points_back(found[last]):
            last -= 1
        start = found[first].start + (lead.end() if lead else 0)
        text = _verbatim(message[start : found[last].end])
        further = sum(item.lasting for item in found[first : last + 1]) - best.lasting
        yield LastingSentence(text, best.label, best.lasting, further)


def _only_points_back(one: _Sentence) -> bool:
    """Return whether a sentence only asks to remember the preceding text."""
    return _REMEMBER_IT.match(one.text) is not None


def _verbatim(span: str) -> str:
    """Return a span on one line; list items remain on separate lines."""
    return "\n".join(one_line(item) for item in _BEFORE_ITEM.split(span))


def _lays_down(one: _Sentence) -> bool:
    return not one.passes and one.lasting >= SURE


def _reads_alone(group: Sequence[_Sentence]) -> bool:
    return sum(len(sentence.text.split()) for sentence in group) >= MINIMUM


def _span(found: Sequence[_Sentence], first: int, last: int, message: str) -> str:
    return message[found[first].start : found[last].end]


def _belongs(one: _Sentence, minimum: float, span: str) -> bool:
    """Return whether a sentence belongs to the adjacent sentences in ``span``.

    They must be in one paragraph, and not too long together.
    """
    true = max(one.lasting, one.true_later) >= BESIDE  # excludes momentary instructions
    return _fits(span) and not one.passes and true and one.lasting >= minimum


def _precedes(one: _Sentence, following: _Sentence, minimum: float, span: str) -> bool:
    """Return whether a sentence belongs to the following one.

    This is also the case if the following sentence refers back to it.
    """
    if _belongs(one, minimum, span):
        return True
    names = not one.passes and _reads_alone([one])
    return names and points_back(following.text) and _fits(span)


def _fits(span: str) -> bool:
    return len(span) <= MAX_LENGTH and "\n\n" not in span
