"""Content blocks: the parts of a message, in every transcript format."""

from __future__ import annotations

from memoranda.capture.hosts.json_fields import Payload
from memoranda.capture.media import without_media
from memoranda.json_data import JsonValue
from memoranda.observations.content import media_text

TEXT_TYPES = ("text", "input_text", "output_text", "summary_text", "reasoning_text")


def blocks_of(content: JsonValue) -> list[Payload] | None:
    """Return the blocks of a message's content; None if it is invalid.

    A bare string, alone or in a list, becomes a text block; any other value that is not a block
    becomes an empty one.
    """
    if isinstance(content, str):
        return [_text_block(content)]
    if not isinstance(content, list):
        return None
    return [_block(item) for item in content]


def text_of(block: Payload) -> str:
    """Return the text of a text block; empty for any other block."""
    text = block.get("text")
    return text if isinstance(text, str) and block.get("type") in TEXT_TYPES else ""


def media_of(block: Payload) -> str:
    """Return the description of an image, PDF or other binary data, else ''."""
    return media_text(without_media(dict(block)))


def thinking_of(block: Payload) -> str:
    """Return the text of a thinking block; '' if omitted or another type."""
    thinking = block.get("thinking")
    return thinking if isinstance(thinking, str) and block.get("type") == "thinking" else ""


def joined_text(content: JsonValue) -> str:
    """Return all text of a message's content, block by block."""
    return "\n".join(filter(None, map(text_of, blocks_of(content) or [])))


def unread_reason(block: Payload) -> str:
    """Return why a block is skipped: another type, empty, or malformed."""
    kind = block.get("type")
    if kind == "thinking" or kind in TEXT_TYPES:
        return "empty"
    return f"block:{kind}" if "type" in block else "malformed"


def _block(one: JsonValue) -> Payload:
    if isinstance(one, str):
        return _text_block(one)
    return one if isinstance(one, dict) else {}


def _text_block(text: str) -> Payload:
    return {"type": "text", "text": text}
