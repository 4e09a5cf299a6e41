"""Writing an archive row by row, to a file that only its owner can read."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TypeAlias
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from memoranda.archive import format as archive_format, rows
from memoranda.archive.format import MANIFEST, ArchiveSelection, Manifest, Member
from memoranda.archive.kinds import KINDS, RowKind
from memoranda.archive.selection import SelectedRows, chosen
from memoranda.exceptions import Conflict, InvalidInput, NotFound, StorageFull, StorageUnusable
from memoranda.json_data import dump_json
from memoranda.store.database import Database, Transaction

Progress: TypeAlias = Callable[[str, int], None]
"""Callback that receives the name of a kind and the number of its rows processed so far."""

STEP = 100
"""Number of rows between two calls of the progress callback."""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """Contents of an archive."""

    path: str
    size_bytes: int
    digest: str
    """SHA-256 of the contents; it does not depend on the time."""
    rows: dict[str, int]
    """Rows by kind."""


def export_archive(
    database: Database,
    team: str,
    selection: ArchiveSelection,
    path: Path,
    *,
    now: int,
    force: bool = False,
    progress: Progress = lambda *_: None,
) -> ExportReport:
    """Write a consistent snapshot of a selection to a file (mode 0600).

    The file appears once it is complete. Equal stores and equal times ``now`` produce equal files.

    Raises:
        Conflict: the file exists, and ``force`` is not set.
        NotFound: the folder of the file does not exist, or the agent has no records.
        CorruptData: content in the store does not match its hash.
        StorageError: the file could not be written; no part of it remains.
    """
    _require_free(path, force)
    with _draft(path, force) as draft:
        work = partial(_written, team=team, selection=selection, draft=draft, progress=progress)
        manifest = database.read(partial(work, now=now))
        size = draft.stat().st_size
    counts = {kind: member.rows for kind, member in manifest.members.items()}
    named = {name.removesuffix(".jsonl"): count for name, count in counts.items()}
    return ExportReport(str(path), size, manifest.digest, named)


def _require_free(path: Path, force: bool) -> None:
    if path.is_dir():
        raise Conflict(f"{path} is a folder; specify a file in it")
    if path.exists() and not force:
        raise Conflict(f"{path} exists; choose another name, or add --force")
    if not path.parent.is_dir():
        raise NotFound(f"no folder {path.parent}; create it first")


@contextmanager
def _draft(path: Path, force: bool) -> Iterator[Path]:
    """Provide a temporary file next to the target, and rename it at the end."""
    draft = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield draft
        _give_name(draft, path, force)
    except FileExistsError as error:
        raise Conflict(f"{path} exists now; choose another name, or add --force") from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise StorageFull(f"no space on the disk of {path}; nothing was written") from error
        raise StorageUnusable(f"cannot write {path}: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)


def _give_name(draft: Path, path: Path, force: bool) -> None:
    if not force:
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            _require_free(path, force)
        else:
            return
    draft.replace(path)


def _written(
    tx: Transaction,
    team: str,
    selection: ArchiveSelection,
    draft: Path,
    progress: Progress,
    now: int,
) -> Manifest:
    """Write the file from one snapshot of the store; a retry starts over.

    Members that compress so well that a reader would consider them a zip bomb are left
    uncompressed.
    """
    picked = chosen(tx, team, selection)
    plain: set[str] = set()
    while True:
        with draft.open("wb") as file:
            with ZipFile(file, "w") as zip:
                found = _members(tx, zip, picked, selection, plain, progress)
                manifest = Manifest(now, team, selection, found)
                _write_manifest(zip, manifest)
                shrunk = {info.filename for info in zip.infolist() if _is_shrunk(info)}
            file.flush()
            os.fsync(file.fileno())
        if not shrunk:
            return manifest
        plain |= shrunk


def _members(
    tx: Transaction,
    zip: ZipFile,
    picked: SelectedRows,
    selection: ArchiveSelection,
    plain: set[str],
    progress: Progress,
) -> dict[str, Member]:
    result = {}
    for kind in KINDS:
        if kind.member == archive_format.OBSERVATIONS and not selection.observations:
            continue
        method = ZIP_STORED if kind.member in plain else ZIP_DEFLATED
        with zip.open(_info(kind.member, method), "w", force_zip64=True) as file:
            result[kind.member] = _member(tx, kind, picked, file, progress)
    return result


def _member(
    tx: Transaction, kind: RowKind, picked: SelectedRows, file: IO[bytes], progress: Progress
) -> Member:
    digest, size, count = hashlib.sha256(), 0, 0
    for row in rows.selected(tx, kind, picked):
        line = dump_json(row).encode() + b"\n"
        if len(line) > archive_format.LINE_BYTES:
            raise InvalidInput(
                f"one of the {kind.name} is longer than {archive_format.LINE_BYTES:,} bytes; "
                "export --without-observations"
            )
        file.write(line)
        digest.update(line)
        size, count = size + len(line), count + 1
        if count % STEP == 0:
            progress(kind.name, count)
    progress(kind.name, count)
    return Member(count, size, digest.hexdigest())


def _write_manifest(zip: ZipFile, manifest: Manifest) -> None:
    with zip.open(_info(MANIFEST, ZIP_DEFLATED), "w") as file:
        file.write(manifest.written())


def _info(name: str, method: int) -> ZipInfo:
    """Return the zip entry of a member, independent of time and machine."""
    info = ZipInfo(name)
    info.compress_type = method
    info.create_system = 3
    info.external_attr = 0o100600 << 16
    return info


def _is_shrunk(info: ZipInfo) -> bool:
    most = max(archive_format.RATIO_FROM, archive_format.RATIO * info.compress_size)
    return info.file_size > most
