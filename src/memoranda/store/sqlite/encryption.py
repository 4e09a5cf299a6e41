"""Page-wise encryption of a database file with apsw's sqlite3mc build."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from memoranda.exceptions import StorageUnusable
from memoranda.store.sqlite.filesystem import storage_faults

CIPHER = "chacha20"
"""Cipher that encrypts and authenticates every page.

Pages that were modified or swapped are rejected.
"""

PLAIN_HEADER = b"SQLite format 3\0"

CACHE_KIB = 64_000
"""Size in KiB of a connection's cache of decrypted pages.

The size is four times the usual one, since reading a page again is expensive.
"""


def refuse_plain_build() -> None:
    """Refuse a SQLite build that accepts a key but does not encrypt.

    Raises:
        StorageUnusable: apsw was built without ciphers.
    """
    if not hasattr(apsw, "mc_version"):
        raise StorageUnusable(
            "an encrypted store needs apsw with ciphers: "
            "pip uninstall apsw && pip install apsw-sqlite3mc"
        )


def unlock(connection: apsw.Connection, key: bytes | None) -> None:
    """Set the key, if any, of a new connection before any other call."""
    if key is not None:
        refuse_plain_build()
        connection.pragma("cipher", CIPHER)
        connection.pragma("key", _raw(key))  # raw key: no key derivation, so opening is cheap


def address(path: Path, key: bytes | None) -> str:
    """Return a file's URI for ``vacuum into``, including the key.

    The URI must never be shown.
    """
    key_of_file = _raw(key) if key else ""
    return f"{path.absolute().as_uri()}?cipher={CIPHER}&key={key_of_file}"


def open_copy(path: Path, key: bytes | None = None, *, alone: bool = False) -> apsw.Connection:
    """Open a database file for reading, without creating other files.

    If the file has a write-ahead log, the file is opened normally, since that is needed to read the
    log. If the caller knows that the file is ``alone``, the log contains nothing and is ignored.

    Raises:
        StorageUnusable: the file is encrypted and there is no key, or the file is not encrypted and
            there is a key.
    """
    refuse_mismatch(path, key)
    alone = alone or not path.with_name(path.name + "-wal").exists()
    uri = path.absolute().as_uri() + ("?immutable=1" if alone else "")
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    unlock(connection, key)
    return connection


def is_plain(path: Path) -> bool | None:
    """Return whether a file is an unencrypted database; None if it is empty.

    The first bytes of the file decide. SQLite's own file access is used, since closing a file that
    was opened by other means drops the locks that SQLite holds on the file in the same process.
    """
    if not path.exists():
        return None
    if path.is_dir():
        raise StorageUnusable(f"{path} is a directory, not a database")
    flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY
    with storage_faults(path):
        file = apsw.VFSFile("", str(path), [flags, 0])
        try:
            first = file.xRead(len(PLAIN_HEADER), 0)
        finally:
            file.xClose()
    return first == PLAIN_HEADER if first else None


def refuse_mismatch(path: Path, key: bytes | None) -> None:
    """Refuse an encrypted file without a key, or a plain file with a key.

    This must be done before the file is opened. SQLite would not merely fail: before it examines
    the content, it rolls back the journal of a killed process or merges its log, and an encrypted
    journal applied without its key destroys the file.

    Raises:
        StorageUnusable: the file and the key do not match; the message says what to do.
    """
    plain = is_plain(path)
    if plain and key is not None:
        raise not_encrypted(path)
    if plain is False and key is None:
        raise StorageUnusable(
            f"{path} is encrypted, or not a Memoranda database; set encryption_key_file or "
            "encryption_keyring to the original key, or restore a backup: memoranda restore FILE"
        )


@contextmanager
def wrong_keys(path: Path, key: bytes | None) -> Iterator[None]:
    """Explain what to do about a file that does not open with its key."""
    try:
        yield
    except (apsw.NotADBError, apsw.CorruptError) as error:
        if key is None:
            raise
        raise StorageUnusable(
            f"{path} does not open with this key, or is damaged; use the original key, "
            "or restore a backup: memoranda restore FILE"
        ) from error


def not_encrypted(path: Path) -> StorageUnusable:
    """Return the error for a plain file although a key is set."""
    return StorageUnusable(
        f"{path} is not encrypted, but a key is set; encrypt the file (memoranda"
        f" encrypt {shlex.quote(str(path))}), or remove the setting"
    )


def _raw(key: bytes) -> str:
    return f"raw:{key.hex()}"
