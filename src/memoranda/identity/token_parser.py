"""Strict parser of signed tokens (JWT, compact form).

A text that different parsers could interpret differently is rejected.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from typing import Any

MAX_LENGTH = 8_192
"""Maximum number of characters of any credential; a longer one is rejected without being parsed."""
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_HEADER = frozenset({"alg", "kid", "typ", "x5t", "x5t#S256"})
"""Fields permitted in a header.

Fields that contain or locate a key (jwk, jku, x5u, x5c) and fields that require unknown extensions
(crit) are refused.
"""
_TYPES = frozenset({"JWT", "jwt", "at+jwt", "application/at+jwt"})


@dataclass(frozen=True, slots=True)
class TokenText:
    """Parsed token that is not yet verified."""

    kid: str
    algorithm: str
    claims: dict[str, Any]


def parse_token(text: str) -> TokenText | None:
    """Parse a string that has the format of a token."""
    if len(text) > MAX_LENGTH or not _COMPACT.fullmatch(text):
        return None
    parts = text.split(".")
    decoded = [_decoded(part) for part in parts]
    header, claims = (_object(part) for part in decoded[:2])
    if header is None or claims is None or decoded[2] is None or not header.keys() <= _HEADER:
        return None
    kid, algorithm, kind = header.get("kid"), header.get("alg"), header.get("typ", "JWT")
    if not (isinstance(kid, str) and isinstance(algorithm, str)) or kind not in _TYPES:
        return None
    return TokenText(kid, algorithm, claims)


def _decoded(part: str) -> bytes | None:
    """Return the bytes of a part; None if the encoding is not canonical."""
    try:
        data = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except ValueError:
        return None
    return data if base64.urlsafe_b64encode(data).rstrip(b"=").decode() == part else None


def _object(data: bytes | None) -> dict[str, Any] | None:
    if data is None:
        return None
    try:
        found = json.loads(
            data.decode(), object_pairs_hook=_each_once, parse_constant=_refused, parse_float=_float
        )
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a name occurs twice")
    return result


def _float(digits: str) -> float:
    number = float(digits)
    return number if abs(number) < 1e15 else _refused(digits)


def _refused(what: str) -> float:
    raise ValueError(f"{what} is not a number")
