"""Score of a sentence: a weighted sum of its traits, from 0 to 1."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from memoranda.compression.extract.passage_statistics import AnalysedUnit, Corpus
from memoranda.compression.extract.reference_frequencies import FrequencyTable
from memoranda.compression.extract.sentence_traits import NEGATION, REQUEST, traits
from memoranda.compression.extract.text_values import SPECIFIC
from memoranda.compression.extract.units import UnitKind
from memoranda.compression.model import PassageSpeaker
from memoranda.statements.assertions import thinks_aloud

WEIGHTS: Mapping[str, float] = {
    "rare": 7.0,
    "surprise": 6.0,
    "surprise_top": 3.0,
    "strange": -4.0,
    "new": 2.0,
    "number": 1.0,
    "date": 1.5,
    "negation": 2.0,
    "contrast": 3.0,
    "first": 2.0,
    "third": 2.0,
    "finite": 2.0,
    "bare": 2.0,
    "length": -1.0,
    "heading": -3.0,
    "advice": -0.5,
}
"""Weights of traits, chosen manually.

Rarity in the stage and surprise relative to manuals matter most; with only one of them, at least a
fifth of the facts is lost.
"""
_MIDDLE, _SPREAD = 17.0, 2.2
"""Midpoint and width of the sigmoid that maps a weighted sum to a worth.

One sentence in fifty exceeds the midpoint, which has a worth of 0.5.
"""
_RULE = re.compile(
    r"(?:Never|Always|Do not|Don['\u2019]t|No one|Nobody|Only)\b"
    r"|.*\b(?:must|shall|may not|never)\b"
)
_RULE_WORTH, _RULE_LENGTH = 0.9, 160
_PERSON = 0.3
"""Bonus for a person's sentence with a value or negation, else half of it."""
_FEW = 4
"""Number of words below which a text without a value is an acknowledgement."""


def prose_score(reading: AnalysedUnit, stage: Corpus, table: FrequencyTable) -> float:
    """Return the worth of a sentence or heading, 0 to 1."""
    unit = reading.unit
    if not any(word.isalpha() for word in reading.words) or thinks_aloud(unit.text):
        return 0.0
    found = traits(reading, stage, table)
    total = sum(weight * found[name] for name, weight in WEIGHTS.items())
    score = _sigmoid((total - _MIDDLE) / _SPREAD)
    specific = any(atom.kind in SPECIFIC for atom in reading.atoms)
    if specific and len(unit.text) <= _RULE_LENGTH and _RULE.match(unit.text):
        score = max(score, _RULE_WORTH)
    return min(1.0, score + _person_bonus(reading))


def _person_bonus(reading: AnalysedUnit) -> float:
    unit = reading.unit
    if unit.source.speaker is not PassageSpeaker.USER or unit.kind is not UnitKind.PROSE:
        return 0.0
    if unit.text.endswith("?") or (REQUEST.search(unit.text) and not reading.atoms):
        return 0.0
    if reading.atoms or NEGATION.search(unit.text):
        return _PERSON
    return _PERSON / 2 if len(reading.words) >= _FEW else 0.0


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))
