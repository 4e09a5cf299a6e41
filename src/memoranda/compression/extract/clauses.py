"""Clauses of a long sentence; a condition stays with its clause."""

from __future__ import annotations

import re

SHORT = 90
"""Characters of a sentence that is never split."""
_LEAST, _LAST = 28, 12
"""Minimum characters of a clause, and of the last clause."""
_SUBJECT = (
    r"(?:I|we|he|she|they|it|you|my|our|his|her|their|the|this|that|there|can|could|how|what|now)"
)
_CUT = re.compile(
    rf"(?:,|;|\s[-\u2013\u2014])\s+(?=(?:(?:and|but|so)\s+{_SUBJECT}|because|which|who|can|could"
    r"|would|will|how|what|I|it|we|since|should|do|does|please|given|considering|especially)\b)"
    r"|;\s+|\s+(?=(?:and (?:I|we|can|how)|but|so (?:I|can)|because|can you|could you)\b)"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|until|till|when(?:ever)?|once|except|provided|assuming|as long as|in case"
    r"|otherwise|whether)\b",
    re.IGNORECASE,
)


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Return the start and end of each clause; a condition stays with its own.

    Clauses are split before a new subject or a request. A clause with a condition keeps the rest of
    the sentence, because the end of the condition is unknown.
    """
    if len(sentence) <= SHORT:
        return [(0, len(sentence))]
    found: list[tuple[int, int]] = []
    start = 0
    for cut in _CUT.finditer(sentence):
        long_enough = cut.start() - start >= _LEAST and len(sentence) - cut.end() >= _LAST
        if long_enough and not _CONDITION.search(sentence, start, cut.end()):
            found.append((start, cut.start()))
            start = cut.end()
    return [*found, (start, len(sentence))]
