"""Formats people's feedback as lines in a task's blocks."""

from __future__ import annotations

from memoranda.feedback.model import Feedback, FeedbackSource, FeedbackType
from memoranda.language.quotations import own_text
from memoranda.local_time import day
from memoranda.text import clip, one_line

LINE = 300
"""Maximum number of characters of feedback in a line of a block."""
ABOUT = 120
"""Maximum number of characters of the feedback's subject in that line."""
_NAMES = {FeedbackType.APPROVAL: "success"}
"""Names of feedback types in a line, if they differ from the type's name."""


def stated(record: Feedback) -> str:
    """Return what the person states, without quotations from messages."""
    return own_text(record.text) if record.source is FeedbackSource.CHAT else record.text


def line_of(record: Feedback) -> str:
    """Return feedback as a block line: date, type, text and subject."""
    kind = _NAMES.get(record.type, record.type.value) if record.type else "feedback"
    line = f"- {day(record.created_at)} {kind}: {clip(one_line(stated(record)), LINE)}"
    return f"{line} (of: {clip(one_line(record.about), ABOUT)})" if record.about else line


def convention_of(rule: str) -> str:
    """Return a person's pattern as a line for the project's block."""
    return f"- Convention: {clip(one_line(rule), LINE)}"
