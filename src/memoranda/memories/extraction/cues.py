"""Cues for the type of a memory: phrases and their positions.

A cue also depends on how a sentence follows the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from memoranda.language.months import FULL_MONTH, WEEKDAY
from memoranda.language.words import table_rows
from memoranda.memories.extraction_model import MemoryType

WHEN = (
    r"(?:by|before|no later than) (?:the )?(?:end of|eod|eow|close of|next|tonight|noon|midnight"
    rf"|tomorrow|{WEEKDAY}|month[- ]end|year[- ]end|{FULL_MONTH}|the \d|\d)"
)
"""Pattern for a deadline."""
DEED = (
    r"(?!(?:need|have|see|be able|probably|defend|admit|say|never know|likely|regret|miss|bet)\b)\w"
)
"""Pattern for the start of a verb that can be promised."""


class Phrase(NamedTuple):
    """Pattern with its weight for a type."""

    type: MemoryType
    weight: float
    pattern: str


def _phrases() -> dict[str, list[Phrase]]:
    result: dict[str, list[Phrase]] = {}
    rows = table_rows("memoranda.memories.extraction", "phrases.tsv")
    for kind, weight, where, pattern in rows:
        whole = pattern.replace("<WHEN>", WHEN).replace("<DEED>", DEED)
        result.setdefault(where, []).append(Phrase(MemoryType(kind), float(weight), whole))
    return result


_PHRASES = _phrases()
ANYWHERE = _PHRASES["anywhere"]
OPENING = _PHRASES["opening"]
"""Phrases that count only at the start of a sentence."""


_START = re.compile(r"\b\w")
_GROUP = re.compile(r"\(\?:([^()]+)\)")
_NOT_DONE_TO = r"(?<!\bwas )(?<!\bwere )(?<!\bbeen )"
"""Excludes the passive, since what was done to a thing is not the writer's decision."""


@cache  # all of them take 40 ms, and most texts need few
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _indexed(phrases: Sequence[Phrase]) -> dict[str, list[Phrase]]:
    """Index cues by their first two characters."""
    index: dict[str, list[Phrase]] = {}
    for kind, weight, phrase in phrases:
        before = _NOT_DONE_TO if kind is MemoryType.DECISION else ""
        cue = Phrase(kind, weight, rf"{before}(?:{phrase})(?!\w)")
        for beginning in _beginnings(phrase):
            index.setdefault(beginning, []).append(cue)
    return index


def _beginnings(phrase: str) -> set[str]:
    group = _GROUP.match(phrase)
    result: set[str] = set()
    for beginning in group[1].split("|") if group else [phrase]:
        item, two = beginning[0], beginning[1:2]
        result |= {item + two} if two.isalpha() or two == " " else {f"{item} ", f"{item}'"}
    return result


_ANYWHERE = _indexed(ANYWHERE)
_OPENING = _indexed(OPENING)
_ADVERBS = re.compile(r"(?:just |also |quick )*")
_ALONE = (
    Phrase(MemoryType.COMMITMENT, 2, rf"\b\w{{1,20}} will \w.{{0,120}}\b{WHEN}"),
    Phrase(MemoryType.COMMITMENT, 1, rf"\b{WHEN}"),
    Phrase(MemoryType.FACT, 2, r"\d"),
)


def cues(low: str) -> list[tuple[Phrase, int]]:
    """Return the cues in a lower-case sentence with their first positions."""
    adverbs = _ADVERBS.match(low)
    found = list(_at(_OPENING, low, adverbs.end() if adverbs else 0))
    for start in _START.finditer(low):
        at = start.start()
        if low[at : at + 2] in _ANYWHERE:
            found.extend(_at(_ANYWHERE, low, at))
    alone = ((cue, _compiled(cue.pattern).search(low)) for cue in _ALONE)
    return found + [(cue, match.start()) for cue, match in alone if match]


def _at(index: dict[str, list[Phrase]], low: str, at: int) -> list[tuple[Phrase, int]]:
    near = index.get(low[at : at + 2], ())
    return [(cue, at) for cue in near if _compiled(cue.pattern).match(low, at)]


FORWARD = re.compile(
    r"^(?:(?:and|so|also|ok(?:ay)?|then|meanwhile|next) |[a-z' ]{2,40}, )?"
    rf"(?:(?:i|we)(?:'ll| will|'m going to| am going to)|will) {DEED}"
)
"""Sentence that starts with what its writer will do next."""
UNDER_WAY = re.compile(
    r"^(?:now |already )?(?!(?:nothing|something|everything|anything|during|being|having|according"
    r"|reading|finding|including|speaking|assuming|considering)\b)[a-z]{2,20}ing"
    r" (?:this|that|it|the|my|our|all|him|her|them|their|his|an?|every|accordingly|to)\b"
)
"""Sentence that starts with a current action of its writer.

An example is "Updating the ...".
"""
ADOPTS = re.compile(
    r"^(?:now |so )?(?:adopting|building|making|treating|switching|dropping|standardi[sz]ing|baking"
    r"|defaulting|folding|going with)\b"
)
BACKWARD = re.compile(
    r"^(?:it|this|that|they|these|those|his|her|their|its|which|because|since|hard|useful"
    r"|the (?:argument|reason|reasoning|idea|point|logic|rationale|trade-?off|goal|upside|downside)"
    r"|just|says?|we have|we need|i've)\b"
)
"""Sentence that starts with a reference to the previous one and explains it."""
JOINED = re.compile(rf"(?:, so|, and|;| so| \u2014) (?:i|we)(?:'ll| will) {DEED}")
"""Promise in reaction to the first part of the same sentence."""
IMPERSONAL = re.compile(
    r"^(?:the|this|that|its?|their|an?) (?!(?:team|user|board|committee|group|client|council"
    r"|decision|verdict|plan|call|vote|choice)\b)"
)
"""Sentence about a thing, whose change is stated as a fact."""
HAS_TO = re.compile(r"\b(?:(?:needs?|has|have) to be|must|should)\b")
PRONOUN = re.compile(r"(?:he|she)\b")
OF_OTHERS = re.compile(
    r"^(?!(?:We|I|It|The|This|That|After|Just|So|OK|Okay|Our|My)\b)"
    r"[A-Z][\w'-]{0,30}(?: [A-Z][\w'-]{0,30})? [a-z]"
)
"""Sentence in original case that starts with another person's name."""
