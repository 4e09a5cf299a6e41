"""The hook entries of a coding agent's settings file, written and removed exactly."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import sys
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memoranda.agents.commands import guarded, hook_file
from memoranda.agents.entries import hook_entries, is_ours, our_groups, without_ours
from memoranda.agents.hosts import CLAUDE_CODE, Host
from memoranda.agents.settings_text import (
    BOM,
    Settings,
    indentation,
    parsed_settings,
    with_hooks,
    without_hooks,
)
from memoranda.config import default_data_dir
from memoranda.errors import InvalidInput, StorageUnusable
from memoranda.folders import private_folder
from memoranda.values.json import JsonValue


@dataclass(frozen=True, slots=True)
class Change:
    """What installing or removing does to a settings file."""

    path: Path
    before: str | None
    """None when there is no file."""
    after: str | None
    """None when the file goes away."""

    @property
    def diff(self) -> str:
        """The change as a unified diff; empty when there is nothing to do."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        name = str(self.path)
        return "".join(difflib.unified_diff(old, new, name, name))


class Before(StrEnum):
    """How a settings file is put back exactly as it was."""

    NOTHING = "nothing"
    """There was no file."""
    DERIVED = "derived"
    """It is what is there without our hooks."""
    KEPT = "kept"
    """Its form was another: it lies beside the settings file."""


class Installation:
    """The hooks in one settings file. It is put back exactly as it was. What it says is never
    copied into the data directory: settings may hold secrets."""

    def __init__(
        self,
        host: Host,
        path: Path,
        data_dir: Path,
        *,
        custom_data_dir: bool = False,
        live_over: int | None = None,
    ) -> None:
        """``custom_data_dir`` says that hooks must be told where the data is; with ``live_over``,
        agents see outputs of tools with more bytes than that in their short form."""
        self._host = host
        self._path = path.resolve()
        self._data_dir = data_dir.absolute() if custom_data_dir else None
        self._live_over = live_over
        self._kept = self._path.with_name(f".{self._path.name}.before-memoranda")
        digest = hashlib.sha256(str(self._path).encode()).hexdigest()[:16]
        self._record = data_dir / "installed" / f"{host.name}-{digest}.json"
        self._usual = Path(default_data_dir(os.environ)).expanduser()

    def installing(self) -> Change:
        """Work out what installing changes. Doing it twice changes nothing the second time.

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
            return Change(self._path, before, before)
        _check_form(present.value, wanted, self._path)
        if before is not None and not present.is_json:
            body = without_hooks(before.removeprefix(BOM), is_ours)
            after = with_hooks(body, wanted, self._host.version)
            return Change(self._path, before, _marked(after, before))
        settings = without_ours(present.value)
        if self._host.version is not None:
            settings = {"version": self._host.version, **settings}
        hooks = settings.setdefault("hooks", {})
        for event, ours in wanted.items():
            hooks.setdefault(event, []).extend(ours)  # type: ignore[union-attr]
        return Change(self._path, before, _written(settings, before))

    def removing(self) -> Change:
        """Work out what removing changes: the file as it was, or without our entries."""
        before = self._read()
        if before is None:
            return Change(self._path, None, None)
        if self._known(before):
            original = self._original(before)
            if not our_groups(
                parsed_settings(original, self._path).value
            ):  # not so when edited between two installs
                return Change(self._path, before, original)
        return Change(self._path, before, self._cleared(before))

    def apply(self, change: Change) -> None:
        """Carry a change out, atomically, and remember how to take it back.

        Raises:
            StorageUnusable: the file cannot be written.
        """
        if change.before == change.after:
            return
        try:
            installed = bool(our_groups(parsed_settings(change.after, self._path).value))
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
        """Return where it may be recorded how the file was: here, in the usual data directory, and
        in those that the commands name, for another environment may have installed them."""
        settings = parsed_settings(present, self._path).value
        named = {one.command.data_dir for one in hook_entries(settings)} - {None}
        folders = [self._usual, *sorted(folder for folder in named if folder is not None)]
        others = [folder / "installed" / self._record.name for folder in folders]
        return [self._record, *(one for one in others if one != self._record)]

    def _recorded(self, present: str | None) -> dict[str, JsonValue] | None:
        """Return what is recorded of the file as it is."""
        for path in self._records(present):
            try:
                record: dict[str, JsonValue] = json.loads(path.read_text("utf-8"))
            except (OSError, ValueError):
                continue
            if record.get("after") == _digest(present):
                return record
        return None

    def _known(self, text: str | None) -> bool:
        """Say whether the file is as we left it."""
        return self._recorded(text) is not None

    def _original(self, present: str | None) -> str | None:
        """Return what was there before, from the file as we left it."""
        how = (self._recorded(present) or {}).get("before")
        if how == Before.NOTHING:
            return None
        if how == Before.KEPT and self._kept.is_file():
            return self._kept.read_bytes().decode()
        return self._cleared(present)

    def _cleared(self, present: str | None) -> str | None:
        """Return the file without our hooks; itself, where there are none."""
        found = parsed_settings(present, self._path)
        settings = without_ours(found.value)
        if present is None or settings == found.value:
            return present
        if not found.is_json:
            return _marked(without_hooks(present.removeprefix(BOM), is_ours), present)
        return _written(settings, present)

    def _remember(self, change: Change) -> None:
        known = self._known(change.before)
        original = self._original(change.before) if known else change.before
        before = Before.KEPT
        if original is None:
            before = Before.NOTHING
        elif self._cleared(change.after) == original:
            before = Before.DERIVED
        else:
            _replace(self._kept, original)
        record = {"before": before, "after": _digest(change.after), "path": str(self._path)}
        private_folder(self._record.parent)
        _replace(self._record, json.dumps(record))


def _check_form(settings: Settings, events: Collection[str], path: Path) -> None:
    """Refuse hooks of another form than a host reads.

    Raises:
        InvalidInput: 'hooks' is no object, or that of an event is no list.
    """
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise InvalidInput(f"{path}: 'hooks' is not an object; correct it first")
    for event in events:
        if not isinstance(hooks.get(event, []), list):
            raise InvalidInput(f"{path}: hooks.{event} is not a list; correct it first")


def _written(settings: dict[str, JsonValue], before: str | None) -> str:
    """Write settings with the indentation that the file had."""
    indent = indentation(before or "")
    text = json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"
    text = text.encode(errors="backslashreplace").decode()  # a half of a pair stays an escape
    return _marked(text, before)


def _marked(text: str, before: str | None) -> str:
    """Begin with a mark of bytes where the file did."""
    return f"{BOM}{text}" if (before or "").startswith(BOM) else text


def _digest(text: str | None) -> str:
    """Tell texts apart, and an empty file from none."""
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
