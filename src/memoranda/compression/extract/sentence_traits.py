"""Traits of a sentence, such as its rarity, its person or a contrast.

Each trait has a value of about 0 to 1.
"""

from __future__ import annotations

import math
import re

from memoranda.compression.extract.passage_statistics import AnalysedUnit, Corpus
from memoranda.compression.extract.reference_frequencies import FrequencyTable
from memoranda.compression.extract.text_values import NUMERIC
from memoranda.compression.extract.units import UnitKind
from memoranda.language.months import CAPITAL_MONTH
from memoranda.language.words import GRAMMAR

NEGATION = re.compile(
    r"\b(?:not|never|no|nobody|none|nothing|neither|nor|without|cannot)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
REQUEST = re.compile(
    r"\b(?:can|could|would|will) you\b|\bhelp me\b|\bhow (?:do|can|should|to)\b|\bwhat\b"
    r"|\bI(?:'m| am) (?:trying|looking|wondering|hoping|not sure|unsure)\b",
    re.IGNORECASE,
)
DATE = re.compile(
    rf"\b(?:{CAPITAL_MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?)\b"
    r"|\b\d{1,2}(?:st|nd|rd|th)\b|\b\d{4}-\d\d-\d\d\b"
    r"|\b(?:yesterday|today|tomorrow|tonight|morning|evening|week|month|spring|summer|autumn"
    r"|winter)\b"
)
_FIRST = re.compile(
    r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|us|me|I['\u2019](?:m|ve|ll|d)|[Ww]e['\u2019](?:re|ve|ll|d))\b"
)
_THIRD = re.compile(r"\b(?:he|she|they|his|her|him|their|them)\b", re.IGNORECASE)
_FINITE = re.compile(
    r"\b(?:was|were|is|are|am|has|have|had|will|did|does|do|won['\u2019]t"
    r"|\w+['\u2019](?:s|re|ve|ll|d|m)|went|got|took|gave|made|came|said|told|left|met|sold|bought"
    r"|chose|sent|ran|kept|found|began|put|paid|spent|picked|\w{2,}ed)\b"
)
_MODAL = re.compile(
    r"\b(?:can|could|should|may|might|would|helps?|ensures?|consider|provides?|allows?|improves?"
    r"|such as|example|based on|depending)\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r", (?:and |but )?not (?:the|a|an|my|our|your|his|her|their|in|on|at|by|for|with|from|to)\b"
    r"|\bI(?:['\u2019]d)? (?:want|need|prefer|like)\b[^.]* (?:without|instead of|rather than)\b"
)
"""Markers of contrast: a correction, a diagnosis, a wish."""
_MAX_CONTRAST_LENGTH = 16
"""Maximum words."""
_TOP = 3


def traits(reading: AnalysedUnit, stage: Corpus, table: FrequencyTable) -> dict[str, float]:
    """Return the traits of a sentence by name, each about 0 to 1."""
    text = reading.unit.text
    finite, first = bool(_FINITE.search(text)), bool(_FIRST.search(text))
    opening = reading.words[0] if reading.words else ""
    return {
        **_words(reading, stage, table),
        **_atoms(reading, stage),
        "heading": reading.unit.kind is UnitKind.HEADING,
        "date": bool(DATE.search(text)),
        "first": first,
        "third": bool(_THIRD.search(text)),
        "finite": finite,
        "bare": not finite and not first and opening.isalpha(),
        "advice": bool(_MODAL.search(text)),
        "negation": bool(NEGATION.search(text)),
        "contrast": len(reading.words) <= _MAX_CONTRAST_LENGTH and bool(_CONTRAST.search(text)),
    }


def _words(reading: AnalysedUnit, stage: Corpus, table: FrequencyTable) -> dict[str, float]:
    content = [word for word in reading.words if word not in GRAMMAR]
    rare = sorted((stage.rarity(w) for w in content if not w.isdigit()), reverse=True)[:_TOP]
    strange = sorted((table.strangeness(w) for w in content if w.isalpha()), reverse=True)[:_TOP]
    mean, top = table.surprise(reading.words)
    return {
        "rare": sum(rare) / _TOP,
        "strange": sum(strange) / _TOP,
        "surprise": mean,
        "surprise_top": top,
        "length": math.log(1 + len(reading.words)),
    }


def _atoms(reading: AnalysedUnit, stage: Corpus) -> dict[str, float]:
    numbers = sum(atom.kind in NUMERIC for atom in reading.atoms)
    once = sum(stage.counts[atom.value] == 1 for atom in reading.atoms)
    return {"number": min(numbers, 3) / 3, "new": once / (len(reading.atoms) or 1)}
