"""Conversion of transcripts that are not UTF-8 JSON lines to lines.

A program may write a transcript as one JSON document. A person may have converted one to an array
of records, to records over several lines, or to UTF-16, as a Windows shell does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memoranda.exceptions import InvalidInput
from memoranda.text_encoding import decoded, is_wide

LARGEST = 256 * 2**20
"""Maximum number of bytes of a converted file, which is kept in memory as a whole."""

_HEAD = 4_096
_DOCUMENT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[|\{\s*\n)")
"""Start of an array, or of an object that spans several lines."""
_RETURNS = re.compile(rb"[^\n]*\r(?!\n)[^\n]")
"""Lines that end with a carriage return only."""
_MESSAGES = re.compile(r'"messages"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_END = re.compile(r"[\s,\]}]*")
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class SavedLines:
    """Records of a file, converted to lines."""

    lines: Sequence[bytes]
    torn: int
    """Characters after the last complete record of a truncated file."""


def document_lines(path: Path) -> SavedLines | None:
    """Return the lines of a document; None if the file already has lines.

    Raises:
        InvalidInput: the document is too large to be read as a whole.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not (is_wide(head) or _DOCUMENT.match(head) or _RETURNS.match(head)):
        return None
    found = path.stat()
    if found.st_size > LARGEST:
        raise InvalidInput(
            f"{path.name} is one document of more than {LARGEST:,} bytes; write its records as one"
            f" JSON object per line in UTF-8 (`jq -c .[]`) and import the result"
        )
    return _lines(path, (found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=1)
def _lines(path: Path, _: tuple[int, int]) -> SavedLines | None:
    data = path.read_bytes()
    text = decoded(data)
    if _DOCUMENT.match(text[:_HEAD].encode("utf-8", "replace")):
        lines = _array(text) if text.lstrip().startswith("[") else _objects(text)
        if lines is not None:
            return lines
    if _RETURNS.match(data[:_HEAD]) and "\n" not in text:
        text = text.replace("\r", "\n")
    elif not is_wide(data[:_HEAD]):
        return None
    return SavedLines([f"{line}\n".encode() for line in text.split("\n") if line.strip()], 0)


def _array(text: str) -> SavedLines | None:
    """Return the items of an array; None if it is the first of several lines."""
    try:
        whole, end = _DECODER.raw_decode(text, len(text) - len(text.lstrip()))
    except (ValueError, RecursionError):
        return _records(text, text.index("[") + 1)
    return None if text[end:].strip() else SavedLines([_line(item) for item in whole], 0)


def _objects(text: str) -> SavedLines | None:
    """Return the objects of a text in which they span several lines.

    For a truncated object, its complete messages are returned.
    """
    lines = _records(text, 0)
    messages = _MESSAGES.search(text)
    if lines or messages is None:
        return lines
    try:
        header = _DECODER.decode(text[: messages.end()] + "]}")
    except (ValueError, RecursionError):
        return None
    rest = _records(text, messages.end()) or SavedLines([], len(text) - messages.end())
    return SavedLines([_line(header), *rest.lines], rest.torn)


def _records(text: str, at: int) -> SavedLines | None:
    """Return the records from an offset on; None if there are none.

    After a damaged record, reading continues at the next line with the first record's indentation.
    """
    lines: list[bytes] = []
    first = _BETWEEN.match(text, at)
    depth = first[0].rpartition("\n")[2] if first else ""
    torn = 0
    while True:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        if _END.fullmatch(text, at):
            break
        try:
            value, at = _DECODER.raw_decode(text, at)
            lines.append(_line(value))
        except (ValueError, RecursionError):
            further = text.find(f"\n{depth}{{", at)
            torn += (further if further >= 0 else len(text)) - at
            if further < 0:
                break
            at = further
    return SavedLines(lines, torn) if lines else None


def _line(value: object) -> bytes:
    try:
        return json.dumps(value).encode() + b"\n"
    except RecursionError:  # counted as invalid by the reader of the line
        return b"{\n"
