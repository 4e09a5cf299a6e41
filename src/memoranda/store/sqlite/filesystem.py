"""Files of SQLite: private ones, unsafe file systems, and faults as our errors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memoranda.exceptions import (
    CorruptData,
    StorageBusy,
    StorageError,
    StorageFull,
    StorageUnusable,
)
from memoranda.private_folders import private_folder
from memoranda.text import text_lines

REMOTE = frozenset({"9p", "afs", "cifs", "fuse.sshfs", "nfs", "nfs4", "smb3", "smbfs", "virtiofs"})


def make_private(path: Path) -> bool:
    """Create a file with mode 0600 in a directory with mode 0700.

    False when it exists already. SQLite creates its log and index files with the mode of the
    database, so this covers them too.
    """
    private_folder(path.parent)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return False
    return True


def is_remote(path: Path) -> bool:
    """Return whether the file is on a network file system.

    There a shared-memory log breaks.
    """
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return False
    resolved = path.resolve()
    best, kind = -1, ""
    for line in text_lines(mounts.read_text("utf-8", "replace")):
        _, point, filesystem, *_ = line.split(" ")
        place = Path(point.replace("\\040", " "))
        if resolved.is_relative_to(place) and len(place.parts) > best:
            best, kind = len(place.parts), filesystem
    return kind in REMOTE


def sync(path: Path) -> None:
    """Flush a file's content, or the names in a folder, to the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def damaged(path: Path, error: apsw.Error) -> CorruptData:
    """Return the error that a database file is damaged, with what to do."""
    return CorruptData(
        f"{path} is damaged ({error}); run `memoranda doctor`, "
        "restore the newest backup: memoranda restore FILE"
    )


@contextmanager
def storage_faults(path: Path) -> Iterator[None]:
    """Map exceptions of the driver and file system to error classes.

    They name the file.
    """
    try:
        yield
    except apsw.BusyError as error:
        raise StorageBusy(f"{path} stayed locked by another process; try again") from error
    except apsw.FullError as error:
        raise StorageFull(f"the disk of {path} is full; nothing was changed") from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise StorageUnusable(f"cannot open or write {path}: {error}") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise damaged(path, error) from error
    except apsw.IOError as error:
        raise StorageError(f"reading or writing {path} failed: {error}") from error
    except apsw.Error as error:
        raise StorageError(f"{path} refused the operation: {error}") from error
    except OSError as error:
        raise StorageUnusable(f"cannot open or write {path}: {error.strerror}") from error
