"""Replaces an unreadable store with a backup; keeps the damaged file.

The file and its log are moved, not deleted, since data may still be recoverable from them.
"""

from __future__ import annotations

import os
from contextlib import closing
from itertools import chain, count
from pathlib import Path

from memoranda.exceptions import CorruptData, StorageBusy, StorageError, StorageUnusable
from memoranda.store.sqlite import filesystem
from memoranda.store.sqlite.encryption import is_plain, not_encrypted
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.store.sqlite.filesystem import storage_faults
from memoranda.store.sqlite.inspection_and_backup import restore, verify
from memoranda.store.sqlite.leftover_copies import BESIDE, DAMAGED


def fault_of(path: Path, key: bytes | None) -> str:
    """Describe a store's damage, or return "" if none; change nothing.

    Raises:
        StorageBusy: the store remained locked by another process.
    """
    try:
        if is_plain(path) is None:
            return f"{path} is empty"
        faults = verify(path, key).faults
    except StorageBusy:
        raise
    except (CorruptData, StorageError) as error:
        return str(error).partition("; ")[0]
    return f"{path} has {faults}" if faults else ""


def replace_damaged(path: Path, key: bytes | None, source: Path) -> Path:
    """Replace a damaged store with a backup; return the damaged file's path.

    The new file is complete before the damaged one is moved.

    Raises:
        NotFound: there is no such backup.
        CorruptData: the backup does not pass its check.
        StorageUnusable: the store is not damaged, but cannot be read for lack of permission or has
            no key. In each case the damaged store was not changed.
    """
    _refuse_undamaged(path, key)
    draft = path.with_name(f"{path.name}.restoring")
    _delete(draft)  # left by a restore that was killed
    try:
        with closing(SqliteDatabase(draft, key)) as database:
            restore(source, database)
        aside = free_name(path.with_name(f"{DAMAGED}{path.name}"))
        with storage_faults(path):
            _move(path, aside)
            draft.replace(path)
            filesystem.sync(path.parent)
    finally:
        _delete(draft)
    return aside


def free_name(path: Path) -> Path:
    """Return the path, with a number appended if the path already exists."""
    names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return next(name for name in chain([path], names) if not name.exists())


def _refuse_undamaged(path: Path, key: bytes | None) -> None:
    if not os.access(path, os.R_OK | os.W_OK):
        raise StorageUnusable(f"cannot read or write {path}; correct its permissions")
    if key is not None and is_plain(path):
        raise not_encrypted(path)


def _move(path: Path, target: Path) -> None:
    """Move a database, log first, so that the log is not applied to a new one."""
    for ending in (*BESIDE, ""):
        file = path.with_name(path.name + ending)
        if file.exists():
            file.rename(target.with_name(target.name + ending))


def _delete(path: Path) -> None:
    for ending in (*BESIDE, ""):
        path.with_name(path.name + ending).unlink(missing_ok=True)
