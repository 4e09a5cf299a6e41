"""The one sentence of a long assistant turn that a reply refers to."""

from __future__ import annotations

import re

from memoranda.feedback.turn import proposes
from memoranda.text import clip, one_line

ABOUT = 300
"""Maximum characters."""
READ = 4_000
"""Maximum characters of an answer that are read, from its end."""

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_END = re.compile(r"(?<=[.!?])\s+|\n+")
_MARKS = re.compile(r"^[\s>*#\-\d.)]{0,12}")


def answered_part(before: str) -> str:
    """Return the last sentence that proposes something, or else the first one."""
    parts = _END.split(_FENCE.sub(" ", before[-READ:]))
    if len(before) > READ:
        parts = parts[1:] or parts  # the first one lacks its beginning
    sentences = [one_line(_MARKS.sub("", part)) for part in parts]
    nonempty = [one for one in sentences if any(map(str.isalnum, one))]
    if not nonempty:
        return ""
    return clip(next((one for one in reversed(nonempty) if proposes(one)), nonempty[0]), ABOUT)
