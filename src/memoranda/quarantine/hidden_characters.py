"""Characters that carry text nobody sees, as against those that languages and emoji need."""

from __future__ import annotations

import re

_CARRIES = re.compile(
    "[\u00ad\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2068\ufe00-\ufe0f\ufeff\U000e0001-\U000e01ef]"
)
"""Any of what the others look for, as most texts have none of it."""
_TAGS = re.compile(r"(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001-\U000e007f]{1,200}")
"""Tag characters; behind a black flag they make the flag of a region."""
_TURNING = re.compile("[\u202a\u202b\u202d\u202e\u2066-\u2068]")
"""Characters that turn the direction of what follows, also of what is not Hebrew or Arabic."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_RUN = re.compile("[\u2060-\u2064\u200b\u180e]{4,200}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,200}")
"""Invisible ones in a row: a person needs at most two of them at a place."""
_INSIDE_WORDS = re.compile("[A-Za-z][\u00ad\u200b-\u200d\u2060\ufeff](?=[A-Za-z])")
_MOST_INSIDE = 3


def hidden(text: str) -> tuple[int, int] | None:
    """Return where a text carries something invisible that no language needs, if anywhere."""
    if not _CARRIES.search(text):
        return None
    for pattern in (_TAGS, _RUN):
        if found := pattern.search(text):
            return found.span()
    turning = _TURNING.search(text)
    if turning and not _RIGHT_TO_LEFT.search(text):
        return turning.span()
    inside = [
        found.span() for found, _ in zip(_INSIDE_WORDS.finditer(text), range(8), strict=False)
    ]
    return (inside[0][0], inside[-1][1]) if len(inside) > _MOST_INSIDE else None
