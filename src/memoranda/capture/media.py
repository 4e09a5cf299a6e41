"""Replacement of binary data in events by a description.

Hosts send images, sound and other data as base64: megabytes of text that is useful neither to a
reader nor for a search. The description states the kind, media type, size and hash.
"""

from __future__ import annotations

import binascii
import hashlib
import re
from dataclasses import replace

from memoranda.capture.event import Event
from memoranda.json_data import JsonValue
from memoranda.observations.content import media_label

MIN_LENGTH = 256
"""Minimum number of characters of base64 that is recognised by its form alone."""
_MIN_BLOCK_LENGTH = 64
"""Minimum number of characters of base64 that follows a media type."""

_MAGIC = {
    "iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGODdh": "image/gif",
    "R0lGODlh": "image/gif", "UklGR": "image/webp", "JVBERi0": "application/pdf",
    "UEsDB": "application/zip", "SUQz": "audio/mpeg", "T2dnUw": "audio/ogg",
    "ZkxhQ": "audio/flac", "GkXfo": "video/webm", "AAAAGGZ0eX": "video/mp4",
    "AAAAHGZ0eX": "video/mp4", "AAAAIGZ0eX": "video/mp4", "H4sI": "application/gzip",
    "SUkqA": "image/tiff", "TU0AK": "image/tiff",
}  # fmt: skip
"""Beginnings of base64 of known data formats."""
_SIGNS = re.compile("|".join(map(re.escape, _MAGIC)))
_BREAK = r"(?:\\r)?(?:\\n|\r?\n)[ \t]{0,8}"
_RUN = rf"(?:[A-Za-z0-9+/_-]{{16,}}+(?:{_BREAK})?+)++[A-Za-z0-9+/_-]{{0,16}}+={{0,2}}+"
"""Pattern of a base64 run, with possessive quantifiers for linear time."""
_URL = re.compile(
    rf"data:(?P<type>[\w.+-]{{1,60}}/[\w.+-]{{1,90}})?(?:;[\w.+-]{{1,40}}(?:=[^;,\s]{{1,80}})?)*;base64,(?P<data>{_RUN})"
)
_BARE = re.compile(rf"(?<![A-Za-z0-9+/])(?P<sign>{_SIGNS.pattern})(?P<data>{_RUN})")
_TYPE = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,90}(?:;.{0,100})?")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]++={0,2}")
_GAP = re.compile(r"\\r|\\n|\s")

TYPES = ("media_type", "mimeType", "mime_type", "mediaType", "contentType", "type", "format")
DATA = frozenset({"data", "base64", "blob", "image_data", "file_data", "b64_json", "bytes"})
"""Names of members that contain binary data."""
_SOUNDS = frozenset({"wav", "mp3", "flac", "opus", "ogg", "pcm16", "aac"})


def described(event: Event) -> Event:
    """Return an event with binary data replaced by descriptions."""
    arguments, output = without_media(event.input), without_media(event.output)
    text = text_without_media(event.text)
    if (arguments, output, text) == (event.input, event.output, event.text):
        return event
    return replace(event, input=arguments, output=output, text=text)


def without_media(value: JsonValue) -> JsonValue:
    """Return a value in which base64-encoded binary data is replaced.

    Each base64 text is replaced by a `media_label` text.
    """
    if isinstance(value, str):
        return text_without_media(value)
    if isinstance(value, list):
        return [without_media(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "Buffer" and (raw := _octets(value.get("data"))):
        return {**value, "data": _label_of("application/octet-stream", raw)}
    return {name: _member(value, name, one) for name, one in value.items()}


def _octets(value: JsonValue) -> bytes | None:
    """Parse a byte buffer that Node serialised as a list of numbers."""
    if not isinstance(value, list) or len(value) < _MIN_BLOCK_LENGTH:
        return None
    numbers = [item for item in value if type(item) is int and 0 <= item <= 255]
    return bytes(numbers) if len(numbers) == len(value) else None


def _member(block: dict[str, JsonValue], name: str, value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        return without_media(value)
    long = name in DATA and len(value) >= _MIN_BLOCK_LENGTH
    media = _media_type(block) if long else None
    if media and " " not in value and _BASE64.fullmatch(_GAP.sub("", value)):
        return _label(media, value)
    return text_without_media(value)


def _media_type(block: dict[str, JsonValue]) -> str | None:
    """Return the media type of a block, if it is binary data."""
    for name in TYPES:
        media_type = block.get(name)
        if isinstance(media_type, str) and media_type in _SOUNDS:
            return f"audio/{media_type}"
        if isinstance(media_type, str) and _TYPE.fullmatch(media_type):
            return media_type.partition(";")[0]
    kind = block.get("type")
    return {"base64": "application/octet-stream", "pdf": "application/pdf"}.get(str(kind))


def text_without_media(text: str) -> str:
    """Return a text with data URLs and base64 of known formats replaced."""
    if ";base64," in text:
        text = _URL.sub(_described_url, text)
    if len(text) >= MIN_LENGTH and _SIGNS.search(text):
        text = _BARE.sub(_described_run, text)
    return text


def _described_url(found: re.Match[str]) -> str:
    if len(found["data"]) < _MIN_BLOCK_LENGTH:
        return found[0]
    return f"[{_label(found['type'] or 'application/octet-stream', found['data'])}]"


def _described_run(found: re.Match[str]) -> str:
    if len(found[0]) < MIN_LENGTH:
        return found[0]
    return f"[{_label(_MAGIC[found['sign']], found[0])}]"


def _label(media: str, data: str) -> str:
    return _label_of(media, _bytes(data))


def _label_of(media: str, raw: bytes) -> str:
    return media_label(media, len(raw), hashlib.sha256(raw).hexdigest())


def _bytes(data: str) -> bytes:
    plain = _GAP.sub("", data).rstrip("=").replace("-", "+").replace("_", "/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    return binascii.a2b_base64(plain + "=" * (-len(plain) % 4))
