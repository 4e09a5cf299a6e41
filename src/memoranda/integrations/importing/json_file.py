"""JSON of another system: a document, several, one a line, or those of a zip."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from memoranda.errors import CorruptData, InvalidInput

LARGEST = 2 << 30
"""Bytes of one document; it is read as a whole."""


def documents(path: Path) -> Iterator[Any]:
    """Yield the document of a file, or, if it has several, those of its lines.

    Raises:
        InvalidInput: it is no JSON, or too long.
    """
    _require_length(path.name, path.stat().st_size)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is no UTF-8 text: {error}") from error
    try:
        yield json.loads(text)
    except ValueError as error:
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            raise InvalidInput(f"{path} is no JSON: {error}") from error
        yield from found


def first(path: Path) -> Any:
    """Return the document of a file, or that of its first line; None for an empty file.

    Raises:
        InvalidInput: it is no JSON.
    """
    with path.open("rb") as file:
        for line in file:
            if line.strip():
                try:
                    return json.loads(line.decode("utf-8-sig"))
                except ValueError:  # a document of several lines, or something else
                    break
    return next(documents(path), None)


def members(path: Path, beginning: str) -> Iterator[tuple[str, Any]]:
    """Yield the JSON documents of a zip or folder whose names begin so, with their names.

    Raises:
        CorruptData: the zip is damaged.
        InvalidInput: a member is no JSON, or too long.
    """
    if path.is_dir():
        for file in sorted(path.glob(f"{beginning}*.json")):
            for document in documents(file):
                yield file.name, document
        return
    try:
        with ZipFile(path) as zip:
            for info in sorted(zip.infolist(), key=lambda info: info.filename):
                name = info.filename.rpartition("/")[2]
                if name.startswith(beginning) and name.endswith(".json"):
                    _require_length(info.filename, info.file_size)
                    yield name, json.loads(zip.read(info))
    except (BadZipFile, EOFError, OSError) as error:
        raise CorruptData(f"{path} is damaged: {error}") from error
    except (ValueError, RuntimeError, NotImplementedError) as error:
        raise InvalidInput(f"{path}: {error}") from error


def is_zip(path: Path) -> bool:
    """Say whether a file is a zip."""
    return path.is_file() and is_zipfile(path)


def _require_length(name: str, size: int) -> None:
    if size > LARGEST:
        raise InvalidInput(f"{name} is longer than {LARGEST:,} bytes; import it in parts")
