"""Page-wise encryption of a database file, with apsw's sqlite3mc build."""

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
"""Size of a connection's cache of decrypted pages.

Four times the usual, since reading one again is expensive.
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
    """Set the key of a new connection before any other call, if there is one."""
    if key is not None:
        refuse_plain_build()
        connection.pragma("cipher", CIPHER)
        connection.pragma("key", _raw(key))  # raw key: no derivation, so opening is cheap


def address(path: Path, key: bytes | None) -> str:
    """Return a file's URI for ``vacuum into``, including the key.

    The URI must never be shown.
    """
    key_of_file = _raw(key) if key else ""
    return f"{path.absolute().as_uri()}?cipher={CIPHER}&key={key_of_file}"


def open_copy(path: Path, key: bytes | None = None, *, alone: bool = False) -> apsw.Connection:
    """Open a database file for reading, without creating other files.

    A file with a write-ahead log is opened the ordinary way, which is needed to read the log,
    except if the caller knows that the file is ``alone``: nothing is in the log.

    Raises:
        StorageUnusable: the file is encrypted and there is no key, or the other way round.
    """
    refuse_mismatch(path, key)
    alone = alone or not path.with_name(path.name + "-wal").exists()
    uri = path.absolute().as_uri() + ("?immutable=1" if alone else "")
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    unlock(connection, key)
    return connection


def is_plain(path: Path) -> bool | None:
    """Return whether a file is an unencrypted database; None if it is empty.

    Its first bytes decide. SQLite's own access to files is used: closing a file that was opened by
    other means drops the locks that SQLite holds on it in the same process.
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
    """Refuse an encrypted file without a key, and an unencrypted one with one.

    This must be done before the file is opened. SQLite would not merely fail: it rolls back the
    journal of a killed process, or merges its log, before it examines the content, and an encrypted
    journal applied without its key destroys the file.

    Raises:
        StorageUnusable: with what to do.
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
    """Return the error for a file that is not encrypted although a key is set."""
    return StorageUnusable(
        f"{path} is not encrypted, but a key is set; "
        f"encrypt it (memoranda encrypt {shlex.quote(str(path))}), or remove the setting"
    )


def _raw(key: bytes) -> str:
    return f"raw:{key.hex()}"
