"""Signs that a text gives orders to an assistant, and their weights.

They are defined in ``signs.json``. In a ``phrase`` a space matches any separator (also a line break
with "# "), and "~3 " matches up to three terms; ``starts`` has every term that it can begin with. A
``pattern`` is used unchanged. A text that has none of the ``words`` does not have the sign.
``%name%`` is replaced by a fragment. Everything is bounded, so that matching takes time in
proportion to the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from memoranda.quarantine.model import QuarantineReason

BEFORE, BEHIND = 100, 260
"""Characters around one of its words within which a pattern stands."""

_APART = r"[\W_]{1,6}"
_SPACES = re.compile(r"~(\d) | ")
_FRAGMENT = re.compile("%([a-z]+)%")


@dataclass(frozen=True, eq=False)
class Sign:
    """Sign in a folded text, with a pattern that is compiled on demand.

    It is compiled when it could occur for the first time, as most texts have few of all the words.
    """

    reason: QuarantineReason
    weight: float
    """0 to 1; signs of different reasons add up."""
    words: tuple[str, ...]
    source: str
    starts: tuple[str, ...] = ()
    """First words of the phrase; none for a pattern."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the pattern as a regular expression."""
        return re.compile(self.source, re.MULTILINE)

    def could_be_in(self, text: str) -> bool:
        """Return whether a text contains one of the words at all."""
        return any(word in text for word in self._words_of(text))

    def at_its_starts(self, text: str, words: Collection[str]) -> tuple[int, int] | None:
        """Return the span of a phrase in a text that has these words, if any."""
        for start in self.starts:
            for place in places_of(text, start) if start in words else ():
                if place and text[place - 1].isalnum():
                    continue
                if found := self.pattern.match(text, place):
                    return found.span()
        return None

    def _words_of(self, text: str) -> tuple[str, ...]:
        return self._plain if text.isascii() else self.words

    @cached_property
    def _plain(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if word.isascii())

    def around_its_words(self, text: str) -> tuple[int, int] | None:
        """Return the span of a pattern in a text, if any."""
        words = [word for word in self._words_of(text) if word in text]
        if not words:
            return None
        places = sorted(place for word in words for place in places_of(text, word))
        for start, end in _stretches(places):
            if found := self.pattern.search(text, start, end):
                return found.span()
        return None


@dataclass(frozen=True)
class Signs:
    """All signs, grouped by search method."""

    patterns: tuple[Sign, ...]
    phrases: Mapping[str, tuple[Sign, ...]] = field(default_factory=dict)
    """Phrases by their first words."""


@cache
def signs() -> Signs:
    """Return all signs: English ones, and orders in other languages."""
    definitions = json.loads(files(__package__).joinpath("signs.json").read_text("utf-8"))
    every = [_sign(one, definitions["fragments"]) for one in definitions["signs"]]
    phrases: dict[str, tuple[Sign, ...]] = {}
    for one in every:
        for word in one.starts:
            phrases[word] = (*phrases.get(word, ()), one)
    return Signs(tuple(one for one in every if not one.starts), phrases)


def _sign(definition: Mapping[str, Any], fragments: Mapping[str, str]) -> Sign:
    source = definition.get("pattern") or definition["phrase"]
    source = _FRAGMENT.sub(lambda name: fragments[name[1]], source)
    if "phrase" in definition:
        source = _SPACES.sub(_parted, source)
    words, starts = (tuple(definition.get(name, "").split()) for name in ("words", "starts"))
    return Sign(QuarantineReason(definition["reason"]), definition["weight"], words, source, starts)


def _parted(found: re.Match[str]) -> str:
    return rf"(?:[^\W_]{{1,20}}{_APART}){{0,{found[1]}}}" if found[1] else _APART


def places_of(text: str, word: str) -> Iterator[int]:
    """Yield the positions of a word in a text."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def _stretches(places: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the surroundings of positions; adjacent ones are joined."""
    start = end = -1
    for place in places:
        if end < place - BEFORE:
            if end >= 0:
                yield start, end
            start = max(0, place - BEFORE)
        end = place + BEHIND
    if end >= 0:
        yield start, end
