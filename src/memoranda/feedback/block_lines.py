"""Lines of blocks in which a task keeps people's feedback."""

from __future__ import annotations

from memoranda.feedback.model import Feedback, FeedbackType
from memoranda.text import clip, one_line
from memoranda.time_zones import day

LINE = 300
"""Characters of feedback in a line of a block."""
ABOUT = 120
"""Characters of its subject in that line."""
_NAMES = {FeedbackType.APPROVAL: "success"}
"""What a line calls a type of feedback, where it is not its own name."""


def line_of(record: Feedback) -> str:
    """Return feedback as a block line: the day, type, text and subject."""
    kind = _NAMES.get(record.type, record.type.value) if record.type else "feedback"
    line = f"- {day(record.created_at)} {kind}: {clip(one_line(record.text), LINE)}"
    return f"{line} (of: {clip(one_line(record.about), ABOUT)})" if record.about else line


def convention_of(rule: str) -> str:
    """Return a pattern that a person taught as a line of the project's block."""
    return f"- Convention: {clip(one_line(rule), LINE)}"
