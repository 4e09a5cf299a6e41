"""Sets and removes single settings in a configuration file.

Everything else in the file remains unchanged, byte for byte: comments, order, line endings.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memoranda.config import CONFIG_FILE
from memoranda.exceptions import InvalidInput
from memoranda.identity.key_files import exclusive_access, replace
from memoranda.private_folders import private_folder


class ConfigFile:
    """The configuration file of a data directory; it need not exist."""

    def __init__(self, data_dir: Path) -> None:
        """Create the object; nothing is read or written yet."""
        self._data_dir = data_dir
        self.path = data_dir / CONFIG_FILE

    def read(self) -> str:
        """Return the text of the file; empty if the file does not exist.

        Raises:
            InvalidInput: the file cannot be read, or is not valid TOML.
        """
        try:
            text = self.path.read_bytes().decode("utf-8") if self.path.exists() else ""
            tomllib.loads(text)
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(f"{self.path} cannot be read: {error}") from None
        except tomllib.TOMLDecodeError as error:
            raise InvalidInput(f"{self.path} is not valid TOML: {error}") from None
        return text

    def with_value(self, name: str, value: Any) -> str:
        """Return the file's text with a setting added or replaced.

        Args:
            value: a string, a number, a boolean or a sequence of strings.

        Raises:
            InvalidInput: the file cannot be read or changed safely.
        """
        return self._changed(name, f"{name} = {_literal(value)}", value)

    def without(self, name: str) -> str:
        """Return the file's text without a setting.

        Raises:
            InvalidInput: the file cannot be read or changed safely.
        """
        return self._changed(name, "", None)

    def set(self, name: str, value: Any) -> bool:
        """Set a valid value; return whether the file changed.

        Raises:
            InvalidInput: the file cannot be read or changed safely.
            StorageUnusable: the file cannot be written.
        """
        with exclusive_access(self._data_dir):
            return self.write(self.with_value(name, value))

    def unset(self, name: str) -> bool:
        """Remove a setting; return whether the file changed.

        Raises:
            InvalidInput: the file cannot be read or changed safely.
            StorageUnusable: the file cannot be written.
        """
        if not self.path.exists():
            return False
        with exclusive_access(self._data_dir):
            return self.write(self.without(name))

    def write(self, text: str) -> bool:
        """Replace the file's text atomically; return whether it changed.

        If the path is a symbolic link, the link is kept.

        Raises:
            StorageUnusable: the file cannot be written.
        """
        data = text.encode("utf-8")
        if data == (self.path.read_bytes() if self.path.exists() else b""):
            return False
        private_folder(self._data_dir)
        replace(self.path.resolve(), data)
        return True

    def _changed(self, name: str, line: str, value: Any) -> str:
        before = self.read()
        after = _with_line(before, name, line)
        wanted = {key: item for key, item in tomllib.loads(before).items() if key != name}
        if value is not None:
            wanted[name] = list(value) if isinstance(value, tuple) else value
        if _parsed(after) != wanted:
            raise InvalidInput(f"{self.path} sets {name} in a form that must be changed manually")
        return after


def _literal(value: Any) -> str:
    """Format a value as TOML."""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidInput("the value is not valid UTF-8") from None
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(_literal(item) for item in value)}]"


def _parsed(text: str) -> Mapping[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _with_line(text: str, name: str, line: str) -> str:
    """Replace a setting's lines, or insert a new one before the first table."""
    lines, pending, end = [], line, "\r\n" if "\r\n" in text else "\n"
    for statement in _statements(text):
        assigned = _parsed(statement)
        is_table = statement.lstrip().startswith("[")
        if is_table and pending:
            lines.append(pending + end)
            pending = ""
        if is_table or not assigned or name not in assigned:
            lines.append(statement)
        elif pending:
            lines.append(pending + _rest(statement, end))
            pending = ""
    if not pending:
        return "".join(lines)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += end
    return "".join([*lines, pending + end])


def _rest(statement: str, end: str) -> str:
    """Return the comment and the line ending after the value in a statement."""
    last = statement.rstrip("\r\n")
    at = last.find("#")
    while at >= 0:
        if _parsed(last[:at]):
            return f"  {last[at:]}{statement[len(last) :]}"
        at = last.find("#", at + 1)
    return statement[len(last) :] or end


def _statements(text: str) -> Iterator[str]:
    """Split a document into its top-level statements and its tables."""
    pending = ""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        part = line + ("\n" if index < len(lines) - 1 else "")
        if not pending and line.lstrip().startswith("["):
            yield "\n".join(lines[index:])
            return
        pending += part
        if pending and _parsed(pending) is not None:
            yield pending
            pending = ""
    if pending:
        yield pending
