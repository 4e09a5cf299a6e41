"""Phrases that indicate the type of a memory: patterns for lower case.

They are in `phrases.tsv`: type, weight, position at which they count, pattern. Each begins with two
literal letters, or with a group of such beginnings, so that a phrase is tried only where the text
begins like it. Statements of people about themselves weigh more than possible ones.
"""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

from memoranda.memories.encoding_model import MemoryType
from memoranda.text import text_lines

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
WHEN = (
    r"(?:by|before|no later than) (?:the )?(?:end of|eod|eow|close of|next|tonight|noon|midnight"
    rf"|tomorrow|{_DAY}|month[- ]end|year[- ]end|{_MONTH}|the \d|\d)"
)
"""Pattern of a deadline."""
DEED = (
    r"(?!(?:need|have|see|be able|probably|defend|admit|say|never know|likely|regret|miss|bet)\b)\w"
)
"""Pattern of the start of a verb that can be promised."""


class Phrase(NamedTuple):
    """Pattern with its weight for a type."""

    type: MemoryType
    weight: float
    pattern: str


def _phrases() -> dict[str, list[Phrase]]:
    text = files("memoranda.memories.extraction").joinpath("phrases.tsv").read_text("utf-8")
    found: dict[str, list[Phrase]] = {}
    for line in text_lines(text):
        kind, weight, where, pattern = line.split("\t")
        whole = pattern.replace("<WHEN>", WHEN).replace("<DEED>", DEED)
        found.setdefault(where, []).append(Phrase(MemoryType(kind), float(weight), whole))
    return found


_PHRASES = _phrases()
ANYWHERE = _PHRASES["anywhere"]
OPENING = _PHRASES["opening"]
"""Phrases that count only at the beginning of a sentence."""
