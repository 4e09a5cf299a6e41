"""Format of keys, and the keyed hash that is stored instead of the key."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

KEY = "memk_"
LOCAL = "meml_"
SESSION = "mems_"
LINK = "memo_"
"""Prefixes of a key, an owner's token, a browser session and a sign-in link.

The redaction rules cover all four.
"""
UUID = r"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"
_NAMED = re.compile(
    rf"({KEY}|{SESSION})([a-z0-9](?:[a-z0-9_-]{{0,61}}[a-z0-9])?)\.{UUID}\.[A-Za-z0-9_-]{{43}}"
)
_LABEL = b"memoranda: keys of callers"


@dataclass(frozen=True, slots=True)
class KeyText:
    """Parsed key or session token that has not been looked up yet."""

    kind: str
    team: str
    id: str


def new_text(team: str, id: str, kind: str = KEY) -> str:
    """Create a key or session token.

    It contains the team and the id, which are used to look it up, and 256 random bits.
    """
    return f"{kind}{team}.{id}.{secrets.token_urlsafe(32)}"


def new_local() -> str:
    """Create a token for the machine's owner."""
    return LOCAL + secrets.token_urlsafe(32)


def cookie_name(host: str) -> str:
    """Return the name of the session cookie, which depends on the port.

    Browsers send the cookies of a host to each of its ports.
    """
    port = host.rpartition(":")[2] if not host.endswith("]") else ""
    return f"memoranda-{port}" if port.isdecimal() else "memoranda"


def parse_key_text(text: str) -> KeyText | None:
    """Parse a string that has the format of a key or session token."""
    match = _NAMED.fullmatch(text)
    return KeyText(match[1], match[2], match[3]) if match else None


class Digests:
    """Keyed hashes of an installation, useless without its secret."""

    def __init__(self, installation_key: bytes) -> None:
        self._key = hmac.digest(installation_key, _LABEL, "sha256")

    def of(self, text: str) -> str:
        """Return the hash of a complete key, including its team and id."""
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()

    def fits(self, text: str, digest: str | None) -> bool:
        """Return whether a string has the given hash, in constant time.

        If the given hash is empty, the result is False.
        """
        text_digest = self.of(text)
        return hmac.compare_digest(text_digest, digest or "0" * len(text_digest)) and bool(digest)
