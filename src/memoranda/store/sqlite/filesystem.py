"""Private files, and checks for file systems that are unsafe for SQLite."""

from __future__ import annotations

import os
from pathlib import Path

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
