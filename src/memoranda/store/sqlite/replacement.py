"""Replaces a store file that cannot be read by a backup, and keeps the file.

No sound copy can be made of such a file. What can still be recovered of it is in its bytes and in
its log, so both are moved, not deleted.
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
from memoranda.store.sqlite.faults import storage_faults
from memoranda.store.sqlite.upkeep import restore, verify

BESIDE = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a database."""


def fault_of(path: Path, key: bytes | None) -> str:
    """Return what is wrong with a store, without changing it; empty if it is sound.

    Raises:
        StorageBusy: it stayed locked by another process.
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
    """Put the content of a backup in the place of a damaged store; return where that is now.

    The new file is complete before the damaged one is moved.

    Raises:
        NotFound: there is no such backup.
        CorruptData: the backup does not pass its check.
        StorageUnusable: the store is not damaged, but may not be read or has no key. In each case
            the damaged store was not touched.
    """
    _refuse_undamaged(path, key)
    draft = path.with_name(f"{path.name}.restoring")
    _delete(draft)  # of a restore that was killed
    try:
        with closing(SqliteDatabase(draft, key)) as database:
            restore(source, database)
        aside = free_name(path.with_name(f"damaged-{path.name}"))
        with storage_faults(path):
            _move(path, aside)
            draft.replace(path)
            filesystem.sync(path.parent)
    finally:
        _delete(draft)
    return aside


def free_name(path: Path) -> Path:
    """Return the path, or the same with the first number that makes it new."""
    names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return next(name for name in chain([path], names) if not name.exists())


def _refuse_undamaged(path: Path, key: bytes | None) -> None:
    if not os.access(path, os.R_OK | os.W_OK):
        raise StorageUnusable(f"cannot read or write {path}; correct its permissions")
    if key is not None and is_plain(path):
        raise not_encrypted(path)


def _move(path: Path, target: Path) -> None:
    """Move a database; its log first, since a new file would take it over."""
    for ending in (*BESIDE, ""):
        file = path.with_name(path.name + ending)
        if file.exists():
            file.rename(target.with_name(target.name + ending))


def _delete(path: Path) -> None:
    for ending in (*BESIDE, ""):
        path.with_name(path.name + ending).unlink(missing_ok=True)
