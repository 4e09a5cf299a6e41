"""Explanations for files that cannot be imported, and what to do instead.

Users try to import other files in an agent's folder: archives, images, histories of other agents.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memoranda.capture.hosts.json_fields import Payload, mapping
from memoranda.text_encoding import is_wide

GENERIC = "write its messages as generic events (docs/generic-events.md) and import these"

_HEAD = 4_096
_PACKED = (
    (b"\x1f\x8b", "gzip", "gunzip -k"),
    (b"BZh", "bzip2", "bunzip2 -k"),
    (b"\xfd7zXZ\0", "xz", "unxz -k"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unzstd"),
)
_KINDS = (
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"%PDF", "a PDF"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
)
_NO_TEXT = 0.02
"""Fraction of control characters above which a file is treated as binary."""


def unread_reason(path: Path) -> str | None:
    """Return why a file is not a transcript, by its bytes; None if it is text."""
    if packed := packed_reason(path):
        return packed
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(b"PK\x03\x04"):
        return f"{path.name} is a damaged or incomplete zip; download it again"
    for mark, kind in _KINDS:
        if head.startswith(mark):
            return f"{path.name} is {kind}, neither a transcript nor memories"
    if not head.strip(b" \t\r\n\0"):
        return f"{path.name} contains only white space"
    if not is_wide(head) and sum(byte < 9 for byte in head) > len(head) * _NO_TEXT:
        return f"{path.name} is not text, so it contains neither a transcript nor memories"
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
        return f"{path.name} is an HTML or XML page; import the JSON that its program exports"
    return None


def packed_reason(path: Path) -> str | None:
    """Return how to unpack a compressed file; None if it is not compressed.

    Some formats do not compress short texts, so whole records are readable in the compressed file.
    """
    with path.open("rb") as file:
        head = file.read(max(len(mark) for mark, _, _ in _PACKED))
    for mark, name, command in _PACKED:
        if head.startswith(mark):
            return (
                f"{path.name} is compressed with {name}; unpack it (`{command} {path.name}`) and "
                "import the result"
            )
    return None


def other_history(entries: Iterable[Payload]) -> str | None:
    """Return which other program wrote the records; None if unknown."""
    for entry in entries:
        if "info" in entry and isinstance(entry.get("messages"), list):
            return f"an export of OpenCode, which cannot be imported; {GENERIC}"
        if "messageID" in entry or ("sessionID" in entry and "time" in entry):
            return f"a part of OpenCode's storage, which cannot be imported; {GENERIC}"
        if isinstance(entry.get("ts"), int) and entry.get("type") in ("say", "ask"):
            return f"a list of what Cline displayed, which cannot be imported; {GENERIC}"
        if "role" in entry and ("content" in entry or "parts" in entry):
            return f"a bare list of messages without a session, which cannot be imported; {GENERIC}"
        messages = entry.get("messages")
        if isinstance(messages, list) and "role" in mapping(messages[0] if messages else None):
            return f"a bare list of messages without a session, which cannot be imported; {GENERIC}"
    return None
