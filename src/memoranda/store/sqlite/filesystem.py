"""Files that only their owner can read, and disks that SQLite's log can be trusted on."""

from __future__ import annotations

import os
from pathlib import Path

from memoranda.private_folders import private_folder
from memoranda.text import text_lines

REMOTE = frozenset({"9p", "afs", "cifs", "fuse.sshfs", "nfs", "nfs4", "smb3", "smbfs", "virtiofs"})


def make_private(path: Path) -> bool:
    """Make a file with mode 0600 in a directory with mode 0700; False when it is there already.

    SQLite gives its log and index files the mode of the database, so this covers them too.
    """
    private_folder(path.parent)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return False
    return True


def is_remote(path: Path) -> bool:
    """Tell whether the file lies on a network file system, where a shared-memory log breaks."""
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
    """Have what a file holds, or the names in a folder, reach the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
