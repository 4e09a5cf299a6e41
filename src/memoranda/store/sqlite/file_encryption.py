"""Converts an unencrypted database file to an encrypted one, and back.

A verified copy replaces the file while only this process has the file open; this is certain because
every process that opens a file with a write-ahead log holds a lock on the file. If a process opens
the file during the change, SQLite refuses that process's writes, because the opened file no longer
has that name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import cast

import apsw

from memoranda.exceptions import Conflict, CorruptData, NotFound, StorageBusy, StorageUnusable
from memoranda.store.sqlite import encryption, filesystem
from memoranda.store.sqlite.filesystem import storage_faults
from memoranda.store.sqlite.inspection_and_backup import Inspection, verify
from memoranda.store.sqlite.keys import KeyPlace, key_to_decrypt, key_to_encrypt
from memoranda.store.sqlite.migrations import check_version, migrate

PATIENCE_MS = 2_000


def encrypt(path: Path, place: KeyPlace, store: Path) -> Inspection:
    """Encrypt a store or its backup with the store's key.

    The key is created if it does not exist.

    Raises:
        Conflict: the file is encrypted already.
        StorageBusy: another process has the file open.
        CorruptData: the file or its copy is damaged. In each case nothing is changed.
    """
    _refuse_missing(path)
    key = key_to_encrypt(place, store)
    if encryption.is_plain(path) is False:
        raise Conflict(f"{path} is already encrypted, or not a Memoranda database")
    return convert(path, None, key)


def decrypt(path: Path, place: KeyPlace, store: Path) -> Inspection:
    """Decrypt an encrypted store or its backup. The key is not deleted.

    Raises:
        Conflict: the file is not encrypted.
        StorageBusy: another process has the file open.
        CorruptData: the file or its copy is damaged. In each case nothing is changed.
    """
    _refuse_missing(path)
    if encryption.is_plain(path):
        raise Conflict(f"{path} is not encrypted")
    return convert(path, key_to_decrypt(place, store), None)


def convert(path: Path, old: bytes | None, new: bytes | None) -> Inspection:
    """Replace a file with a copy that has another key, or no key.

    The change is atomic.
    """
    path = path.resolve()
    draft = path.with_name(f"{path.name}.converting")
    with storage_faults(path), _alone(path, old) as source:
        draft.unlink(missing_ok=True)  # left by a conversion that was killed
        try:
            inspection = _checked_copy(source, draft, new)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        filesystem.sync(path.parent)
    return inspection


def _refuse_missing(path: Path) -> None:
    if not path.is_file():
        raise NotFound(f"no file {path}")


@contextmanager
def _alone(path: Path, key: bytes | None) -> Iterator[apsw.Connection]:
    """Open a file exclusively, with its log merged and removed."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
    encryption.refuse_mismatch(path, key)
    with closing(apsw.Connection(str(path), flags=flags)) as connection:
        encryption.unlock(connection, key)
        try:
            with encryption.wrong_keys(path, key):
                _lock(connection, path)
        except apsw.BusyError as error:
            raise StorageBusy(
                f"another process has {path} open; stop that process (agents, servers), then try"
                f" again"
            ) from error
        yield connection


def _lock(connection: apsw.Connection, path: Path) -> None:
    connection.set_busy_timeout(PATIENCE_MS)
    connection.pragma("locking_mode", "exclusive")
    connection.pragma("temp_store", "memory")
    if check_version(connection, path) == 0:
        raise StorageUnusable(f"{path} is empty; there is nothing to convert")
    connection.execute("begin exclusive; commit")
    migrate(connection)
    # Merges the log. At the end, SQLite would otherwise remove a journal file by name, although the
    # name belongs to the copy by then.
    connection.pragma("journal_mode", "memory")
    path.with_name(f"{path.name}-journal").unlink(missing_ok=True)


def _checked_copy(source: apsw.Connection, draft: Path, key: bytes | None) -> Inspection:
    filesystem.make_private(draft)
    try:
        source.execute("vacuum into ?", (encryption.address(draft, key),))
    except apsw.CantOpenError:  # the text of the error is the address, which contains the key
        raise StorageUnusable(f"cannot write {draft}") from None
    inspection = verify(draft, key)
    with closing(encryption.open_copy(draft, key)) as copy:
        same = _counts(copy) == _counts(source)
    if not inspection.sound or not same:
        raise CorruptData(f"the copy failed verification: {inspection}; run `memoranda doctor`")
    filesystem.sync(draft)
    return inspection


def _counts(connection: apsw.Connection) -> dict[str, int]:
    """Count the rows of every table."""
    tables = connection.execute("select name from sqlite_master where type = 'table'").fetchall()
    counts = {}
    for (name,) in cast("list[tuple[str]]", tables):
        ((rows,),) = connection.execute(f'select count(*) from "{name}"').fetchall()
        counts[name] = cast("int", rows)
    return counts
