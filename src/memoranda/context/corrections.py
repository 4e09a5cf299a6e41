"""Detects corrections that state what is right."""

from __future__ import annotations

import re
from collections.abc import Collection

from memoranda.utterances import UtteranceLabel, UtterancePart, is_momentary

_LABELS = tuple(UtteranceLabel)
_MARKS = r"(?:[,;:(\u2014\u2013]\s*|\s-\s|\b(?:and|y|und|et|e)\s)"
_CONTRAST = re.compile(
    rf"{_MARKS}(?:not|never|nicht|nie|pas|jamais|nunca|non|n[\u00e3a]o|mai"
    r"|no (?:el|la|los|las|en|con|por|un|una|de|del|al|es|[a-z]*[-_/.\d]\w*))\b"
    r"(?! (?:only|just|nur|s[o\u00f3]l?o|solamente|seulement|need|needed|worries|problem|hurry|rush"
    r"|great|good|bad|nice|sure|ideal|yet|much)\b)"
    r"|\b(?:isn|aren|wasn)['\u2019]?t\b.{1,60}\bit['\u2019]?s\b"
    r"|\b(?:instead of|statt|au lieu d|en (?:vez|lugar) de|em vez d)"
    "|\u800c\u4e0d\u662f|\u4e0d\u662f.{1,30}\u662f|\u3067\u306f\u306a\u304f|\u3058\u3083\u306a\u304f",
    re.IGNORECASE,
)
"""Contrast of a right thing with a wrong one: "X, not Y"."""
_GUESS = re.compile(
    r"\b(?:maybe|perhaps|might|vielleicht|quiz[\u00e1a]s?|tal vez|talvez|peut-[\u00eae]tre"
    r"|forse)\b",
    re.IGNORECASE,
)
CORRECTS, CORRECTS_OR_LASTS = 0.3, 0.6
"""Minimum probabilities of a correction: of that label, and of its sum with that of lasting."""
CONTRASTS = 0.5
"""Minimum sum of the probabilities that a contrast corrects, lasts or states a fact."""
SHORTEST = 12
"""Minimum characters of a correction; "no, not that" names nothing."""


def sets_right(sentence: str, parts: Collection[UtterancePart]) -> bool:
    """Return whether a sentence with its labelled parts states what is right.

    Questions, guesses and sentences about the moment do not.
    """
    if "?" in sentence or is_momentary(sentence) or _GUESS.search(sentence):
        return False
    if len(sentence) < SHORTEST:
        return False
    corrects, fact = map(_LABELS.index, (UtteranceLabel.CORRECTION, UtteranceLabel.FACT))
    chances = [(one.chances[corrects], one.lasting, one.chances[fact]) for one in parts]
    if any(one >= CORRECTS and one + lasts >= CORRECTS_OR_LASTS for one, lasts, _ in chances):
        return True
    contrasts = _CONTRAST.search(sentence) is not None
    return contrasts and any(sum(one) >= CONTRASTS for one in chances)
