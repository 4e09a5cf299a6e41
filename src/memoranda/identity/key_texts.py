"""How keys look, and the keyed hash by which one is known without being kept."""

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
"""How a key, the token of the machine's owner, what a browser shows, and what stands in a link to
sign in begin; the redaction rules know all four."""
UUID = r"([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"
_NAMED = re.compile(
    rf"({KEY}|{SESSION})([a-z0-9](?:[a-z0-9_-]{{0,61}}[a-z0-9])?)\.{UUID}\.[A-Za-z0-9_-]{{43}}"
)
_LABEL = b"memoranda: keys of callers"


@dataclass(frozen=True, slots=True)
class KeyText:
    """What the text of a key or session says before anything is known of it."""

    kind: str
    team: str
    id: str


def new_text(team: str, id: str, kind: str = KEY) -> str:
    """Make the text of a key or session: where to look it up, and 256 random bits."""
    return f"{kind}{team}.{id}.{secrets.token_urlsafe(32)}"


def new_local() -> str:
    """Make the text of a token for the machine's owner."""
    return LOCAL + secrets.token_urlsafe(32)


def parse_key_text(text: str) -> KeyText | None:
    """Return what a text says if it looks like a key or a session."""
    found = _NAMED.fullmatch(text)
    return KeyText(found[1], found[2], found[3]) if found else None


class Digests:
    """Keyed hashes of an installation: worth nothing to whoever has the store alone."""

    def __init__(self, installation_key: bytes) -> None:
        self._key = hmac.digest(installation_key, _LABEL, "sha256")

    def of(self, text: str) -> str:
        """Return the hash of the whole text of a key, its team and id included."""
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()

    def fits(self, text: str, digest: str | None) -> bool:
        """Say whether a text has that hash, in the same time whatever differs; None: there is
        none to compare with."""
        given = self.of(text)
        return hmac.compare_digest(given, digest or "0" * len(given)) and bool(digest)
