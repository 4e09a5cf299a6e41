"""Reader of JSON documents in a file or zip; skips damaged parts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from memoranda.exceptions import CorruptData, InvalidInput
from memoranda.private_folders import lies_in
from memoranda.text_encoding import decoded

LARGEST = 2 << 30
"""Maximum size of one document in bytes; a document is read as a whole."""
FIRST_LINES = 20
"""Number of lines that are read to detect the format of a file."""
MAX_LINE_BYTES = 16 << 20
"""Maximum size in bytes of a line that is read to detect the format."""
TORN = "a damaged piece of JSON"
_TRIES = 50
"""Maximum number of positions in a damaged line that are tried as the start of an object."""
_BLANK = re.compile(r"[\s,\]\ufeff\x1e]*")
"""Separators between values, ends of arrays, and record separators of RFC 7464."""
_DECODER = json.JSONDecoder(strict=False)
_FAULTS = (ValueError, RecursionError)

Damaged = Callable[[str], None]
"""Called with a reason for each skipped part."""


def documents(path: Path, damaged: Damaged = lambda reason: None) -> Iterator[Any]:
    """Yield the documents in a file: one or several, with any separator.

    Text that cannot be parsed is skipped: a torn last line, the rest of a longer line that was
    overwritten by a shorter one, an array without an end. Lines end at line feeds only; other line
    separators may occur within strings.

    Raises:
        InvalidInput: no part of the file is JSON, or the file is too long.
    """
    _require_length(path.name, path.stat().st_size)
    yield from parsed(path.name, decoded(path.read_bytes()), damaged)


def parsed(name: str, text: str, damaged: Damaged) -> Iterator[Any]:
    """Yield the documents in a text, like `documents` for a file."""
    try:
        yield _DECODER.decode(text.strip())
        return
    except _FAULTS as error:
        fault = error
    count = 0
    for count, result in enumerate(_pieces(text, damaged), 1):  # noqa: B007 - counted after the loop
        yield result
    if not count and text.strip():
        raise InvalidInput(f"{name} is not JSON: {fault}") from fault


def first(path: Path) -> list[Any]:
    """Return the objects or lists in a file's first lines, or its document.

    Raises:
        InvalidInput: the file is not JSON.
    """
    found: list[Any] = []
    torn = False
    with path.open("rb") as file:
        for line in islice(iter(lambda: file.readline(MAX_LINE_BYTES), b""), FIRST_LINES):
            try:
                value = _DECODER.decode(decoded(line).strip())
            except _FAULTS:  # damaged, a document of several lines, or not JSON
                torn = torn or not found
                continue
            if isinstance(value, dict | list):
                found.append(value)
    # if the first line is not a value, the file may be one document, whose records are lines as
    # well
    return list(islice(documents(path), FIRST_LINES)) if torn or not found else found


def members(
    path: Path, beginning: str, damaged: Damaged = lambda reason: None
) -> Iterator[tuple[str, Any]]:
    """Yield the JSON documents in a zip or folder with the given name prefix.

    Each document comes with its name. Links that lead out of the folder are not followed.

    Raises:
        CorruptData: the zip is damaged.
        InvalidInput: a member is too long, or is compressed in an unsupported way.
    """
    if path.is_dir():
        for file in sorted(path.glob(f"{beginning}*.json")):
            if not lies_in(file, path):
                damaged("a link that leads out of the folder")
                continue
            try:
                for document in documents(file, damaged):
                    yield file.name, document
            except InvalidInput:
                damaged(f"{file.name}: no JSON")
        return
    try:
        with ZipFile(path) as zip:
            for info in sorted(zip.infolist(), key=lambda info: info.filename):
                name = info.filename.rpartition("/")[2]
                if name.startswith(beginning) and name.endswith(".json"):
                    _require_length(info.filename, info.file_size)
                    try:
                        for document in parsed(info.filename, decoded(zip.read(info)), damaged):
                            yield name, document
                    except InvalidInput:
                        damaged(f"{name}: no JSON")
    except (BadZipFile, EOFError, OSError) as error:
        raise CorruptData(f"{path} is damaged: {error}") from error
    except (ValueError, RuntimeError, NotImplementedError) as error:
        raise InvalidInput(f"{path}: {error}") from error


def is_zip(path: Path) -> bool:
    """Return whether a file is a zip archive."""
    return path.is_file() and is_zipfile(path)


def _pieces(text: str, damaged: Damaged) -> Iterator[Any]:
    """Yield the values in a text in order; skip damaged parts."""
    at = _after_blank(text, 0)
    if text.startswith("[", at) and _value(text, at) is None:  # unclosed array: read its items
        at = _after_blank(text, at + 1)
    while at < len(text):
        if (found := _value(text, at)) is not None:
            value, at = found
            if isinstance(value, dict | list):
                yield value
            else:
                damaged(TORN)
                at = _line_end(text, at)
        else:
            damaged(TORN)
            end = _line_end(text, at)
            if (rest := _last_object(text, at + 1, end)) is not None:
                yield rest
            at = end
        at = _after_blank(text, at)


def _value(text: str, at: int) -> tuple[Any, int] | None:
    try:
        return _DECODER.raw_decode(text, at)
    except _FAULTS:
        return None


def _last_object(text: str, at: int, end: int) -> Any:
    """Return the object at the end of a damaged line.

    Such a line results if a record is appended to a truncated one.
    """
    for _ in range(_TRIES):
        at = text.find('{"', at, end)
        if at < 0:
            return None
        found = _value(text, at)
        if found and _after_blank(text, found[1]) >= end:
            return found[0]
        at += 1
    return None


def _after_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _require_length(name: str, size: int) -> None:
    if size > LARGEST:
        raise InvalidInput(f"{name} is longer than {LARGEST:,} bytes; import it in parts")
