"""Finds characters that are invisible to a person but read by a model."""

from __future__ import annotations

import re

_CARRIES = re.compile(
    "[\u00ad\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2068\ufe00-\ufe0f\ufeff\U000e0001-\U000e01ef]"
)
"""Any character that the other patterns match: a fast pre-check."""
_TAGS = re.compile(r"(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001-\U000e007f]{1,200}")
"""Tag characters; after a black flag they form the flag of a region."""
_TURNING = re.compile("[\u202a\u202b\u202d\u202e\u2066-\u2068]")
"""Characters that change the direction of the following text."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_RUN = re.compile("[\u2060-\u2064\u200b\u180e]{4,200}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,200}")
"""Sequence of more invisible characters than normal text needs."""
_INSIDE_WORDS = re.compile("[A-Za-z][\u00ad\u200b-\u200d\u2060\ufeff](?=[A-Za-z])")
_MOST_INSIDE = 3


def unnecessary_characters(text: str) -> tuple[int, int] | None:
    """Return the span of invisible characters that no language needs, or None."""
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
