"""The key of an encrypted store, in a private file or in the keyring."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.private_folders import private_folder
from memoranda.store.sqlite import encryption, filesystem

KEY_BYTES = 32
SERVICE = "memoranda"
"""Service name of the keys in the keyring."""


class KeyPlace(Protocol):
    """Storage of a key. Its string form names the location, for messages."""

    def read(self) -> bytes | None:
        """Return the key, or None if there is none yet."""
        ...

    def make(self) -> bytes:
        """Create a key if there is none; otherwise return the existing key."""
        ...


@dataclass(frozen=True, slots=True)
class KeyFile:
    """File with the key in 64 hexadecimal digits, readable only by its owner."""

    path: Path

    def __str__(self) -> str:
        return f"the key file {self.path}"

    def read(self) -> bytes | None:
        """Return the key.

        Raises:
            StorageUnusable: others can read the file, or the file contains no key.
        """
        try:
            mode = stat.S_IMODE(self.path.stat().st_mode)
            digits = self.path.read_text("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageUnusable(f"cannot read {self}: {error.strerror}") from error
        if mode & 0o077:
            raise StorageUnusable(f"others may read {self}: chmod 600 {self.path}")
        return _parsed(digits, str(self))

    def make(self) -> bytes:
        """Create the file atomically and durably, unless another process has."""
        draft = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}.draft")
        try:
            private_folder(self.path.parent)
            _write(draft, secrets.token_hex(KEY_BYTES) + "\n")
            try:
                os.link(draft, self.path)
            except FileExistsError:
                pass
            finally:
                draft.unlink()
            filesystem.sync(self.path.parent)
        except OSError as error:
            raise StorageUnusable(f"cannot write {self}: {error.strerror}") from error
        return _made(self)


@dataclass(frozen=True, slots=True)
class KeyringEntry:
    """Entry for the database's path in the operating system's keyring."""

    database: Path

    def __str__(self) -> str:
        return f"the keyring's entry {SERVICE!r} for {self.database}"

    def read(self) -> bytes | None:
        """Return the key.

        Raises:
            StorageUnusable: there is no keyring, the keyring remains locked, or the entry is not a
                key.
        """
        digits = _ask_keyring(lambda ring: ring.get_password(SERVICE, str(self.database)))
        return None if digits is None else _parsed(digits, str(self))

    def make(self) -> bytes:
        """Create the entry, unless another process was faster."""
        with _one_at_a_time(self.database.parent):
            if self.read() is None:
                digits = secrets.token_hex(KEY_BYTES)
                _ask_keyring(lambda r: r.set_password(SERVICE, str(self.database), digits))
            return _made(self)  # a keyring may accept a password without storing it


def key_place(file: str, keyring: bool, database: Path) -> KeyPlace:
    """Return the key storage that the settings select.

    Raises:
        InvalidInput: no location or two locations are set.
    """
    if bool(file) == keyring:
        raise InvalidInput("set either encryption_key_file or encryption_keyring")
    return KeyFile(Path(file)) if file else KeyringEntry(database.resolve())


def key_to_open(place: KeyPlace, database: Path) -> bytes:
    """Return the key of a store; create it for a new store.

    A new key is written to the disk before it is used.

    Raises:
        StorageUnusable: the store exists and its key does not, or it is a plain store. No key was
            created: a new one would open nothing.
    """
    encryption.refuse_plain_build()
    key = place.read()
    if key is not None:
        return key
    plain = encryption.is_plain(database)
    if plain is None:
        return place.make()
    raise encryption.not_encrypted(database) if plain else _missing(place, database)


def key_to_encrypt(place: KeyPlace, database: Path) -> bytes:
    """Return the key to encrypt a store with; create it if needed.

    Raises:
        StorageUnusable: the store is encrypted already, and its key is missing.
    """
    encryption.refuse_plain_build()
    key = place.read()
    if key is not None:
        return key
    if encryption.is_plain(database) is False:
        raise _missing(place, database)
    return place.make()


def key_to_decrypt(place: KeyPlace, database: Path) -> bytes:
    """Return the key that a store was encrypted with.

    Raises:
        StorageUnusable: the key is missing.
    """
    encryption.refuse_plain_build()
    key = place.read()
    if key is None:
        raise _missing(place, database)
    return key


def _missing(place: KeyPlace, database: Path) -> StorageUnusable:
    return StorageUnusable(
        f"the key of {database} is missing: {place}; restore the key, since nothing else opens the"
        f" store (no new key was created)"
    )


def _parsed(digits: str, place: str) -> bytes:
    try:
        key = bytes.fromhex(digits.strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise StorageUnusable(f"{place} contains no key: {2 * KEY_BYTES} hexadecimal digits")
    return key


def _made(place: KeyPlace) -> bytes:
    key = place.read()
    if key is None:
        raise StorageUnusable(f"the key was not stored by {place}; store the key elsewhere")
    return key


def _write(path: Path, text: str) -> None:
    file = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(file, "w") as out:
        out.write(text)
        out.flush()
        os.fsync(file)


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    import fcntl

    private_folder(folder)
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


class _Keyring(Protocol):
    def get_password(self, service: str, username: str) -> str | None: ...

    def set_password(self, service: str, username: str, password: str) -> None: ...


def _ask_keyring(work: Callable[[_Keyring], str | None]) -> str | None:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ModuleNotFoundError as error:
        raise StorageUnusable("encryption_keyring needs a package: pip install keyring") from error
    try:
        return work(keyring)
    except KeyringError as error:
        raise StorageUnusable(
            f"the system's keyring cannot be used: {error}; unlock it, or set encryption_key_file"
        ) from error
