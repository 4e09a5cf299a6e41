"""Public keys of an external token issuer, from a JWKS file.

Each key has exactly one algorithm.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.identity import key_files as private
from memoranda.identity.key_files import OTHERS_WRITE, WatchedFile
from memoranda.json_data import JsonValue, parse_json

MAXIMUM = 100
"""Maximum number of keys of an issuer."""
MIN_RSA_BITS = 2048
ALGORITHMS = {("RSA", None): "RS256", ("EC", "P-256"): "ES256", ("OKP", "Ed25519"): "EdDSA"}
"""Algorithm of a key by its type and curve; no other algorithm is accepted for the key."""
_PRIVATE = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})


@dataclass(frozen=True, slots=True)
class PublicKey:
    """Public key of an external issuer."""

    algorithm: str
    key: Any


class ExternalKeys:
    """Public keys in a file that the operator keeps up to date."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            StorageUnusable: the file cannot be read, or others may write to it.
            InvalidInput: the file contains anything other than public keys.
        """
        self._watched = WatchedFile(path, lambda: _read(path))
        self._watched.current()

    def by_kid(self) -> Mapping[str, PublicKey]:
        """Return every key by its id.

        Raises:
            StorageUnusable: the file can no longer be used.
        """
        try:
            return self._watched.current()
        except InvalidInput as error:
            raise StorageUnusable(str(error)) from error


def _read(path: Path) -> Mapping[str, PublicKey]:
    document = parse_json(private.read(path, OTHERS_WRITE))
    rows = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not 1 <= len(rows) <= MAXIMUM:
        raise InvalidInput(f"{path} contains no keys, or more than {MAXIMUM}: {{'keys': [...]}}")
    result: dict[str, PublicKey] = {}
    for row in rows:
        kid = row.get("kid") if isinstance(row, dict) else None
        if not isinstance(row, dict) or not isinstance(kid, str) or not kid or kid in result:
            raise InvalidInput(f"{path}: each key needs a unique id (kid)")
        result[kid] = _key(row, f"{path}: key {kid!r}")
    return result


def _key(row: Mapping[str, JsonValue], place: str) -> PublicKey:
    kind, curve = str(row.get("kty")), row.get("crv")
    algorithm = ALGORITHMS.get((kind, curve if isinstance(curve, str) else None))
    if algorithm is None or row.get("alg", algorithm) != algorithm:
        raise InvalidInput(f"{place} is not RS256, ES256 (P-256) or EdDSA (Ed25519)")
    if _PRIVATE & row.keys():
        raise InvalidInput(f"{place} is a private key; only public keys are accepted")
    if row.get("use", "sig") != "sig":
        raise InvalidInput(f"{place} is not a signature key")
    return PublicKey(algorithm, _loaded(row, algorithm, place))


def _loaded(row: Mapping[str, JsonValue], algorithm: str, place: str) -> Any:
    jwt = library()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyJWT warns about short keys, which are refused below
            key = jwt.PyJWK.from_dict(dict(row), algorithm).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError) as error:
        raise InvalidInput(f"{place} cannot be read: {error}") from error
    if algorithm == "RS256" and key.key_size < MIN_RSA_BITS:
        raise InvalidInput(f"{place} has {key.key_size} bits; RSA takes {MIN_RSA_BITS} or more")
    return key


def library() -> Any:
    """Return the PyJWT module.

    Raises:
        InvalidInput: the module is not installed.
    """
    try:
        import jwt
    except ImportError:
        raise InvalidInput("tokens need PyJWT: pip install 'memoranda[server]'") from None
    return jwt
