"""Installs and removes hook entries in a host's settings file.

Removal restores the original file exactly.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memoranda import hook_event
from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.hooks.commands import guarded, hook_file
from memoranda.hooks.entries import hook_entries, is_ours, our_groups
from memoranda.hooks.hosts import CLAUDE_CODE, Host
from memoranda.hooks.settings_text import (
    BOM,
    Settings,
    empty_hooks,
    parsed_settings,
    with_hooks,
    without_hooks,
)
from memoranda.json_data import JsonValue
from memoranda.private_folders import private_folder
from memoranda.text import text_lines

NOTHING_SET = "{}\n"
INSTALLED = {"site-packages", "dist-packages"}
CACHES = {".cache", "Caches", "archive-v0"}
KEPT = {"pipx", "tools"}
"""Folders in which pipx and `uv tool` keep the environments of programs."""


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """Change of a settings file by an installation or removal."""

    path: Path
    before: str | None
    """Text before the change; None if there was no file."""
    after: str | None
    """Text after the change; None if the file is deleted."""

    @property
    def diff(self) -> str:
        """Return the change as a unified diff; empty if there is none."""
        old, new = (text_lines(text or "", keepends=True) for text in (self.before, self.after))
        name = str(self.path)
        return "".join(difflib.unified_diff(old, new, name, name))


class OriginalState(StrEnum):
    """Method by which a removal restores the original settings file exactly."""

    NOTHING = "nothing"
    """The file did not exist."""
    DERIVED = "derived"
    """The original is the current file without Memoranda's hooks."""
    KEPT = "kept"
    """The original had another format; a copy of it is next to the settings file."""


class Installation:
    """Hooks in one settings file, which a removal restores exactly.

    The content of the file is never copied into the data directory, because settings may contain
    secrets.
    """

    def __init__(
        self,
        host: Host,
        path: Path,
        data_dir: Path,
        *,
        custom_data_dir: bool = False,
        live_over: int | None = None,
    ) -> None:
        """Create the installation.

        ``custom_data_dir``: whether the hook commands need the path of the data directory.
        ``live_over``: number of bytes above which agents see tool outputs in short form.
        """
        self._host = host
        self._path = path.resolve()
        self._data_dir = data_dir.absolute() if custom_data_dir else None
        self._live_over = live_over
        self._kept = self._path.with_name(f".{self._path.name}.before-memoranda")
        digest = hashlib.sha256(str(self._path).encode("utf-8", "surrogateescape")).hexdigest()[:16]
        self._record = data_dir / "installed" / f"{host.name}-{digest}.json"
        self._usual = Path(hook_event.data_dir()).expanduser()

    def installing(self) -> SettingsChange:
        """Compute the changes that an installation makes. Idempotent.

        Raises:
            InvalidInput: the settings file is not a JSON object.
        """
        before = self._read()
        present = parsed_settings(before, self._path)
        wanted = {
            event: [
                self._group(event, matcher, self._mode(event, mode)) for matcher, mode in entries
            ]
            for event, entries in self._host.events.items()
        }
        if our_groups(present.value) == wanted:
            return SettingsChange(self._path, before, before)
        _check_form(present.value, wanted, self._path)
        return SettingsChange(self._path, before, self._installed(before, wanted))

    def removing(self) -> SettingsChange:
        """Compute the changes that a removal makes.

        The result is the original file, or the current file without Memoranda's entries.
        """
        before = self._read()
        if before is None:
            return SettingsChange(self._path, None, None)
        original = self._original(before)
        if our_groups(self._parsed(original)):
            original = self._cleared(before)  # the file was edited between two installations
        return SettingsChange(self._path, before, original)

    def apply(self, change: SettingsChange) -> None:
        """Apply a change atomically, and record how to undo it.

        Raises:
            StorageUnusable: the file cannot be written.
        """
        if change.before == change.after:
            return
        try:
            installed = bool(our_groups(self._parsed(change.after)))
            if installed:
                self._remember(change)
            if change.after is None:
                change.path.unlink()
            else:
                _replace(change.path, change.after)
            if not installed:
                for record in self._records(change.before):
                    record.unlink(missing_ok=True)
                self._kept.unlink(missing_ok=True)
        except OSError as error:
            raise StorageUnusable(f"cannot write {change.path}: {error.strerror}") from error

    def _mode(self, event: str, usual: str) -> list[str]:
        if event == self._host.shortened and self._live_over is not None:
            return ["live", self._host.name, str(self._live_over)]
        return [usual] if self._host is CLAUDE_CODE else [usual, self._host.name]

    def _group(self, event: str, matcher: str | None, mode: list[str]) -> dict[str, JsonValue]:
        words = [sys.executable, "-I", "-S", str(hook_file()), *mode]
        command = guarded(words, self._data_dir)
        handler: dict[str, JsonValue] = {**self._host.handler, "command": command}
        if self._host.timeout is not None:
            handler["timeout"] = self._host.timeouts.get(event, self._host.timeout)
        if self._host.flat:
            return handler
        group: dict[str, JsonValue] = {} if matcher is None else {"matcher": matcher}
        return group | {"hooks": [handler]}

    def _read(self) -> str | None:
        try:
            return self._path.read_bytes().decode()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StorageUnusable(f"cannot read {self._path}: {error}") from error

    def _records(self, present: str | None) -> list[Path]:
        """Return the paths of possible records of the file's original state.

        The paths are in this data directory, the default data directory, and the data directories
        that the commands name, because another environment may have installed the hooks.
        """
        settings = parsed_settings(present, self._path).value
        named = {entry.command.data_dir for entry in hook_entries(settings)} - {None}
        folders = [self._usual, *sorted(folder for folder in named if folder is not None)]
        others = [folder / "installed" / self._record.name for folder in folders]
        return [self._record, *(path for path in others if path != self._record)]

    def _recorded(self, present: str | None) -> dict[str, JsonValue] | None:
        """Return the record that applies to the current content of the file."""
        for path in self._records(present):
            try:
                record: dict[str, JsonValue] = json.loads(path.read_text("utf-8"))
            except (OSError, ValueError):
                continue
            if record.get("after") == _digest(present):
                return record
        return None

    def _original(self, present: str | None) -> str | None:
        """Return the original text of the file.

        Without a record (because the file was changed, or the data directory no longer exists), the
        copy next to the file is used if installing the hooks into the copy gives the current file.
        """
        record = self._recorded(present)
        if record and record.get("before") == OriginalState.NOTHING:
            return None
        usable = record is None or record.get("before") == OriginalState.KEPT
        if usable and present is not None and self._kept.is_file():
            backup = self._kept.read_bytes().decode()
            if record or self._installed(backup, our_groups(self._parsed(present))) == present:
                return backup
            return self._cleared(present, empty_hooks(backup.removeprefix(BOM)))
        return self._cleared(present)

    def _installed(self, text: str | None, groups: Mapping[str, Sequence[JsonValue]]) -> str:
        """Return a settings file with Memoranda's hooks, replacing existing ones."""
        body = (text or "").removeprefix(BOM)
        body = without_hooks(body if body.strip() else NOTHING_SET, is_ours)
        return _marked(with_hooks(body, groups, self._host.version), text)

    def _parsed(self, text: str | None) -> Settings:
        return parsed_settings(text, self._path).value

    def _cleared(self, present: str | None, empty: str = "") -> str | None:
        """Return the file without Memoranda's hooks; unchanged if it has none.

        ``empty`` is the text of an empty object of hooks that the original file contained.
        """
        if present is None or not present.removeprefix(BOM).strip():
            return present
        return _marked(without_hooks(present.removeprefix(BOM), is_ours, empty), present)

    def _remember(self, change: SettingsChange) -> None:
        original = self._original(change.before)
        before = OriginalState.KEPT
        if original is None:
            before = OriginalState.NOTHING
        elif self._cleared(change.after) == original:
            before = OriginalState.DERIVED
        else:
            _replace(self._kept, original)
        record = {"before": before, "after": _digest(change.after), "path": str(self._path)}
        private_folder(self._record.parent)
        _replace(self._record, json.dumps(record))


def _check_form(settings: Settings, events: Collection[str], path: Path) -> None:
    """Refuse hooks in a format that differs from the host's.

    Raises:
        InvalidInput: 'hooks' is not an object, or an event's hooks are not a list.
    """
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise InvalidInput(f"{path}: 'hooks' is not an object; correct it first")
    for event in events:
        if not isinstance(hooks.get(event, []), list):
            raise InvalidInput(f"{path}: hooks.{event} is not a list; correct it first")


def _marked(text: str, before: str | None) -> str:
    """Return a text with a byte order mark if the previous text had one."""
    return f"{BOM}{text}" if (before or "").startswith(BOM) else text


def _digest(text: str | None) -> str:
    """Return the digest of a text; an empty file differs from a missing file."""
    return "none" if text is None else hashlib.sha256(text.encode()).hexdigest()


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    file = os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, mode)
    with os.fdopen(file, "wb") as out:
        out.write(text.encode())
    draft.chmod(mode)
    draft.replace(path)


def passing_place() -> str:
    """Return the temporary location that hooks run from; "" if permanent.

    A working copy, a project's environment and a cache are temporary; an environment that pipx or
    uv keeps for a program and a system interpreter are permanent.
    """
    script, prefix = hook_file(), Path(sys.prefix)
    if not INSTALLED & set(script.parts):
        return f"the working copy {script.parents[1]}"
    if CACHES & set(prefix.parts):
        return f"the cache {prefix}"
    if sys.prefix != sys.base_prefix and not KEPT & set(prefix.parts):
        return f"the environment {prefix}"
    return ""
