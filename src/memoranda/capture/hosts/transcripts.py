"""Readers of past sessions' transcripts: tolerant, incremental.

The readers never raise an error for the content of a transcript.

    reader = reader_for(path)
    for event in reader.events(read_lines(path, start, tally=reader.tally)):
        ...
    start = reader.resume_offset
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from memoranda.capture.hosts.claude_code import transcript as claude_code
from memoranda.capture.hosts.claude_code.payload import HOST as CLAUDE_CODE
from memoranda.capture.hosts.claude_code.transcript import session_folder
from memoranda.capture.hosts.codex import transcript as codex
from memoranda.capture.hosts.codex.payload import HOST as CODEX
from memoranda.capture.hosts.cursor import transcript as cursor
from memoranda.capture.hosts.cursor.payload import HOST as CURSOR
from memoranda.capture.hosts.gemini import transcript as gemini
from memoranda.capture.hosts.gemini.payload import HOST as GEMINI
from memoranda.capture.hosts.generic import transcript as generic
from memoranda.capture.hosts.generic.payload import HOST as GENERIC
from memoranda.capture.hosts.host_detection import detect
from memoranda.capture.hosts.transcript_lines import (
    MAX_LINE,
    LineCounts,
    TranscriptLine,
    line_entries,
    read_lines,
)
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.capture.hosts.unsupported_files import other_history, packed_reason, unread_reason
from memoranda.exceptions import InvalidInput

DETECTION_LINES = 200
"""Maximum number of lines read to detect the format of a file."""

READERS: Mapping[str, Callable[[Path], TranscriptReader]] = MappingProxyType(
    {
        CLAUDE_CODE: claude_code.reader,
        CODEX: codex.reader,
        CURSOR: cursor.reader,
        GEMINI: gemini.reader,
        GENERIC: generic.reader,
    }
)


def reader_for(path: Path, host: str | None = None) -> TranscriptReader:
    """Return a reader for a transcript, by its content or its ``host``.

    Raises:
        InvalidInput: the content has no known format, or there is no reader for this host.
    """
    if not path.stat().st_size:
        raise InvalidInput(f"{path.name} is empty")
    form = host or _detected(path)
    make = READERS.get(form)
    if make is None:
        raise InvalidInput(
            f"no reader for transcripts of {form!r}; supported: {', '.join(READERS)}"
        )
    return make(path)


def _detected(path: Path) -> str:
    if packed := packed_reason(path):
        raise InvalidInput(packed)
    try:
        return detect(islice(read_lines(path), DETECTION_LINES))
    except InvalidInput as error:
        lines = islice(read_lines(path), DETECTION_LINES)
        history = other_history(entry for _, entry in line_entries(lines, LineCounts()))
        reason = unread_reason(path) or (f"{path.name} is {history}" if history else None)
        if reason is None:
            raise
        raise InvalidInput(reason) from error


def companions(path: Path) -> list[Path]:
    """Return the transcripts of the subagents of a transcript's session."""
    found = (host.companions(path) for host in (claude_code, gemini, cursor))
    return next(filter(None, found), [])


__all__ = [
    "MAX_LINE",
    "READERS",
    "LineCounts",
    "TranscriptLine",
    "TranscriptReader",
    "companions",
    "detect",
    "read_lines",
    "reader_for",
    "session_folder",
]
