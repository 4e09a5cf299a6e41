"""Files of a mirror folder, replaced without losing concurrent changes.

A file is replaced only if it has the expected content. It is moved away and checked, and the new
file is linked into its place, which fails if another file has appeared there. Changes by others are
preserved in either case.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memoranda.exceptions import Conflict, StorageUnusable

TOP = "Memory"
MARK = ".memoranda-mirror"
LARGEST = 32 << 20
"""Maximum size in bytes of a file that is read; a page is far smaller."""
MAXIMUM = 50_000
"""Maximum number of files that are examined."""
OLD, NEW = ".old~", ".new~"
"""Suffixes of files that are being moved away or into place."""


@dataclass(frozen=True, slots=True)
class FileContent:
    """Content at a path, or the reason why it cannot be read."""

    data: bytes | None = None
    """Content; None if there is no readable file."""
    trouble: str = ""
    """Why the file cannot be read; empty if it can be read."""

    @property
    def hash(self) -> str:
        """Return the SHA-256 of the content, or "" without content."""
        return "" if self.data is None else digest(self.data)

    @property
    def missing(self) -> bool:
        """Return whether nothing exists at the path."""
        return self.data is None and not self.trouble


def digest(data: bytes) -> str:
    """Return the SHA-256 of content."""
    return hashlib.sha256(data).hexdigest()


class Folder:
    """Files below a folder, addressed by paths with slashes."""

    def __init__(self, root: Path) -> None:
        self.root = root

    # ------------------------------------------------------------------ ownership

    def marked(self) -> str | None:
        """Return the mark of the mirror to which the folder belongs, or None."""
        return _mark_in(self.root)

    def check(self, mark: str, *, first: bool = False) -> None:
        """Check that a mirror may use the folder.

        With ``first``, there must be no files at the paths that the mirror will write.

        Raises:
            Conflict: the folder belongs to another mirror, is inside one, or contains files of
                other origin.
        """
        for path in (self.root, *self.root.parents):
            if _mark_in(path) not in (None, mark):
                raise Conflict(f"{path} is another store's mirror; choose another folder")
        if self.root.exists() and not self.root.is_dir():
            raise Conflict(f"{self.root} is not a folder; choose another one")
        if first and self.marked() is None and any(_ours(name) for name in self.walk()):
            raise Conflict(f"{self.root / TOP} contains other files; choose another folder")

    def claim(self, mark: str) -> None:
        """Create the folder and mark it.

        Raises:
            Conflict: the folder belongs to another mirror, or is inside one.
            StorageUnusable: the folder cannot be created or written.
        """
        self.check(mark)
        if self.marked() == mark:
            return
        with _writable(self.root):
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(self.root / f"{MARK}.{secrets.token_hex(4)}", MARK, mark.encode())

    def release(self) -> None:
        """Remove the mark and the empty folders."""
        with _writable(self.root):
            (self.root / MARK).unlink(missing_ok=True)
        self.prune()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the folder; wait while another run uses it.

        Raises:
            StorageUnusable: the folder is missing or cannot be written.
        """
        with _writable(self.root):
            lock = os.open(self.root / MARK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    # ------------------------------------------------------------------ reading

    def walk(self) -> Iterator[str]:
        """Yield the paths of files, links and other entries, at most 50,000.

        Links are not followed, and folders of other mirrors are left out.
        """
        count = 0
        for base, folders, names in os.walk(self.root / TOP):
            links = [name for name in folders if (Path(base) / name).is_symlink()]
            folders[:] = sorted(
                name
                for name in folders
                if name not in links and not (Path(base) / name / MARK).exists()
            )
            for name in sorted([*names, *links]):
                count += 1
                if count > MAXIMUM:
                    return
                yield (Path(base) / name).relative_to(self.root).as_posix()

    def read(self, path: str) -> FileContent:
        """Return the content at a path."""
        trouble = self._blocked(path)
        if trouble:
            return FileContent(trouble=trouble)
        try:
            file = os.open(
                self.root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            )
        except FileNotFoundError:
            return FileContent()
        except OSError as error:
            reason = (
                "is a link" if error.errno == errno.ELOOP else f"cannot be read: {error.strerror}"
            )
            return FileContent(trouble=reason)
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode) or about.st_size > LARGEST:
            os.close(file)
            plain = stat.S_ISREG(about.st_mode)
            return FileContent(trouble="is too large" if plain else "is not a regular file")
        with os.fdopen(file, "rb") as file_object:
            return FileContent(file_object.read())

    def _blocked(self, path: str) -> str:
        """Return why a path cannot be used below the folder.

        Part of the path is a link, or a file where a folder should be.
        """
        place = self.root
        for part in path.split("/")[:-1]:
            place /= part
            try:
                mode = place.lstat().st_mode
            except FileNotFoundError:
                return ""
            except OSError as error:
                return f"cannot be reached: {error.strerror}"
            if not stat.S_ISDIR(mode):
                return f"{part} is a link" if stat.S_ISLNK(mode) else f"{part} is not a folder"
        return ""

    # ------------------------------------------------------------------ changing

    def replace(self, path: str, data: bytes, expected: str) -> bool:
        """Write content to a path if the current content has the expected hash.

        If the expected hash is empty, nothing may exist at the path. Return False if the condition
        is not met.
        """
        target = self.root / path
        if self._blocked(path):
            return False
        with _writable(target):
            self._make_folders(target)
            fresh = _sibling(target, NEW)
            fresh.unlink(missing_ok=True)
            _write(fresh, None, data)
            try:
                return self._moved_away(path, expected) and _linked(fresh, target)
            finally:
                fresh.unlink(missing_ok=True)
                _sibling(target, OLD).unlink(missing_ok=True)

    def _make_folders(self, target: Path) -> None:
        for path in reversed(target.relative_to(self.root).parents[:-1]):
            (self.root / path).mkdir(mode=0o700, exist_ok=True)

    def remove(self, path: str, expected: str) -> bool:
        """Delete a file if its content has the expected hash."""
        target = self.root / path
        with _writable(target):
            moved = self._moved_away(path, expected)
            _sibling(target, OLD).unlink(missing_ok=True)
            return moved

    def _moved_away(self, path: str, expected: str) -> bool:
        """Move a file aside if it has the expected hash; otherwise keep it."""
        target, old = self.root / path, _sibling(self.root / path, OLD)
        if not expected:
            return not os.path.lexists(target)
        if self.read(path).hash != expected:
            return False
        target.rename(old)
        if self.read(old.relative_to(self.root).as_posix()).hash == expected:
            return True
        if not _linked(old, target):  # another file appeared at this moment
            self.beside(path, old.read_bytes(), "kept")
        return False

    def beside(self, path: str, data: bytes, what: str) -> str:
        """Store content next to a file as ``name.what-1.md``; return its path.

        If the content is already stored there, the existing copy is used.
        """
        stem, dot, end = path.rpartition(".")
        for number in range(1, MAXIMUM):
            name = f"{stem}.{what}-{number}{dot}{end}"
            if self.read(name).hash == digest(data) or self.replace(name, data, ""):
                return name
        raise StorageUnusable(f"too many files next to {self.root / path}; remove some")

    def set_aside(self, path: str) -> str:
        """Rename what is at a path without changing it; return the new path."""
        stem, dot, end = path.rpartition(".")
        for number in range(1, MAXIMUM):
            name = f"{stem}.kept-{number}{dot}{end}"
            if not os.path.lexists(self.root / name):
                with _writable(self.root / path):
                    (self.root / path).rename(self.root / name)
                return name
        raise StorageUnusable(f"too many files next to {self.root / path}; remove some")

    def recover(self, path: str, known: frozenset[str]) -> None:
        """Repair a path that a killed run has left in an intermediate state.

        The path ends in `OLD` or `NEW`; intermediate files with a known hash are discarded.
        """
        left = self.root / path
        end = OLD if path.endswith(OLD) else NEW
        name = left.name.removeprefix(".").removesuffix(end)
        target = left.with_name(name)
        with _writable(left):
            if end == OLD and self.read(path).hash not in known and not _linked(left, target):
                original = target.relative_to(self.root).as_posix()
                self.beside(original, left.read_bytes(), "kept")
            left.unlink(missing_ok=True)

    def prune(self) -> None:
        """Remove empty folders."""
        for base, _, _ in os.walk(self.root / TOP, topdown=False):
            with suppress(OSError):
                Path(base).rmdir()


def is_left(path: str) -> bool:
    """Return whether a file is an intermediate file of a run that was killed."""
    name = path.rpartition("/")[2]
    return name.startswith(".") and name.endswith((OLD, NEW))


def original(path: str) -> str:
    """Return the path that an intermediate file belongs to."""
    base, slash, name = path.rpartition("/")
    return base + slash + name.removeprefix(".").removesuffix(OLD).removesuffix(NEW)


def _ours(path: str) -> bool:
    """Return whether a mirror would write a file at this path."""
    name = path.rpartition("/")[2]
    return ".conflict-" not in name and ".kept-" not in name


def _mark_in(place: Path) -> str | None:
    try:
        return (place / MARK).read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _sibling(target: Path, end: str) -> Path:
    return target.with_name(f".{target.name}{end}")


def _linked(source: Path, target: Path) -> bool:
    """Link a file to a second name; return False if the name is taken."""
    try:
        os.link(source, target)
    except FileExistsError:
        return False
    except OSError:  # this file system does not support hard links
        if os.path.lexists(target):
            return False
        source.rename(target)
    return True


def _write(path: Path, name: str | None, data: bytes) -> None:
    """Write a new file durably, readable by its owner; then rename it.

    The file is renamed to ``name`` if a name is passed.
    """
    file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    with os.fdopen(file, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    if name:
        path.replace(path.with_name(name))


@contextmanager
def _writable(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageUnusable(
            f"cannot use {place} for the mirror: {error.strerror}; fix the problem, then run"
            f" `memoranda mirror sync`, or turn the mirror off"
        ) from error
