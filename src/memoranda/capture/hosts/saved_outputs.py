"""Reader of the files in which hosts save long tool outputs.

Claude Code reports only the first 30,000 characters of a long output, or only the path of a file,
but writes the full output to ``<session>/tool-results/``. Only regular files of that folder are
read; other paths in a payload and symbolic links are not followed.
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
from memoranda.capture.hosts.json_fields import Payload, decoded, string
from memoranda.json_data import JsonValue, dump_json
from memoranda.observations.content import PERSISTED_PATH, PERSISTED_SIZE, output_text

FOLDER = "tool-results"
MAX_BYTES = 32 << 20
"""Maximum number of bytes read of a file.

Three quarters are read from the file's beginning, a quarter from its end.
"""

_PREVIEW = re.compile(r"\s*(?P<head>(?:Error: )?Exit code -?\d{1,6}\n\s*)?<persisted-output>")
"""Beginning of a preview, after the exit code if the command failed."""
_SAVED = re.compile(
    r"\bsaved to:?\s{1,3}(?P<path>(?:[^\n]{1,1000}?[\\/])?tool-results[\\/][\w.-]{1,200}?)"
    r"(?=\.?[\s\])<]|\.?$)"
)
_TOO_LARGE = re.compile(r"\s*Error: result \([\d,]{1,15} characters")
"""Claude Code's notice that the result of an MCP tool is in a file."""
_SHORTENED = re.compile(r"\n\.\.\. \[\d{1,12} characters truncated\] \.\.\.\n")
"""Claude Code's mark for the omitted, unsaved middle of a failed output."""
_SIZE = re.compile(r"\((?P<number>\d{1,9}(?:\.\d{1,9})?) ?(?P<unit>[KMG]?B)\)", re.IGNORECASE)
_NEARLY = 0.9
"""Fraction of the announced, rounded size above which an output is complete."""
_CLEARED = "[Old tool result content cleared]"
"""Text with which Claude Code replaces an old output in its own copy."""
_PREVIEWED = re.compile(
    r"\nPreview[^\n]{0,60}:\n(?P<text>.*?)(?:\n\.\.\.)?(?:\n</persisted|\Z)", re.DOTALL
)
_NAME = re.compile(r"(?!\.)[\w.-]{1,200}")
_SEPARATORS = re.compile(r"[\\/]")
_HEAD = 4_096
"""Number of characters of an output in which the host's notice is searched for."""


@dataclass(frozen=True, slots=True)
class _Place:
    """File in which a host saved a full output, and the part it replaces."""

    name: str | None
    """Name of the file; None if the host does not provide it."""
    member: str | None
    """Member of the output that the file replaces; None for the whole output."""
    shown: str = ""
    """The excerpt of the file that is in the output."""
    head: str = ""
    """Line with the exit code, which is not in the file."""


def results_folder(payload: Payload) -> Path | None:
    """Return the host's folder for long outputs of a hook payload's session."""
    path = string(payload, "transcript_path")
    return Path(path).with_suffix("") / FOLDER if path else None


def with_full_outputs(events: Iterable[Event], folder: Path | None) -> Iterator[Event]:
    """Yield events in the form that `with_full_output` returns."""
    for event in events:
        yield with_full_output(event, folder)


def with_full_output(event: Event, folder: Path | None) -> Event:
    """Return an event with the full output that its host saved in a file.

    ``folder`` is the session's folder of outputs. The event is tagged as cut if the file is missing
    or damaged, or if the host itself omitted something.
    """
    if event.kind is not EventKind.TOOL_RESULT:
        return event
    place = _place(event.output)
    if place is None:
        text = output_text(event.output)
        shortened = (event.failed and _SHORTENED.search(text)) or text.strip() == _CLEARED
        return _cut(event) if shortened else event
    found = _file_text(folder, place.name) if folder and place.name else None
    if found is None or len(found[0]) < len(place.shown.rstrip()):
        return _cut(event)  # missing, or damaged since
    text, whole = found
    event = replace(event, output=_with(event.output, place, text))
    return event if whole else _cut(event)


def with_saved_file(content: JsonValue, structured: Payload) -> Payload:
    """Add the saved file named in the text content to a structured output.

    The output is unchanged if it is already complete, as in some versions; in others, it is only
    the beginning.
    """
    text = output_text(content)[:_HEAD]
    place = _noticed(text, None) if PERSISTED_PATH not in structured else None
    if place is None:
        return structured
    size = _announced(text)
    if size is not None and len(dump_json({**structured}).encode()) >= size * _NEARLY:
        return structured
    return {**structured, PERSISTED_PATH: place.name or "", PERSISTED_SIZE: size}


def _announced(text: str) -> int | None:
    match = _SIZE.search(text)
    if match is None:
        return None
    return int(float(match["number"]) * 1024 ** "BKMG".index(match["unit"].upper()[0]))


def _cut(event: Event) -> Event:
    return event if CUT in event.tags else replace(event, tags=(*event.tags, CUT))


def _place(output: JsonValue) -> _Place | None:
    if isinstance(output, dict):
        path = output.get(PERSISTED_PATH)
        if isinstance(path, str):
            member = _longest_member(output)
            return _named(path, member, str(output.get(member) or "" if member else ""))
        content = output.get("content")
        return _noticed(output_text(content)[:_HEAD], "content") if content else None
    return _noticed(output_text(output)[:_HEAD], None) if output else None


def _noticed(text: str, member: str | None) -> _Place | None:
    """Parse a host's notice that replaces an output; None for other text."""
    preview = _PREVIEW.match(text)
    if not (preview or _TOO_LARGE.match(text)):
        return None
    saved, part = _SAVED.search(text), _PREVIEWED.search(text)
    if saved is None:
        return _Place(None, member)
    place = _named(saved["path"], member, part["text"] if part else "")
    return replace(place, head=preview["head"] or "" if preview else "")


def _named(path: str, member: str | None, shown: str) -> _Place:
    name = _SEPARATORS.split(path)[-1]
    return _Place(name if _NAME.fullmatch(name) else None, member, shown)


def _longest_member(output: Payload) -> str | None:
    names = [
        name
        for name in ("stdout", "stderr", "content", "result")
        if isinstance(output.get(name), str)
    ]
    return max(names, key=lambda name: len(str(output[name])), default=None)


def _with(output: JsonValue, place: _Place, text: str) -> JsonValue:
    if place.member is None or not isinstance(output, dict):
        return decoded(text) if str(place.name).endswith(".json") else _headed(text, place.head)
    rest = {
        name: item for name, item in output.items() if name not in (PERSISTED_PATH, PERSISTED_SIZE)
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
            if state.st_size <= MAX_BYTES:
                return _decoded(file.read(MAX_BYTES)), True
            head = file.read(MAX_BYTES * 3 // 4)
            file.seek(-MAX_BYTES // 4, os.SEEK_END)
            left = state.st_size - MAX_BYTES
            return f"{_decoded(head)}\n[... {left:,} bytes]\n{_decoded(file.read())}", False
    except (OSError, ValueError):
        return None


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
