"""Reader of transcript lines by byte offset, one in memory at a time.

Damaged lines are skipped. A transcript may be written while it is read, so text after the last line
feed is not read until the next import, unless it is already a complete JSON object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from memoranda.capture.hosts.codex.typescript_sessions import saved_lines
from memoranda.capture.hosts.damaged_line_objects import line_objects
from memoranda.capture.hosts.document_lines import SavedLines, document_lines
from memoranda.capture.hosts.json_fields import Payload
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, parse_captured_json

MAX_LINE = 64 * 2**20
"""Maximum number of bytes of a line; a longer line is skipped."""

_CHUNK = 2**20
_BLANK = b" \t\r\n\0"


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """Line of the file."""

    offset: int
    """Offset of the line's beginning, in bytes from the start of the file."""
    number: int
    """Line number, counted from 1 where reading started."""
    raw: bytes
    """Bytes of the line, with the line feed."""


@dataclass(slots=True)
class LineCounts:
    """Counts that are updated while lines are read."""

    lines: int = 0
    events: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Number of lines and blocks without an event, by reason."""
    incomplete: int = 0
    """Number of bytes of an incomplete last line."""
    end: int = 0
    """Offset after the last line that was read or skipped."""


def read_lines(
    path: Path, start: int = 0, max_line: int = MAX_LINE, tally: LineCounts | None = None
) -> Iterator[TranscriptLine]:
    """Yield the lines from byte ``start`` on, which must be a line start.

    Blank lines are skipped, as are lines over ``max_line`` bytes (counted as ``oversized``).
    ``tally.end`` advances when the next line is requested. A file that is one JSON document, as old
    versions of Codex saved sessions, yields its records as lines; a file in UTF-16 or UTF-32 yields
    its lines in UTF-8. The offset of these lines is their number.

    Raises:
        InvalidInput: the file is of one of these kinds, and too large to be read as a whole.
    """
    saved = saved_lines(path) or document_lines(path)
    if saved is not None:
        yield from _numbered(saved, start, LineCounts() if tally is None else tally)
        return
    with path.open("rb") as file:
        file.seek(start)
        yield from split_lines(file, start, max_line, tally)


def split_lines(
    file: BinaryIO, start: int = 0, max_line: int = MAX_LINE, tally: LineCounts | None = None
) -> Iterator[TranscriptLine]:
    """Yield lines like `read_lines`, from a file positioned at ``start``."""
    tally = LineCounts() if tally is None else tally
    tally.end = offset = start
    number = 0
    while raw := file.readline(max_line + 1):
        number += 1
        oversized = len(raw) > max_line and not raw.endswith(b"\n")
        size, ended = _to_line_end(file, raw) if oversized else (len(raw), raw.endswith(b"\n"))
        if not ended and (oversized or not _is_object(raw)):
            whole = 0 if oversized else line_objects(raw, ended=False).end
            tally.incomplete = size - whole
            if whole:
                yield TranscriptLine(offset, number, raw[:whole])
                tally.end = offset + whole
            return
        if oversized:
            tally.skipped["oversized"] += 1
        elif raw.strip(_BLANK):
            yield TranscriptLine(offset, number, raw)
        offset += size
        tally.end = offset


def _numbered(saved: SavedLines, start: int, tally: LineCounts) -> Iterator[TranscriptLine]:
    tally.end = start
    for number, raw in enumerate(saved.lines[start:], start):
        yield TranscriptLine(number, number - start + 1, raw)
        tally.end = number + 1
    tally.incomplete = saved.torn
    if saved.torn:
        tally.skipped["incomplete"] += 1


def _to_line_end(file: BinaryIO, raw: bytes) -> tuple[int, bool]:
    size = len(raw)
    while raw and not raw.endswith(b"\n"):
        raw = file.readline(_CHUNK)
        size += len(raw)
    return size, bool(raw)


def _is_object(raw: bytes) -> bool:
    # A truncated object is not valid JSON, so a torn line cannot be taken for a complete one.
    try:
        return isinstance(_decode(raw), dict)
    except InvalidInput:
        return False


def line_entries(
    lines: Iterable[TranscriptLine], tally: LineCounts
) -> Iterator[tuple[TranscriptLine, Payload]]:
    """Yield the objects of lines, each with its own part of its line.

    Several objects on one line are read one by one, as is what follows a truncated object.
    """
    for line in lines:
        for part in _parts(line, tally):
            entry = entry_of(part, tally)
            if entry is not None:
                yield part, entry


def _parts(line: TranscriptLine, tally: LineCounts) -> Iterator[TranscriptLine]:
    try:
        _decode(line.raw)
    except InvalidInput:
        objects = line_objects(line.raw)
        if not objects.ranges:
            yield line
            return
        if objects.damaged:
            tally.skipped["invalid_json"] += objects.damaged
        for start, end in objects.ranges:
            yield TranscriptLine(line.offset + start, line.number, line.raw[start:end])
    else:
        yield line


def entry_of(line: TranscriptLine, tally: LineCounts) -> Payload | None:
    """Decode a line; count it and return None if it is not a JSON object.

    Bytes that are not UTF-8 become U+FFFD and NULs are dropped; crashes leave such bytes.
    """
    try:
        value = _decode(line.raw)
    except InvalidInput:
        tally.skipped["invalid_json"] += 1
        return None
    if not isinstance(value, dict):
        tally.skipped["not_an_object"] += 1
        return None
    return value


def _decode(raw: bytes) -> JsonValue:
    text = raw.replace(b"\0", b"").decode("utf-8", "replace")
    return parse_captured_json(text.lstrip("\ufeff"))
