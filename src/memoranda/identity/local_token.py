"""The token of the machine's owner: whoever can read the file is the owner."""

from __future__ import annotations

import base64
import hmac
import re
from pathlib import Path

from memoranda.exceptions import StorageUnusable
from memoranda.identity import key_files as private
from memoranda.identity.key_files import WatchedFile
from memoranda.identity.key_texts import LOCAL, new_local

FILE = "token"
_TOKEN = re.compile(rf"{LOCAL}[A-Za-z0-9_-]{{43}}")


class LocalToken:
    """The token in a data directory, made where there is none."""

    def __init__(self, data_dir: Path) -> None:
        """Make the token at first use.

        Raises:
            StorageUnusable: it cannot be written, is open to others, or is none.
        """
        self.path = data_dir / FILE
        if not self.path.exists():
            private.make(self.path, f"{new_local()}\n".encode())
        self._watched = WatchedFile(self.path, lambda: read(self.path))
        self._watched.current()

    def fits(self, text: str) -> bool:
        """Say whether a text is the token as it is now; False once it was taken away."""
        try:
            token = self._watched.current()
        except StorageUnusable:
            return False
        return hmac.compare_digest(text.encode(), token.encode())

    def seal(self, text: str) -> str:
        """Return a keyed hash of a text, by the token as it is now.

        Raises:
            StorageUnusable: it was taken away.
        """
        return keyed_hash(self._watched.current(), text)


def keyed_hash(token: str, text: str) -> str:
    """Return a keyed hash of a text: 43 characters that nobody makes without the token."""
    made = hmac.digest(token.encode(), b"memoranda: sealed\n" + text.encode(), "sha256")
    return base64.urlsafe_b64encode(made).rstrip(b"=").decode()


def read(path: Path) -> str:
    """Return the token that a file holds.

    Raises:
        StorageUnusable: there is none, or others can read it.
    """
    text = private.read(path).decode("ascii", "replace").strip()
    if not _TOKEN.fullmatch(text):
        raise StorageUnusable(f"{path} holds no token; delete it, and the server makes a new one")
    return text
