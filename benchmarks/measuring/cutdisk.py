"""An SQLite file layer that simulates power cuts by losing unsynced data.

It also keeps what a disk would hold after a power cut: a write or a
truncation reaches it at the next sync of its file, never earlier. Creating and deleting files
counts as durable at once. The shared-memory index is not a file here; it does not outlive a power
cut.
"""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

SECTOR = 512
"""Bytes that a disk writes atomically."""
KEPT = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL
POWER_OFF = "the power is off"


@dataclass(frozen=True, slots=True)
class Change:
    """An unsynced write or, without data, an unsynced truncation."""

    offset: int
    data: bytes | None

    def apply(self, content: bytearray) -> None:
        """Change the content of a file."""
        if self.data is None:
            del content[self.offset :]
            return
        content.extend(bytes(max(0, self.offset - len(content))))
        content[self.offset : self.offset + len(self.data)] = self.data

    def sectors(self) -> list[Change]:
        """Split a write at the boundaries of sectors."""
        if self.data is None:
            return [self]
        parts, at = [], 0
        while at < len(self.data):
            room = SECTOR - (self.offset + at) % SECTOR
            parts.append(Change(self.offset + at, self.data[at : at + room]))
            at += room
        return parts


@dataclass(slots=True)
class _File:
    durable: bytearray = field(default_factory=bytearray)
    unsynced: list[Change] = field(default_factory=list)


class CutDisk:
    """The state of the disk, and the operation at which the power is cut."""

    def __init__(self, *, cut_at: int | None, torn: random.Random | None = None) -> None:
        """Cut at an operation (write, truncation, sync, deletion); None: never.

        Operations count from 1. Without ``torn`` no unsynced data survives. With it, a random part
        of the unsynced sectors does, in any order, as when a drive was emptying its cache.
        """
        self.operations = 0
        self.syncs = 0
        self.reached = False
        self.amid_checkpoint = False
        self.survivors: dict[str, bytes] | None = None
        self._cut_at = cut_at
        self._torn = torn
        self._files: dict[str, _File] = {}
        self._lock = threading.RLock()

    def make(self, path: str) -> None:
        """Register an opened file; a new one exists from now on."""
        with self._lock:
            self._files.setdefault(path, _File())

    def change(self, path: str, change: Change) -> None:
        """Register a write or a truncation of a file."""
        with self._lock:
            self._files[path].unsynced.append(change)
            self._step()

    def sync(self, path: str) -> None:
        """Register a sync of a file: its earlier changes are durable."""
        with self._lock:
            self._step()
            self.syncs += 1
            file = self._files[path]
            for change in file.unsynced:
                change.apply(file.durable)
            file.unsynced.clear()

    def delete(self, path: str) -> bool:
        """Register a deletion; return False if the power is off.

        That is no error, because SQLite ignores most failed deletions, and every later write fails
        anyway.
        """
        with self._lock:
            self._count()
            if self.survivors is None:
                self._files.pop(path, None)
            return self.survivors is None

    def cut(self) -> None:
        """Cut the power now, unless it is off already."""
        with self._lock:
            if self.survivors is None:
                self.survivors = {path: self._surviving(f) for path, f in self._files.items()}
                self.amid_checkpoint = self.syncs > 9 and any(
                    f.unsynced for path, f in self._files.items() if path.endswith(".db")
                )

    def write_survivors(self, folder: Path) -> None:
        """Write the surviving data into a folder, under the same file names."""
        for path, content in (self.survivors or {}).items():
            (folder / Path(path).name).write_bytes(content)

    def _count(self) -> None:
        self.operations += 1
        if self.operations == self._cut_at:
            self.reached = True
            self.cut()

    def _step(self) -> None:
        self._count()
        if self.survivors is not None:
            raise apsw.IOError(POWER_OFF)

    def _surviving(self, file: _File) -> bytes:
        content = bytearray(file.durable)
        if self._torn:
            share = self._torn.random()
            for change in file.unsynced:
                for part in change.sectors():
                    if self._torn.random() < share:
                        part.apply(content)
        return bytes(content)


class CutVFS(apsw.VFS):
    """The operating system's file layer, with operations sent to a `CutDisk`."""

    def __init__(self, name: str, disk: CutDisk) -> None:
        self._disk = disk
        super().__init__(name, base="")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - apsw's name
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None or not flags[0] & KEPT:
            return apsw.VFSFile("", name, flags)
        self._disk.make(path)
        return _CutFile(self._disk, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - apsw's name
        if self._disk.delete(filename):
            super().xDelete(filename, syncdir)


class _CutFile(apsw.VFSFile):
    def __init__(self, disk: CutDisk, path: str, name: Any, flags: list[int]) -> None:
        self._disk = disk
        self._path = path
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - apsw's name
        self._disk.change(self._path, Change(offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - apsw's name
        self._disk.change(self._path, Change(newsize, None))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802 - apsw's name
        self._disk.sync(self._path)

    def excepthook(self, *error: Any) -> bool:
        """Ignore errors that SQLite cannot return to a caller: the power is off."""
        return True
