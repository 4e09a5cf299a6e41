"""ChatGPT's custom instructions, which each conversation repeats invisibly.

A person wrote them once for all conversations, so they become one memory about the person and one
with the wishes for answers. Earlier texts become versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from memoranda.archive.other_system_records import FormerContent, ImportedMemory
from memoranda.integrations.imports.imported_items import ImportContext, fields_of, parts, text_of
from memoranda.memories.model import Category

KIND = "user_editable_context"
"""Content type of the messages with custom instructions."""
_FIELDS = {
    "about_user_message": ("user_profile", "about the person", Category.INSIGHT),
    "about_model_message": ("user_instructions", "how to respond", Category.PATTERN),
}
_FENCED = re.compile(r"```(.*)```", re.DOTALL)
"""The person's text within the text that the host wrote around it."""
_PREAMBLE = re.compile(
    r"\s*(?:Follow the instructions below naturally,|All the following instructions should guide)"
    r"[^\n]*\n"
)
"""Paragraphs of the host within the fence."""


class CustomInstructions:
    """The custom instructions in the conversations of one export."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, int | None]] = {}
        """Time of the first conversation with each text, by field."""

    def note(self, message: Mapping[str, Any], at: int | None) -> bool:
        """Record the instructions in a message; return whether it is such a message."""
        content = fields_of(message.get("content"))
        if content.get("content_type") != KIND:
            return False
        stated = fields_of(fields_of(message.get("metadata")).get("user_context_message_data"))
        for field, (wrapped, _, _) in _FIELDS.items():
            text = text_of(stated.get(field)) or _unwrapped(text_of(content.get(wrapped)))
            if text:
                times = self._texts.setdefault(field, {})
                times[text] = min(filter(None, (times.get(text), at)), default=None)
        return True

    def memories(self, reading: ImportContext) -> Iterator[ImportedMemory]:
        """Yield a memory for each field with its newest text."""
        for field, times in self._texts.items():
            _, title, category = _FIELDS[field]
            texts = sorted(times, key=lambda text, times=times: times[text] or 0)  # type: ignore[misc]
            changes = pairwise(texts)
            yield from parts(
                ImportedMemory(
                    key=f"chatgpt:{field}",
                    content=texts[-1],
                    title=f"custom instructions: {title}",
                    category=category,
                    tags=("chatgpt-instructions",),
                    workspace=reading.workspace,
                    created_at=times[texts[0]],
                    updated_at=times[texts[-1]],
                    former=tuple(FormerContent(content=a, changed_at=times[b]) for a, b in changes),
                )
            )


def _unwrapped(text: str) -> str:
    """Return the person's text in a host's text; empty if there is none."""
    fenced = _FENCED.search(text)
    if fenced is None:
        return ""
    text = fenced[1]
    while preamble := _PREAMBLE.match(text):
        text = text[preamble.end() :]
    return text.strip()
