"""Texts that are only in the event messages of a Codex rollout.

Event messages repeat the texts of response items for display. Some programs write no response
items, and a damaged file may lack some; the text is then only in the event message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memoranda.capture.hosts.codex.records import ITEM, CodexRecord, records
from memoranda.capture.hosts.content_blocks import blocks_of, text_of
from memoranda.capture.hosts.json_fields import Payload, mapping, string
from memoranda.capture.hosts.transcript_lines import TranscriptLine, read_lines
from memoranda.capture.hosts.typed_text import split_message, typed_text
from memoranda.text import one_line

_MARKS = re.compile(
    rb'user_message|agent_message|agent_reasoning|item_completed|"role"|"reasoning"'
)
"""Pattern in every line that contains a text by a person or the model."""
_ELEMENT = re.compile(
    r"<(?P<name>[\w-]{1,60})>(?P<text>(?:(?!</?(?P=name)>).)*)</(?P=name)>", re.DOTALL
)
"""Elements that Codex removes for display, such as a plan or a citation."""

_DISTINCTIVE = 24
"""Minimum number of characters of a text that may be matched as part of another text."""


class TextRole(StrEnum):
    """Author of a text: user, agent or the agent's reasoning."""

    USER = "user"
    ASSISTANT = "assistant"
    REASONING = "reasoning"


@dataclass(frozen=True, slots=True)
class NoticeText:
    """The text of an event message."""

    form: str
    """Kind of event message; several kinds may repeat the same text."""
    role: TextRole
    text: str


_BY_KIND = {
    "user_message": (TextRole.USER, "message"),
    "agent_message": (TextRole.ASSISTANT, "message"),
    "agent_reasoning": (TextRole.REASONING, "text"),
    "agent_reasoning_raw_content": (TextRole.REASONING, "text"),
}
_BY_ITEM = {
    "UserMessage": (TextRole.USER, ("content",)),
    "AgentMessage": (TextRole.ASSISTANT, ("content",)),
    "Plan": (TextRole.ASSISTANT, ("text",)),
    "Reasoning": (TextRole.REASONING, ("summary_text", "raw_content")),
}


def notice_text(notice: Payload) -> NoticeText | None:
    """Return the text of an event message; None for kinds without text."""
    kind = string(notice, "type")
    if kind in _BY_KIND:
        role, name = _BY_KIND[kind]
        return NoticeText(kind, role, string(notice, name) or "")
    item = mapping(notice.get("item"))
    form = string(item, "type")
    if kind != "item_completed" or form not in _BY_ITEM:
        return None
    role, names = _BY_ITEM[form]
    texts = (string(block, "text") for name in names for block in blocks_of(item.get(name)) or ())
    return NoticeText(form, role, "\n".join(filter(None, texts)))


def lone_notices(path: Path) -> frozenset[int]:
    """Return the offsets of event messages whose text is in no response item.

    If event messages of two kinds have the same text, those of the first kind are returned.
    """
    notices: list[tuple[int, NoticeText]] = []
    items: dict[TextRole, dict[str, None]] = {role: {} for role in TextRole}
    for offset, record in _texts(path):
        if record.kind == ITEM:
            for role, text in _item_texts(record.payload):
                items[role][text] = None
        elif (found := notice_text(record.payload)) and found.text.strip():
            notices.append((offset, found))
    whole = {role: "\n".join(texts) for role, texts in items.items()}
    forms: dict[tuple[TextRole, str], str] = {}
    lone: set[int] = set()
    for offset, notice in notices:
        text = one_line(notice.text)
        is_part = len(text) >= _DISTINCTIVE and text in whole[notice.role]
        if is_part or text in items[notice.role]:
            continue
        if forms.setdefault((notice.role, text), notice.form) == notice.form:
            lone.add(offset)
    return frozenset(lone)


def _texts(path: Path) -> Iterator[tuple[int, CodexRecord]]:
    """Yield the records that may have a text; only their lines are decoded."""

    def marked() -> Iterator[TranscriptLine]:
        yield from (line for line in read_lines(path) if _MARKS.search(line.raw))

    for line, record in records(marked()):
        if record.kind in (ITEM, "event_msg"):
            yield line.offset, record


def _item_texts(item: Payload) -> Iterator[tuple[TextRole, str]]:
    """Yield the texts of a response item in the forms that event messages use."""
    kind, role = string(item, "type"), string(item, "role")
    if kind == "reasoning":
        for block in blocks_of(item.get("summary")) or ():
            yield TextRole.REASONING, one_line(text_of(block))
        return
    texts = [text for block in blocks_of(item.get("content")) or () if (text := text_of(block))]
    if role == "user":
        for text in (*texts, "\n".join(texts)):
            if typed := typed_text(split_message(text)):
                yield TextRole.USER, one_line(typed)
                yield TextRole.USER, one_line(text)
    elif role == "assistant" or kind == "agent_message":
        whole = "".join(texts)
        inner = (match["text"] for match in _ELEMENT.finditer(whole))
        for text in (*texts, whole, _ELEMENT.sub("", whole), *inner):
            yield TextRole.ASSISTANT, one_line(text)
