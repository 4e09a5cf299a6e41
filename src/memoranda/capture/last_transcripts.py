"""Record of the last transcript that hooks reported in each workspace.

A host may be killed, or write an answer after its last hook. When the next session starts, the
previous transcript in the same workspace is treated as ended, and its end is read.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from memoranda.capture.hosts.json_fields import Payload, mapping, string
from memoranda.json_data import JsonValue
from memoranda.workspaces.recognition import identify

FILE = ".transcripts"
"""File in the spool's folder."""
START = "SessionStart"
MAXIMUM = 100
"""Maximum number of workspaces whose last transcript is recorded."""


class NamedTranscripts:
    """Last transcript of each workspace, and ended transcripts to be read."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE
        self._last: dict[str, JsonValue] = {}
        self._ended: dict[str, JsonValue] = {}
        self._workspaces: dict[str, str] = {}
        self._changed = False

    def load(self) -> None:
        """Read the file; treat a missing or damaged one as empty."""
        noted: JsonValue = None
        with suppress(OSError, ValueError):
            noted = json.loads(self._path.read_text("utf-8"))
        self._last = dict(mapping(mapping(noted).get("last")))
        self._ended = dict(mapping(mapping(noted).get("ended")))
        self._changed = False

    def note(self, host: str, payload: Payload) -> None:
        """Record the transcript in a hook's payload."""
        path, folder = string(payload, "transcript_path"), string(payload, "cwd")
        starts = string(payload, "hook_event_name") == START
        if not folder or not (path or starts):
            return
        workspace = self._workspace(folder)
        before = mapping(self._last.get(workspace))
        if starts and (ended := string(before, "path")):
            self._ended[ended] = before.get("host")
            self._changed = True
        if path and (before.get("path"), before.get("host")) != (path, host):
            self._last.pop(workspace, None)
            self._last[workspace] = {"host": host, "path": path}
            self._changed = True

    def take_ended(self) -> list[tuple[Path, str]]:
        """Return and clear the ended transcripts, each with its host."""
        result = [(Path(path), host) for path, host in self._ended.items() if isinstance(host, str)]
        self._changed = self._changed or bool(self._ended)
        self._ended = {}
        return result

    def store(self) -> None:
        """Write the file if anything changed."""
        if not self._changed:
            return
        last = dict(list(self._last.items())[-MAXIMUM:])
        ended = dict(list(self._ended.items())[-MAXIMUM:])
        draft = self._path.with_name(f"{FILE}.draft")
        draft.unlink(missing_ok=True)
        file = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(file, "w", encoding="utf-8") as out:
            json.dump({"last": last, "ended": ended}, out)
        draft.replace(self._path)
        self._changed = False

    def _workspace(self, folder: str) -> str:
        if folder not in self._workspaces:
            self._workspaces[folder] = identify(folder).aliases[0]
        return self._workspaces[folder]
