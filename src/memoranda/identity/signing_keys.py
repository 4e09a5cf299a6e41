"""The keys that sign Memoranda's own tokens, by id.

The newest key signs; older keys are still used for verification.
"""

from __future__ import annotations

import base64
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memoranda.clock import MICROSECONDS, Clock
from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.identity import key_files as private
from memoranda.identity.key_files import WatchedFile
from memoranda.identity.model import SigningKeyInfo
from memoranda.json_data import JsonValue, dump_json, parse_json

FILE = "signing.json"
MIN_BYTES = 32
"""Minimum number of bytes of a secret: the size of an HS256 hash."""
LEEWAY = 30 * MICROSECONDS
"""Maximum difference between the clocks of two machines."""
MAX_LIFETIME = 24 * 60 * 60 * MICROSECONDS
"""Maximum validity of a token."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """Signing key."""

    kid: str
    secret: bytes = field(repr=False)
    created_at: int
    retired_at: int | None

    @property
    def info(self) -> SigningKeyInfo:
        """Return the public information about the key."""
        return SigningKeyInfo(self.kid, self.created_at, self.retired_at)

    def verifies(self, issued_at: int, now: int) -> bool:
        """Return whether the key may verify a token issued at the given time."""
        if self.retired_at is None:
            return True
        over = self.retired_at + MAX_LIFETIME + LEEWAY
        return issued_at <= self.retired_at + LEEWAY and now < over


class SigningKeys:
    """Signing keys in a file of the data directory.

    Threads and processes can safely share the file.
    """

    def __init__(self, data_dir: Path, clock: Clock) -> None:
        """Create the file with a first key if it is missing.

        Raises:
            StorageUnusable: the file cannot be used, is accessible to others, or contains a key
                that is too short.
        """
        self.path = data_dir / FILE
        self._clock = clock
        if not self.path.exists():
            private.make(self.path, _written([_new_key(clock.now())]))
        self._watched = WatchedFile(self.path, lambda: _read(self.path))
        self.by_kid()

    def by_kid(self) -> Mapping[str, SigningKey]:
        """Return every key by its id, newest last.

        Raises:
            StorageUnusable: the file can no longer be used.
        """
        return self._watched.current()

    def newest(self) -> SigningKey:
        """Return the current signing key."""
        return list(self.by_kid().values())[-1]

    def rotate(self) -> SigningKey:
        """Add a key that signs from now on.

        Earlier keys still verify until the tokens that they signed have expired.
        """
        with private.exclusive_access(self.path.parent):
            now = self._clock.now()
            retired = [
                SigningKey(item.kid, item.secret, item.created_at, item.retired_at or now)
                for item in _read(self.path).values()
            ]
            still_valid = [key for key in retired if key.verifies(0, now)]
            signing_key = _new_key(now)
            private.replace(self.path, _written([*still_valid, signing_key]))
        return signing_key


def _new_key(now: int) -> SigningKey:
    return SigningKey(f"k-{secrets.token_hex(8)}", secrets.token_bytes(MIN_BYTES), now, None)


def _written(keys: Sequence[SigningKey]) -> bytes:
    rows: list[JsonValue] = [
        {
            "kid": key.kid,
            "secret": base64.urlsafe_b64encode(key.secret).decode(),
            "created_at": key.created_at,
            "retired_at": key.retired_at,
        }
        for key in keys
    ]
    return dump_json({"keys": rows}, indent=2).encode() + b"\n"


def _read(path: Path) -> Mapping[str, SigningKey]:
    data = private.read(path)
    try:
        keys = _keys(parse_json(data))
    except (InvalidInput, TypeError, KeyError, ValueError) as error:
        raise StorageUnusable(
            f"{path} contains no usable signing keys ({type(error).__name__}: {error}); restore a"
            f" copy, or delete the file: tokens signed with its keys become invalid"
        ) from error
    return {key.kid: key for key in keys}


def _keys(document: JsonValue) -> list[SigningKey]:
    rows = document["keys"] if isinstance(document, dict) else None
    if not isinstance(rows, list) or not rows:
        raise InvalidInput("the file contains no keys")
    keys = [_key(row) for row in rows]
    if len({key.kid for key in keys}) < len(keys) or keys[-1].retired_at is not None:
        raise InvalidInput("two keys share an id, or the last key is retired")
    return keys


def _key(row: JsonValue) -> SigningKey:
    if not isinstance(row, dict):
        raise InvalidInput("a key must be an object")
    kid, created, retired = row["kid"], row["created_at"], row["retired_at"]
    secret = base64.b64decode(str(row["secret"]), altchars=b"-_", validate=True)
    if len(secret) < MIN_BYTES:
        raise InvalidInput(f"a secret must have at least {MIN_BYTES} bytes, not {len(secret)}")
    if not isinstance(kid, str) or not kid or not isinstance(created, int):
        raise InvalidInput("a key must have an id and a creation time")
    if retired is not None and not isinstance(retired, int):
        raise InvalidInput("retired_at must be a time")
    return SigningKey(kid, secret, created, retired)
