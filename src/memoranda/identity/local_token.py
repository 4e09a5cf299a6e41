"""The token of the machine's owner, stored in the data directory.

Any user who can read the file is treated as the owner.
"""

from __future__ import annotations

import base64
import hmac
import re
from pathlib import Path

from memoranda.exceptions import StorageUnusable
from memoranda.identity import key_files as private
from memoranda.identity.key_files import WatchedFile
from memoranda.identity.key_format import LOCAL, new_local

FILE = "token"
_TOKEN = re.compile(rf"{LOCAL}[A-Za-z0-9_-]{{43}}")


class LocalToken:
    """Token in a data directory, created if it is missing."""

    def __init__(self, data_dir: Path) -> None:
        """Create the token on first use.

        Raises:
            StorageUnusable: the file cannot be written, is readable by others, or is invalid.
        """
        self.path = data_dir / FILE
        if not self.path.exists():
            private.make(self.path, f"{new_local()}\n".encode())
        self._watched = WatchedFile(self.path, lambda: read(self.path))
        self._watched.current()

    def fits(self, text: str) -> bool:
        """Return whether a string is the current token; False if there is none."""
        try:
            token = self._watched.current()
        except StorageUnusable:
            return False
        return hmac.compare_digest(text.encode(), token.encode())

    def seal(self, text: str) -> str:
        """Return a keyed hash of a text, with the current token as the key.

        Raises:
            StorageUnusable: the token was removed.
        """
        return keyed_hash(self._watched.current(), text)


def keyed_hash(token: str, text: str) -> str:
    """Return a 43-character hash of a text, with the token as the key."""
    made = hmac.digest(token.encode(), b"memoranda: sealed\n" + text.encode(), "sha256")
    return base64.urlsafe_b64encode(made).rstrip(b"=").decode()


def read(path: Path) -> str:
    """Return the token in a file.

    Raises:
        StorageUnusable: there is no token, or others can read the file.
    """
    text = private.read(path).decode("ascii", "replace").strip()
    if not _TOKEN.fullmatch(text):
        raise StorageUnusable(
            f"{path} contains no token; delete the file, and the server creates a new token"
        )
    return text
