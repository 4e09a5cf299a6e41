"""Sets or removes `language_model`, one line of the configuration file."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path

from memoranda.config import CONFIG_FILE, load_settings
from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.private_folders import private_folder

NAME = "language_model"
NONE = "none"
_LINE = re.compile(rf"^[ \t]*{NAME}[ \t]*=.*\n?", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


class ModelSetting:
    """Setting `language_model` in the configuration file of a data directory."""

    def __init__(self, data_dir: Path) -> None:
        """Create the service; nothing is read or written yet."""
        self._data_dir = data_dir
        self.path = data_dir / CONFIG_FILE

    def changed(self, model: str) -> str:
        """Return the file's text with a model, or without any for ``none``.

        Everything else stays unchanged, byte for byte.

        Raises:
            InvalidInput: there is no such provider, or the file cannot be changed safely.
        """
        if model != NONE:
            load_settings({"data_dir": self._data_dir, NAME: model})
        try:
            before = self.path.read_text("utf-8") if self.path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"{self.path} cannot be read: {error}") from None
        line = "" if model == NONE else f"{NAME} = {json.dumps(model)}\n"
        after = _with_line(before, line)
        self._check(after, None if model == NONE else model)
        return after

    def write(self, text: str) -> None:
        """Replace the file by a text atomically.

        Raises:
            StorageUnusable: it cannot be written.
        """
        if not text and not self.path.exists():
            return
        try:
            private_folder(self._data_dir)
            draft = self.path.with_name(f".{CONFIG_FILE}.{os.getpid()}")
            draft.touch(0o600)
            draft.write_text(text, "utf-8")
            draft.replace(self.path)
        except OSError as error:
            raise StorageUnusable(f"cannot write {self.path}: {error.strerror}") from error

    def _check(self, text: str, wanted: str | None) -> None:
        try:
            read = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidInput(f"{self.path} is not valid TOML: {error}") from None
        if read.get(NAME) != wanted:
            raise InvalidInput(f"{self.path} sets {NAME} in a form that is not changed by itself")


def _with_line(text: str, line: str) -> str:
    """Replace the line of the setting; a new one goes before the first table."""
    table = _TABLE.search(text)
    end = table.start() if table else len(text)
    top, rest = text[:end], text[end:]
    if _LINE.search(top):
        return _LINE.sub(lambda _: line, top, count=1) + rest
    if line and top and not top.endswith("\n"):
        top += "\n"
    return top + line + rest
