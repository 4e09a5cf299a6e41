"""SQLite files: privacy, unsafe file systems, and conversion of errors."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memoranda.exceptions import (
    CorruptData,
    InvalidInput,
    StorageBusy,
    StorageError,
    StorageFull,
    StorageUnusable,
)
from memoranda.private_folders import private_folder
from memoranda.text import text_lines

LITTLE_ROOM = 64 << 10
"""Number of free bytes below which SQLite cannot create the files that it needs next to the
database.
"""
REMOTE = frozenset({"9p", "afs", "cifs", "fuse.sshfs", "nfs", "nfs4", "smb3", "smbfs", "virtiofs"})


def make_private(path: Path) -> bool:
    """Create a file with mode 0600 in a directory with mode 0700.

    Return False if the file exists already. SQLite creates its log and index files with the mode of
    the database, so that they get the same mode.
    """
    private_folder(path.parent)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return False
    return True


def is_remote(path: Path) -> bool:
    """Return whether the file is on a network file system.

    On such a file system, a log that uses shared memory does not work.
    """
    mount = _mount(path)
    return mount is not None and mount[2] in REMOTE


def is_full(path: Path) -> bool:
    """Return whether the disk has no space left for writing to a file."""
    try:
        return shutil.disk_usage(path.parent).free < LITTLE_ROOM
    except OSError:  # the folder does not exist
        return False


def full(path: Path) -> StorageFull:
    """Return the error for a full disk; its message says what to do."""
    mount = _mount(path)
    disk = f" ({mount[0]} on {mount[1]})" if mount else ""
    return StorageFull(
        f"the disk of {path} is full{disk}; nothing was changed; delete or move other files there,"
        f" then try again"
    )


def _mount(path: Path) -> tuple[str, Path, str] | None:
    """Return device, folder and file system of the mount that contains a file."""
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return None
    resolved, result = path.resolve(), None
    for line in text_lines(mounts.read_text("utf-8", "replace")):
        device, point, filesystem, *_ = line.split(" ")
        place = Path(point.replace("\\040", " "))
        nearer = result is None or len(place.parts) > len(result[1].parts)
        if resolved.is_relative_to(place) and nearer:
            result = device, place, filesystem
    return result


def sync(path: Path) -> None:
    """Flush a file's content, or the names in a folder, to the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def damaged(path: Path, error: apsw.Error) -> CorruptData:
    """Return the error for a damaged database; its message says what to do."""
    return CorruptData(
        f"{path} is damaged ({error}); run `memoranda doctor` or restore the newest backup:"
        f" memoranda restore FILE"
    )


@contextmanager
def storage_faults(path: Path) -> Iterator[None]:
    """Map exceptions of the driver and file system to error classes.

    The messages name the file.
    """
    try:
        yield
    except apsw.BusyError as error:
        raise StorageBusy(f"{path} remained locked by another process; try again") from error
    except apsw.FullError as error:
        raise full(path) from error
    except _WITHOUT_ROOM as error:
        raise full(path) if _is_of_full_disk(path, error) else _unusable(path, error) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise damaged(path, error) from error
    except apsw.Error as error:
        raise StorageError(f"{path} refused the operation: {error}") from error
    # texts are normalised before, so the invalid text is in a path
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{error.object!r} is not valid UTF-8; choose another path") from error


_WITHOUT_ROOM = (
    *(apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError),
    OSError,
)
"""Errors that can have several causes, such as a full disk."""


def _is_of_full_disk(path: Path, error: Exception) -> bool:
    return is_full(path) or (isinstance(error, OSError) and error.errno == errno.ENOSPC)


def _unusable(path: Path, error: Exception) -> StorageError:
    if isinstance(error, apsw.IOError):
        return StorageError(f"reading or writing {path} failed: {error}")
    reason = error.strerror if isinstance(error, OSError) else error
    return StorageUnusable(f"cannot open or write {path}: {reason}")
