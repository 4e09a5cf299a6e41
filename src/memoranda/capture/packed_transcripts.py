"""Transcripts packed with zstd, as Codex packs its older sessions.

The transcripts are read with Python 3.14 or later, or with the package zstandard if it is
installed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from memoranda.exceptions import CorruptData, InvalidInput

LARGEST = 2 << 30
"""Maximum number of bytes of an unpacked transcript."""
_MARK = b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 20


def unpacked_path(path: Path) -> Path:
    """Return a packed transcript's former path, or any other file's own path."""
    is_packed = path.suffix.lower() == ".zst" and path.with_suffix("").suffix
    return path.with_suffix("") if is_packed else path


@contextmanager
def readable(path: Path) -> Iterator[Path]:
    """Yield a transcript's file; for a packed one, a private unpacked copy.

    If zstd cannot be unpacked, the packed file is yielded, which every reader rejects with an error
    that names the file.

    Raises:
        CorruptData: the packed file is damaged.
        InvalidInput: its content is too large.
    """
    with path.open("rb") as file:
        packed = file.read(len(_MARK)) == _MARK
    library = _library() if packed else None
    if library is None:
        yield path
        return
    with TemporaryDirectory(prefix="memoranda-") as folder:
        copy = Path(folder, unpacked_path(path).name)
        with path.open("rb") as file, copy.open("wb") as target:
            try:
                _unpack(_stream(library, file), target, path.name)
            except EOFError:  # the end of the file is missing; the lines before it are read
                pass
            except library.ZstdError as error:
                raise CorruptData(f"{path.name} is damaged: {error}") from error
        if not copy.stat().st_size:
            raise CorruptData(f"{path.name} is damaged: no part of it can be unpacked")
        written = path.stat()
        os.utime(copy, ns=(written.st_atime_ns, written.st_mtime_ns))
        yield copy


def _library() -> Any:
    """Return the module that unpacks zstd, or None."""
    name = "compression.zstd" if sys.version_info >= (3, 14) else "zstandard"
    try:
        return import_module(name)
    except ImportError:
        return None


def _stream(library: Any, file: BinaryIO) -> Any:
    if hasattr(library, "ZstdFile"):
        return library.ZstdFile(file)
    return library.ZstdDecompressor().stream_reader(file, read_across_frames=True)


def _unpack(source: Any, target: BinaryIO, name: str) -> None:
    size = 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        if size > LARGEST:
            raise InvalidInput(
                f"{name} has more than {LARGEST:,} bytes unpacked; unpack it (`unzstd {name}`) and "
                "import the result"
            )
        target.write(chunk)
