"""Creates folders that only their owner can read (mode 0700)."""

from __future__ import annotations

from pathlib import Path


def private_folder(path: Path) -> None:
    """Create a folder and its missing parents with mode 0700.

    An existing folder is unchanged.

    `Path.mkdir` applies its mode only to the last folder of a path, but the XDG Base Directory
    Specification requires 0700 for all folders that are created.

    Raises:
        OSError: the folder cannot be created, or the path is not a folder.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
    if not missing:
        path.mkdir(mode=0o700, exist_ok=True)  # raises an error if the path is not a folder


def lies_in(path: Path, folder: Path) -> bool:
    """Return whether a file is in a folder after resolving all links.

    Links within the folder are allowed; cycles, and links to targets outside the folder, are not.
    """
    try:
        return path.resolve(strict=True).is_relative_to(folder.resolve(strict=True))
    except (OSError, RuntimeError):
        return False
