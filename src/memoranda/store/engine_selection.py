"""Opens the configured store: a file in a data directory, or a server."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.config import Settings
from memoranda.exceptions import InvalidInput, NotFound, StorageUnusable
from memoranda.store.database import Database
from memoranda.store.sqlite.engine import SqliteDatabase

if TYPE_CHECKING:
    from memoranda.store.sqlite.inspection_and_backup import Inspection
    from memoranda.store.sqlite.keys import KeyPlace

CREATED_WITHIN = 2.0
"""Maximum seconds until another process that creates a file has written the first page."""


def opened(settings: Settings) -> Database:
    """Open the configured store: a database on a server, or else the file.

    Raises:
        InvalidInput: a required package is not installed.
        StorageUnusable: the store cannot be used.
    """
    if not settings.database_url:
        _refuse_emptied(settings)
        return SqliteDatabase(settings.database_path, _encryption_key(settings))
    try:
        from memoranda.store.postgres.engine import PostgresDatabase
    except ModuleNotFoundError as error:
        raise InvalidInput(
            "a PostgreSQL store needs its driver: pip install 'memoranda[postgres]'"
        ) from error
    return PostgresDatabase(
        settings.database_url, team=settings.team, read_url=settings.read_url or None
    )


def _refuse_emptied(settings: Settings) -> None:
    """Refuse an empty file in a data directory that was in use.

    A search in such a file would find nothing, as if nothing had ever been stored. The key of an
    installation is written only once its store has tables. From then on, a file is empty only
    briefly, while another process creates it again after it was deleted.

    Raises:
        StorageUnusable: the file is empty; the message says what to do.
    """
    path, give_up = settings.database_path, time.monotonic() + CREATED_WITHIN
    while settings.key_path.exists() and path.is_file() and not path.stat().st_size:
        if time.monotonic() > give_up:
            raise StorageUnusable(
                f"{path} is empty, but was in use: its content is lost; restore the newest backup: "
                f"memoranda restore FILE; or delete {path} to start without data"
            )
        time.sleep(0.05)


def damage(settings: Settings) -> str:
    """Return why the embedded store cannot be copied intact; empty if it can."""
    from memoranda.store.sqlite.file_recovery import fault_of

    return fault_of(settings.database_path, _encryption_key(settings))


def restore_damaged(settings: Settings, source: Path) -> Path:
    """Replace the unreadable embedded store with a backup.

    Return the new location of the damaged file.

    Raises:
        NotFound: there is no such backup.
        CorruptData: the backup does not pass its check.
        StorageUnusable: the store is not damaged, or there is no key. In each case nothing is
            changed.
    """
    from memoranda.store.sqlite.file_recovery import replace_damaged

    return replace_damaged(settings.database_path, _encryption_key(settings), source)


def size(settings: Settings, database: Database) -> int:
    """Return the size of the store on disk in bytes.

    The size includes the log of an embedded store.
    """
    if settings.database_url:
        from memoranda.store.postgres.inspection import size_bytes

        return size_bytes(database)
    path = settings.database_path
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def open_address(address: str, settings: Settings, *, new: bool = False) -> Database:
    """Open a store by its address.

    An address is a data directory, the file in it, or a database URL. An encrypted file is opened
    with the key that the settings name. With ``new``, a data directory that does not exist is
    created in an existing folder.

    Raises:
        InvalidInput: the address is empty.
        NotFound: there is no such file or folder.
        StorageUnusable: the store cannot be used.
    """
    if not address.strip():
        raise InvalidInput(
            "the address of the store is empty; specify a folder, a file or a database URL"
        )
    if "://" in address or "dbname=" in address:
        return opened(replace(settings, database_url=address, read_url=""))
    path = Path(address).expanduser()
    if new and not path.exists():
        _create_data_dir(path)
    if path.is_dir():
        path = replace(settings, data_dir=path).database_path
    elif not path.is_file():
        raise NotFound(f"no file or data directory {address}")
    if path == (own := replace(settings, data_dir=path.parent)).database_path:
        _refuse_emptied(own)
    from memoranda.store.sqlite.encryption import is_plain

    return SqliteDatabase(path, None if is_plain(path) else _encryption_key(settings, path))


def _create_data_dir(path: Path) -> None:
    try:
        path.mkdir(0o700)
    except OSError as error:
        raise NotFound(
            f"cannot create the data directory {path}: {error.strerror}; its folder must exist"
        ) from error


def convert_file(settings: Settings, path: Path, *, encrypted: bool) -> Inspection:
    """Encrypt or decrypt the closed embedded store or a backup.

    Raises:
        Conflict: the file is already encrypted or decrypted.
        StorageBusy: another process has the file open.
        CorruptData: the file does not pass its check. In each case nothing is changed.
    """
    from memoranda.store.sqlite import file_encryption as conversion

    convert = conversion.encrypt if encrypted else conversion.decrypt
    return convert(path, _key_place(settings), settings.database_path)


def _encryption_key(settings: Settings, path: Path | None = None) -> bytes | None:
    """Return the key of an embedded store; None for a plain store.

    For a new store, the key is created.
    """
    if not (settings.encryption_key_file or settings.encryption_keyring):
        return None
    from memoranda.store.sqlite.keys import key_to_open

    return key_to_open(_key_place(settings), path or settings.database_path)


def _key_place(settings: Settings) -> KeyPlace:
    """Return where the key of the embedded store is stored.

    Raises:
        InvalidInput: no location or two locations are set.
    """
    from memoranda.store.sqlite import keys

    return keys.key_place(
        settings.encryption_key_file, settings.encryption_keyring, settings.database_path
    )
