"""Commands: sentences of a foreign text that order a model to act against its user."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from memoranda.quarantine.concepts import ConceptRule, anchors_in, concepts, concepts_in
from memoranda.quarantine.reasons import QuarantineReason

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
