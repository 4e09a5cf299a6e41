"""Signs that a text gives instructions to an assistant, with weights.

The signs are defined in ``signs.json``. In a ``phrase``, a space matches any separator (also a line
break with "# "), and "~3 " matches up to three words; a phrase begins with one of its ``words``. A
``pattern`` is a regular expression that must match near one of its ``words``. ``%name%`` is
replaced by a fragment. All repetitions are bounded, so that matching takes linear time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from memoranda.quarantine.model import QuarantineReason

BEFORE, BEHIND = 100, 260
"""Numbers of characters before and after a word's position in which a pattern is searched for."""

_APART = r"[\W_]{1,6}"
_SPACES = re.compile(r"~(\d) | ")
_FRAGMENT = re.compile("%([a-z]+)%")


@dataclass(frozen=True, slots=True)
class FoundSign:
    """A sign of an instruction at a position in a text."""

    reason: QuarantineReason
    span: tuple[int, int]
    weight: float
    """Weight from 0.7 to 1; the weights of signs with different reasons are added."""
    is_phrase: bool = False
    """Whether the sign is a phrase, which may also occur in ordinary sentences."""


@dataclass(frozen=True, eq=False)
class Sign:
    """A sign to search for in a folded text.

    The pattern is compiled when one of the sign's words occurs for the first time.
    """

    reason: QuarantineReason
    weight: float
    words: tuple[str, ...]
    source: str
    is_phrase: bool

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.source, re.MULTILINE)

    def found_in(self, text: str) -> FoundSign | None:
        """Return the first match of the sign in a text, if any."""
        words = [word for word in self.words if word in text]
        if not words:
            return None
        places = sorted(place for word in words for place in _places(text, word))
        matches = self._phrases(text, places) if self.is_phrase else self._patterns(text, places)
        match = next(filter(None, matches), None)
        return match and FoundSign(self.reason, match.span(), self.weight, self.is_phrase)

    def _phrases(self, text: str, places: Sequence[int]) -> Iterator[re.Match[str] | None]:
        for place in places:
            if not (place and text[place - 1].isalnum()):
                yield self.pattern.match(text, place)

    def _patterns(self, text: str, places: Sequence[int]) -> Iterator[re.Match[str] | None]:
        for start, end in _stretches(places):
            yield self.pattern.search(text, start, end)


def found_signs(text: str) -> Iterator[FoundSign]:
    """Yield the first match of each sign that occurs in a folded text."""
    for sign in signs():
        if found_sign := sign.found_in(text):
            yield found_sign


@cache
def signs() -> tuple[Sign, ...]:
    """Load all signs, in English and other languages, from ``signs.json``."""
    definitions = json.loads(files(__package__).joinpath("signs.json").read_text("utf-8"))
    return tuple(_sign(definition, definitions["fragments"]) for definition in definitions["signs"])


def _sign(definition: Mapping[str, Any], fragments: Mapping[str, str]) -> Sign:
    is_phrase = "phrase" in definition
    source = definition["phrase" if is_phrase else "pattern"]
    source = _FRAGMENT.sub(lambda name: fragments[name[1]], source)
    if is_phrase:
        source = _SPACES.sub(_parted, source)
    words = tuple(definition["words"].split())
    reason = QuarantineReason(definition["reason"])
    return Sign(reason, definition["weight"], words, source, is_phrase)


def _parted(found: re.Match[str]) -> str:
    return rf"(?:[^\W_]{{1,20}}{_APART}){{0,{found[1]}}}" if found[1] else _APART


def _places(text: str, word: str) -> Iterator[int]:
    """Yield the positions of a word in a text."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))


def _stretches(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans around ascending positions, merged if they overlap."""
    start = end = -1
    for place in places:
        if end < place - BEFORE:
            if end >= 0:
                yield start, end
            start = max(0, place - BEFORE)
        end = place + BEHIND
    if end >= 0:
        yield start, end
