"""A keyring that keeps its passwords in a file, since a test machine has none of its own."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

VARIABLE = "FILE_KEYRING"
"""Names the file. Its content ``locked`` or ``forgetful`` makes a keyring of that kind."""


class FileKeyring(KeyringBackend):
    """Chosen with ``PYTHON_KEYRING_BACKEND=file_keyring.FileKeyring``."""

    priority = 1  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str | None:
        """Return a password."""
        return self._content().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a password, unless this keyring is of the forgetful kind."""
        content = self._content()
        if _file().exists() and _file().read_text() == "forgetful":
            return
        _file().write_text(json.dumps(content | {f"{service} {username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        """Not needed here."""
        raise NotImplementedError

    def _content(self) -> dict[str, str]:
        text = _file().read_text() if _file().exists() else ""
        if text == "locked":
            raise KeyringLocked("the keyring is locked")
        content: dict[str, str] = json.loads(text) if text.startswith("{") else {}
        return content


class MeetingKeyring(FileKeyring):
    """Lets two that look for a password at once both look before either goes on."""

    def __init__(self) -> None:
        super().__init__()
        self._both = Barrier(2)

    def get_password(self, service: str, username: str) -> str | None:
        """Return a password once somebody else has looked too, or nobody comes any more."""
        found = super().get_password(service, username)
        with suppress(BrokenBarrierError):
            self._both.wait(timeout=0.5)
        return found


def _file() -> Path:
    return Path(os.environ[VARIABLE])
