"""Markers: a line in which an agent names its stage explicitly."""

from __future__ import annotations

import re

from memoranda.stages.model import StageName
from memoranda.stages.term_table import meanings

HEAD = 2_000
"""Characters of a message in which a marker is searched."""

_STAGES = meanings({
    StageName.PLANNING: "planning plan",
    StageName.EXECUTION: "execution executing implementation implementing coding",
    StageName.REFLECTION: "reflection reflecting retrospective",
    StageName.VERIFICATION: "verification verifying testing review reviewing",
})  # fmt: skip
_WORD = "|".join(sorted(_STAGES, key=len, reverse=True))
_SIGN = r"[\W_]{0,4}"
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)|\Z)", re.DOTALL | re.MULTILINE)
_MARKER = re.compile(
    rf"^{_SIGN}(?:current[ ])?(?:stage|phase|mode){_SIGN}[ ]?(?:[:=]|is\b){_SIGN}[ ]?({_WORD})"
    rf"(?:[ ](?:stage|phase))?{_SIGN}$"
    rf"|^{_SIGN}(?:entering|starting|beginning)[ ](?:the[ ])?({_WORD})"
    rf"(?:[ ](?:stage|phase))?{_SIGN}$"
    rf"|^<(?:stage|phase)>[ ]?({_WORD})[ ]?</(?:stage|phase)>$"
    rf"|^\[({_WORD})\](?=\s|$)",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(
    rf"^#{{1,4}}[ ]({_WORD})(?:[ ](?:stage|phase))?{_SIGN}$", re.IGNORECASE | re.MULTILINE
)


def marked_stage(words: str) -> StageName | None:
    """Return the stage that a message is marked with; the last mark counts.

    A heading is a mark only where no other heading names another stage: otherwise it belongs to an
    outline. Text in a code block is ignored as quoted text.
    """
    text = words[:HEAD]
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    found = [_stage(mark) for mark in _MARKER.finditer(text)]
    if found:
        return found[-1]
    headings = {_stage(mark) for mark in _HEADING.finditer(text)}
    return headings.pop() if len(headings) == 1 else None


def _stage(mark: re.Match[str]) -> StageName:
    return _STAGES[next(group for group in mark.groups() if group).lower()]
