"""Contexts of desktop programs and editors that end with a person's request.

They put open files, selections, attachments or the page of a browser above what was typed, with a
heading between them. The context may quote that heading, as a selected text of documentation does;
so the last heading of the strongest form is the host's own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from memoranda.json_data import JsonValue

_HEADING = re.compile(
    r"^#{1,3} My request"
    r"(?:(?P<agent> for [A-Z][\w.-]*(?: [A-Z][\w.-]*){0,2})(?::[ \t]*|[ \t]*(?=\r?$))"
    r"|:[ \t]*(?=\r?$))",
    re.MULTILINE,
)
_TITLE = re.compile(r"\s*(?P<line>#{1,3} [^\n]*)")
_CONTEXTS = (
    "# Context from my IDE setup",
    "# Files mentioned by the user",
    "# Applications mentioned by the user",
    "# Selected text:",
    "# In app browser:",
)
"""Headings of contexts that are a host's even where no request follows."""
_REPLY = re.compile(
    r"\s*<(?P<name>send_user_message_question_reply)\b[^<>]*>(?P<answers>.*)</(?P=name)>\s*",
    re.DOTALL,
)
"""Answers of a person to questions that an agent asked without waiting."""


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """A question of an agent, and a person's answer."""

    question: str
    answer: str


class RequestHeadings:
    """Headings in one text, found once."""

    def __init__(self, text: str) -> None:
        self._text = text
        found = list(_HEADING.finditer(text))
        self._named = next((one for one in reversed(found) if one["agent"]), None)
        self._plain = next((one for one in reversed(found) if not one["agent"]), None)

    def after(self, start: int, *, framed: bool) -> int | None:
        """Return where the request begins that follows a context at an offset.

        None if there is no context; the length of the text if no request follows it. ``framed``:
        whether an element of the host precedes the offset.
        """
        title = _TITLE.match(self._text, start)
        if title is None:
            return None
        first = _HEADING.match(self._text, title.start("line"))
        if first is not None:  # without a context above it
            return first.end() if framed or first["agent"] else None
        if not title["line"].startswith("# "):
            return None
        if self._named and self._named.start() > start:
            return self._named.end()
        titled = title["line"].rstrip().endswith(":")
        if self._plain and self._plain.start() > start and (titled or framed):
            return self._plain.end()
        return len(self._text) if title["line"].startswith(_CONTEXTS) else None


def question_replies(text: str) -> list[QuestionReply] | None:
    """Return a person's answers from the host's element; None for any other text.

    What is no JSON in it is an answer itself.
    """
    found = _REPLY.fullmatch(text)
    if found is None:
        return None
    try:
        answers: JsonValue = json.loads(found["answers"])
    except (ValueError, RecursionError):
        answer = found["answers"].strip()
        return [QuestionReply("", answer)] if answer[:1] not in ("", "{", "[") else None
    entries = answers if isinstance(answers, list) else [answers]
    replies = [reply for entry in entries if (reply := _reply(entry))]
    return replies or None


def _reply(entry: JsonValue) -> QuestionReply | None:
    if not isinstance(entry, dict):
        return None
    answer, question = entry.get("answer"), entry.get("question")
    if isinstance(answer, list):  # of several that were chosen
        answer = "\n".join(one for one in answer if isinstance(one, str))
    if not isinstance(answer, str) or not answer.strip():
        return None
    return QuestionReply(question.strip() if isinstance(question, str) else "", answer.strip())
