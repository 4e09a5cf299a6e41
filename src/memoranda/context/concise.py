"""Removes greetings, fillers and emoji from people's sentences."""

from __future__ import annotations

import re

LEAST = 3
"""Minimum number of words that remain when an opening is removed."""

_ALONE = (
    r"oh|ah|ok|okay|kk|h+m+|u+h+m*|well|so(?! that)|and|but|also|then|btw|by the way|please|pls"
    r"|hey+|hi|hello|actually|honestly|one (?:more|last|small) thing|before i forget|like i said"
    r"|as i said|i mean|fyi|(?:could|can) you please"
    r"|(?:and )?while (?:you're|you are|we're|we are|i'm) (?:here|there|at it|in there)"
    r"|vale|oye|por cierto|por favor|pues|bueno|venga|entonces|y|pero|bitte|ach|übrigens|und|aber"
    r"|na ja|merci|au fait|alors|et"
)
_MARKED = (
    r"right|great|perfect|nice|lovely|super|cool|good|very good|thanks(?: a lot| so much)?"
    r"|thank you(?: very much| so much)?|bien|perfecto|genial|gracias|ojo|mira|danke|gut|prima|bon"
    r"|d'accord|bem|obrigad[oa]|bene|grazie|allora"
)
"""Words that are fillers only before a punctuation mark: "good", but not "good names"."""
_MARK = r"\s*[,.!:;\u2026\u2013-]+"
_OPENING = re.compile(rf"(?:(?:(?:{_ALONE})(?:{_MARK})?|(?:{_MARKED}){_MARK})\s+)+", re.IGNORECASE)
_DECORATION = re.compile(
    "[\U0001f300-\U0001faff\u2600-\u27bf\u200d\ufe0f]+|(?<=\\s)[:;]-?[)(DP](?=\\s|$)|\\(y\\)"
)


def concise(sentence: str) -> str:
    """Return a sentence on one line without emoji and without the filler that it opens with.

    Example:
        >>> concise("oh and btw, keep main green please \U0001f64f")
        'keep main green please'
        >>> concise("Good names for tests, always.")
        'Good names for tests, always.'
    """
    plain = " ".join(_DECORATION.sub(" ", sentence).split())
    found = _OPENING.match(plain)
    rest = plain[found.end() :] if found else plain
    shortened = rest if len(rest.split()) >= LEAST else plain
    return shortened or " ".join(sentence.split())
