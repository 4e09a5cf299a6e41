"""Folders that nobody but their owner looks into."""

from __future__ import annotations

from pathlib import Path


def private_folder(path: Path) -> None:
    """Make a folder with mode 0700, and those above it that are missing with the same. One that is
    there stays as it is.

    `Path.mkdir` gives its mode to the last folder alone. The XDG Base Directory Specification asks
    for 0700 all the way.

    Raises:
        OSError: it cannot be made, or is no folder.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    if not missing:
        path.mkdir(mode=0o700, exist_ok=True)  # an error that says so where this is no folder


def lies_in(path: Path, folder: Path) -> bool:
    """Say whether a file lies in a folder when every link on the way to it is followed.

    A link within the folder is fine; one that leads out of it, or in a circle, is not.
    """
    try:
        return path.resolve(strict=True).is_relative_to(folder.resolve(strict=True))
    except (OSError, RuntimeError):
        return False
