"""Separation of a user message into a person's text and a host's text.

Hosts put banners, reminders, contexts of hooks and commands into the message that a person typed.
`split_message` separates them; `host_spans.blocks` determines which spans a host wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from memoranda.capture.hosts.host_markup import HOOK_REPORT, HOST_COMMANDS, PREAMBLES
from memoranda.capture.hosts.host_spans import blocks
from memoranda.capture.redaction.private_spans import drop_recalled
from memoranda.json_data import JsonValue
from memoranda.observations.model import Origin
from memoranda.text import slash_command

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
"""Headings of host contexts, whether or not a request follows."""
_REPLY = re.compile(
    r"\s*<(?P<name>send_user_message_question_reply)\b[^<>]*>(?P<answers>.*)</(?P=name)>\s*",
    re.DOTALL,
)
"""A person's answers to questions that an agent asked without waiting."""


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """A question of an agent, and a person's answer."""

    question: str
    answer: str


class RequestHeadings:
    """Positions of the request headings in one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        matches = list(_HEADING.finditer(text))
        self._named = next((match for match in reversed(matches) if match["agent"]), None)
        self._plain = next((item for item in reversed(matches) if not item["agent"]), None)

    def after(self, start: int, *, framed: bool) -> int | None:
        """Return the offset of the request that follows a context at an offset.

        None if there is no context; the length of the text if no request follows the context.
        ``framed``: whether an element of the host precedes the offset.
        """
        title = _TITLE.match(self._text, start)
        if title is None:
            return None
        first = _HEADING.match(self._text, title.start("line"))
        if first is not None:  # no context precedes the request
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

    If the element's content is not JSON, the content itself is the answer.
    """
    match = _REPLY.fullmatch(text)
    if match is None:
        return None
    try:
        answers: JsonValue = json.loads(match["answers"])
    except (ValueError, RecursionError):
        answer = match["answers"].strip()
        return [QuestionReply("", answer)] if answer[:1] not in ("", "{", "[") else None
    entries = answers if isinstance(answers, list) else [answers]
    replies = [reply for entry in entries if (reply := _reply(entry))]
    return replies or None


def _reply(entry: JsonValue) -> QuestionReply | None:
    if not isinstance(entry, dict):
        return None
    answer, question = entry.get("answer"), entry.get("question")
    if isinstance(answer, list):  # several choices
        answer = "\n".join(item for item in answer if isinstance(item, str))
    if not isinstance(answer, str) or not answer.strip():
        return None
    return QuestionReply(question.strip() if isinstance(question, str) else "", answer.strip())


_COMMAND = re.compile(
    r"\s*(?:<command-args>(?P<first>[^<]*)</command-args>\s*)?"
    r"(?:<command-(?P<kind>name|message|contents)>[^<]*</command-(?P=kind)>\s*)+"
    r"(?:<command-args>(?P<arguments>(?:(?!<command-(?:name|message)>).)*)</command-args>)?",
    re.DOTALL,
)
_LATER_COMMAND = re.compile(r"(?m)^[ \t]*<command-(?:name|message)>")
_COMMAND_NAME = re.compile(r"<command-name>([^<]*)</command-name>")
_MCP_PROMPT = re.compile(r"([\w.-]+):([\w.-]+) \(MCP\)")
"""Name of a prompt of an MCP server as Claude Code shows it."""
_TYPED_COMMAND = re.compile(r"\s*(/[A-Za-z][\w:.-]*)[ \t]+(\S.*)", re.DOTALL)
_BARE_COMMAND = re.compile(r"/[A-Za-z][\w:.-]*")
_HOST_COMMAND = re.compile(r"/([a-z][a-z-]{1,30})[ \t]+\S[^\n]{0,200}")
_EMPTY = re.compile(
    r"<(?P<name>[\w.:-]+)[^<>]*>\s*"
    r"(?:(?:[\w.:-]+ )?hook (?:additional context|success|output):?\s*)?(?:</(?P=name)>|\Z)"
    r'|\{[^{}]*"hookSpecificOutput"\s*:\s*\{[^{}]*"additionalContext"\s*:\s*"(?:\s|\\n)*'
    r'(?:\Z|"[^{}]*\}[^{}]*\})'
)
"""An empty element of a host, or an empty hook output as JSON."""
_DEEPEST = 4
"""Maximum nesting depth of host elements."""


@dataclass(frozen=True, slots=True)
class MessagePart:
    """Part of a message and its author.

    The author is a person (HUMAN) or the host (GENERATED).
    """

    text: str
    origin: Origin


def split_message(text: str) -> tuple[MessagePart, ...]:
    """Split a message into what a person typed and what the host added.

    Parts are in the order of the text and cover all of it, except blank space between them and
    contexts that Memoranda itself had supplied, in any escaping. A text without a host's part is
    returned unchanged as one part; a blank text yields no part. A slash command with arguments is a
    person's text, ``/name arguments``, in any markup of the host; without arguments, it is the
    host's text. Takes time linear in the length of the text.
    """
    return tuple(part for part in map(_without_recalled, _parts(text)) if part.text)


def typed_text(parts: Iterable[MessagePart]) -> str:
    """Return the joined text of the parts that a person typed; empty if none."""
    return "\n\n".join(part.text for part in parts if part.origin is Origin.HUMAN)


def generated_text(parts: Iterable[MessagePart]) -> str:
    """Return the joined text of the parts that a host added; empty if none."""
    return "\n".join(part.text for part in parts if part.origin is Origin.GENERATED)


def _without_recalled(part: MessagePart) -> MessagePart:
    text, found = drop_recalled(part.text)
    if not found:
        return part
    if part.origin is Origin.HUMAN:  # typed markup is kept
        return MessagePart("" if _EMPTY.fullmatch(text.strip()) else text.strip(), part.origin)
    for _ in range(_DEEPEST):
        text = _EMPTY.sub("", text)
    return MessagePart(text.strip(), part.origin)


def _parts(text: str) -> list[MessagePart]:
    if not text.strip():
        return []
    if (
        text.lstrip().startswith(PREAMBLES)
        or HOOK_REPORT.match(text)
        or _is_command_to_host(text.strip())
    ):
        return [MessagePart(text, Origin.GENERATED)]
    if command := _COMMAND.match(text):
        return _command_parts(text, command)
    headings = RequestHeadings(text)
    request = headings.after(0, framed=False)
    if request is not None:
        return _requested(text, 0, request)
    later = _LATER_COMMAND.search(text)
    if later and _is_generated(text[: later.start()]):
        return _merged([*_generated(text[: later.start()]), *_parts(text[later.start() :])])
    return _scanned(text, headings)


def _replied(replies: Iterable[QuestionReply]) -> list[MessagePart]:
    parts: list[MessagePart] = []
    for reply in replies:
        question = [MessagePart(reply.question, Origin.GENERATED)] if reply.question else []
        parts += [*question, MessagePart(reply.answer, Origin.HUMAN)]
    return parts


def _requested(text: str, start: int, request: int) -> list[MessagePart]:
    """Return the host's context at an offset, and the request after it."""
    context = MessagePart(text[start:request].strip(), Origin.GENERATED)
    return [context, *_stripped(_parts(text[request:]))]


def _is_generated(text: str) -> bool:
    """Return whether a text is not blank and entirely by the host."""
    return bool(text.strip()) and all(part.origin is Origin.GENERATED for part in _generated(text))


def _generated(text: str) -> list[MessagePart]:
    return _scanned(text, RequestHeadings(text))


def _is_command_to_host(text: str) -> bool:
    """Return whether a text is a bare slash command, or one for the host."""
    match = _HOST_COMMAND.fullmatch(text)
    named = match is not None and match[1] in HOST_COMMANDS and slash_command(text)[0] == match[1]
    return named or _BARE_COMMAND.fullmatch(text) is not None


def _command_parts(text: str, command: re.Match[str]) -> list[MessagePart]:
    name = _COMMAND_NAME.search(command[0])
    arguments = (command["first"] or command["arguments"] or "").strip()
    rest = _stripped(_parts(text[command.end() :]))
    if not arguments or name is None or name[1].strip().lstrip("/") in HOST_COMMANDS:
        return [MessagePart(command[0].strip(), Origin.GENERATED), *rest]
    wrapper = command[0].partition("<command-args>")[0].strip()
    called = _MCP_PROMPT.sub(r"mcp__\1__\2", name[1].strip().lstrip("/"))
    typed = f"/{called} {arguments}"
    return [MessagePart(wrapper, Origin.GENERATED), MessagePart(typed, Origin.HUMAN), *rest]


def _scanned(text: str, headings: RequestHeadings) -> list[MessagePart]:
    """Separate the host's blocks from the person's text.

    After blocks at the beginning of the text, a context with a request may follow.
    """
    parts: list[MessagePart] = []
    position, spoken = 0, False
    for block in blocks(text):
        typed = _typed(text[position : block.start])
        parts += typed
        replies = question_replies(text[block.start : block.end])
        spoken = spoken or bool(typed or replies) or block.typed is not None
        if replies:
            parts += _replied(replies)
        elif block.typed is None:
            parts.append(MessagePart(text[block.start : block.end].strip(), Origin.GENERATED))
        else:
            parts += _stripped(_parts(text[slice(*block.typed)]))
        position = block.end
        if not spoken:
            request = headings.after(position, framed=True)
            if request is not None:
                return _merged([*parts, *_requested(text, position, request)])
    if position == 0:
        command = _TYPED_COMMAND.fullmatch(text)  # the form in transcripts
        spelled = f"{command[1]} {command[2].rstrip()}" if command else text
        return [MessagePart(spelled, Origin.HUMAN)]
    merged = _merged([*parts, *_typed(text[position:])])
    if len(merged) == 1 and merged[0].origin is Origin.GENERATED:
        return [MessagePart(text, Origin.GENERATED)]
    return merged


def _typed(text: str) -> list[MessagePart]:
    return [MessagePart(text.strip(), Origin.HUMAN)] if text.strip() else []


def _stripped(parts: Iterable[MessagePart]) -> list[MessagePart]:
    return [MessagePart(part.text.strip(), part.origin) for part in parts]


def _merged(parts: Iterable[MessagePart]) -> list[MessagePart]:
    """Merge consecutive parts of the host."""
    merged: list[MessagePart] = []
    for origin, run in groupby(parts, lambda part: part.origin):
        message_parts = list(run)
        if origin is Origin.GENERATED:
            message_parts = [MessagePart("\n".join(part.text for part in message_parts), origin)]
        merged += message_parts
    return merged
