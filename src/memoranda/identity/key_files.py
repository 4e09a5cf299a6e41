"""Files that contain secrets and are accessible only to their owner.

A file that other users can read is refused.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Generic, TypeVar

from memoranda.exceptions import StorageUnusable
from memoranda.private_folders import private_folder

T = TypeVar("T")

LARGEST = 1 << 20
"""Maximum number of bytes of a key file."""
_OTHERS_READ = stat.S_IRWXG | stat.S_IRWXO
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def read(path: Path, refused: int = _OTHERS_READ) -> bytes:
    """Return the content of a file.

    Raises:
        StorageUnusable: the path is not a file, or the file is too large, cannot be read, or has a
            ``refused`` permission bit; by default, this is any permission for users other than its
            owner to read it.
    """
    with _faults(path), path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if os.name == "posix" and mode & refused:
            raise StorageUnusable(
                f"{path} is readable by others (mode {stat.S_IMODE(mode):04o}) and may be"
                f" compromised: delete the file, or restrict access with chmod 600"
            )
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise StorageUnusable(f"{path} has more than {LARGEST:,} bytes; it is not a key file")
    return data


def make(path: Path, data: bytes) -> None:
    """Write a new file, accessible only to its owner, unless it exists.

    Raises:
        StorageUnusable: the file cannot be written.
    """
    with _faults(path), _draft(path, data) as draft, suppress(FileExistsError):
        os.link(draft, path)  # unless another process created it first


def replace(path: Path, data: bytes) -> None:
    """Replace a file with another one atomically.

    Raises:
        StorageUnusable: the file cannot be written.
    """
    with _faults(path), _draft(path, data) as draft:
        draft.replace(path)


@contextmanager
def exclusive_access(folder: Path) -> Iterator[None]:
    """Lock a folder's secrets; wait while another process changes them."""
    import fcntl

    with _faults(folder):
        private_folder(folder)
        lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


class WatchedFile(Generic[T]):
    """Content of a file, reread whenever the file changes. Thread-safe."""

    def __init__(self, path: Path, understood: Callable[[], T]) -> None:
        self._path = path
        self._understood = understood
        self._seen: tuple[tuple[int, ...], T] | None = None

    def current(self) -> T:
        """Return the current content.

        Raises:
            StorageUnusable: the file is missing, readable by others, or invalid.
        """
        with _faults(self._path):
            found = self._path.stat()
        mark = (found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode)
        seen = self._seen
        if seen is None or seen[0] != mark:
            seen = self._seen = (mark, self._understood())
        return seen[1]


@contextmanager
def _draft(path: Path, data: bytes) -> Iterator[Path]:
    private_folder(path.parent)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.draft")
    try:
        file = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(file, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageUnusable(f"cannot use {path}: {error.strerror}") from error
