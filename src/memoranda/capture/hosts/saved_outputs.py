"""Whole outputs that a host saved in files, read while they exist.

Claude Code passes on the first 30,000 characters of a long output, or only the path of its file,
and writes the whole to ``<session>/tool-results/``. Only plain files of that folder are read:
neither a path in a payload nor a symbolic link leads anywhere else.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memoranda.capture.analysis.event_subjects import CUT
from memoranda.capture.event import Event, EventKind
from memoranda.capture.hosts.fields import Payload, decoded, string
from memoranda.json_data import JsonValue
from memoranda.observations.content import PERSISTED_PATH, PERSISTED_SIZE, output_text

FOLDER = "tool-results"
LONGEST = 32 << 20
"""Maximum bytes read of a file.

Three quarters at its beginning, a quarter at its end.
"""

_PREVIEW = re.compile(r"\s*(?P<head>(?:Error: )?Exit code -?\d{1,6}\n\s*)?<persisted-output>")
"""Beginning of a preview, of a failed command below its exit code."""
_SAVED = re.compile(
    r"\bsaved to:?\s{1,3}(?P<path>[^\n]{1,1000}?[\\/]tool-results[\\/][\w.-]{1,200}?)"
    r"(?=\.?[\s\])<]|\.?$)"
)
_TOO_LARGE = re.compile(r"\s*Error: result \([\d,]{1,15} characters")
"""Claude Code's notice that the result of an MCP tool is in a file."""
_SHORTENED = re.compile(r"\n\.\.\. \[\d{1,12} characters truncated\] \.\.\.\n")
"""Claude Code's mark for the omitted middle of a long failure output.

It is not stored anywhere.
"""
_NAME = re.compile(r"(?!\.)[\w.-]{1,200}")
_SEPARATORS = re.compile(r"[\\/]")
_HEAD = 4_096
"""Characters of an output in which a host names the file."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a host stores the whole of an output."""

    name: str
    member: str | None
    """Member of the output that the file has in full; None for all of it."""
    head: str = ""
    """Line with the exit code, which the file lacks."""


def results_folder(payload: Payload) -> Path | None:
    """Return the host's folder for long outputs of a hook payload's session."""
    path = string(payload, "transcript_path")
    return Path(path).with_suffix("") / FOLDER if path else None


def with_whole_outputs(events: Iterable[Event], folder: Path | None) -> Iterator[Event]:
    """Yield events as `with_whole_output` returns them."""
    for event in events:
        yield with_whole_output(event, folder)


def with_whole_output(event: Event, folder: Path | None) -> Event:
    """Return an event with the output that its host stored in a file.

    The file is in ``folder``, the session's own. The event is tagged as cut if that file is gone,
    and if the host itself left something out.
    """
    if event.kind is not EventKind.TOOL_RESULT:
        return event
    place = _place(event.output)
    if place is None:
        shortened = event.failed and _SHORTENED.search(output_text(event.output))
        return _cut(event) if shortened else event
    found = _file_text(folder, place.name) if folder else None
    if found is None:
        return _cut(event)
    text, whole = found
    event = replace(event, output=_with(event.output, place, text))
    return event if whole else _cut(event)


def _cut(event: Event) -> Event:
    return event if CUT in event.tags else replace(event, tags=(*event.tags, CUT))


def _place(output: JsonValue) -> _Place | None:
    if isinstance(output, dict):
        path = output.get(PERSISTED_PATH)
        if isinstance(path, str):
            return _named(path, _longest_member(output))
        return None
    text = output_text(output)[:_HEAD] if output else ""
    preview = _PREVIEW.match(text)
    if not (preview or _TOO_LARGE.match(text)):
        return None
    saved = _SAVED.search(text)
    head = preview["head"] or "" if preview else ""
    return _named(saved["path"], None, head) if saved else None


def _named(path: str, member: str | None, head: str = "") -> _Place | None:
    name = _SEPARATORS.split(path)[-1]
    return _Place(name, member, head) if _NAME.fullmatch(name) else None


def _longest_member(output: Payload) -> str:
    names = [
        name
        for name in ("stdout", "stderr", "content", "result")
        if isinstance(output.get(name), str)
    ]
    return max(names, key=lambda name: len(str(output[name])), default="stdout")


def _with(output: JsonValue, place: _Place, text: str) -> JsonValue:
    if place.member is None or not isinstance(output, dict):
        return decoded(text) if place.name.endswith(".json") else _headed(text, place.head)
    rest = {
        name: one for name, one in output.items() if name not in (PERSISTED_PATH, PERSISTED_SIZE)
    }
    return {**rest, place.member: text}


def _headed(text: str, head: str) -> str:
    return text if not head or text.startswith(head) else head + text


def _file_text(folder: Path, name: str) -> tuple[str, bool] | None:
    """Return the text of a file, and whether it is complete; None on error."""
    if folder.is_symlink() or folder.parent.is_symlink():
        return None
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        number = os.open(folder / name, flags | getattr(os, "O_BINARY", 0))
        with os.fdopen(number, "rb") as file:
            state = os.fstat(number)
            if not stat.S_ISREG(state.st_mode) or (folder / name).is_symlink():
                return None
            if state.st_size <= LONGEST:
                return _decoded(file.read(LONGEST)), True
            head = file.read(LONGEST * 3 // 4)
            file.seek(-LONGEST // 4, os.SEEK_END)
            left = state.st_size - LONGEST
            return f"{_decoded(head)}\n[... {left:,} bytes]\n{_decoded(file.read())}", False
    except (OSError, ValueError):
        return None


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
