"""Result of an importer: events, memories, blocks, and skipped items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from memoranda.archive.other_system_records import Imported, ImportedMemory
from memoranda.capture.event import Event
from memoranda.json_data import parse_iso_time
from memoranda.private_folders import lies_in
from memoranda.text import clip, normalise, one_line

if TYPE_CHECKING:
    from memoranda.memory import Memoranda

MAX_MEMORY_LENGTH = 20_000
"""Maximum length of an editable memory; longer ones are split.

In characters.
"""
TAGS, TAG = 10, 80
YEAR_3000 = 32_503_680_000
"""Upper limit in seconds since the epoch; a larger value is not a time."""


@dataclass(frozen=True, slots=True)
class ImportedEvent:
    """Event with the workspace that it belongs to."""

    event: Event
    workspace: str | None


ImportedItem: TypeAlias = ImportedEvent | Imported


@dataclass(slots=True)
class ImportContext:
    """Options of a reader, and the items that it could not read."""

    workspace: str | None = None
    """Workspace for all items, overriding the workspaces in the file."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Skipped items by reason."""
    failures: dict[str, str] = field(default_factory=dict)
    """Files that could not be read, with the reason."""
    files: set[Path] = field(default_factory=set)
    """Files that were read from a folder."""
    excluded: Callable[[Path], bool] = lambda path: False
    """Whether the settings exclude a file."""

    def admits(self, file: Path, root: Path) -> bool:
        """Return whether a file below the import path should be read.

        A refused file is counted. A link that leads out of the folder is not followed; for a link
        within the folder, both its own name and its resolved name are checked.
        """
        if file != root and not lies_in(file, root):
            self.skip("a link that leads out of the folder")
        elif self.excluded(file) or self.excluded(file.resolve()):
            self.skip("excluded by exclude_paths")
        else:
            return True
        return False

    def skip(self, reason: str) -> None:
        """Count an item that is skipped."""
        self.left_out[reason] += 1

    def place(self, name: object) -> str | None:
        """Return the workspace of an item, if the file states one."""
        return self.workspace or text_of(name) or None


Reader: TypeAlias = Callable[[Path, ImportContext], Iterator[ImportedItem]]
"""Reads a file in order; counts and skips damaged parts.

Raises:
    InvalidInput: the file as a whole is not of the expected format, or has an unsupported version.
    CorruptData: the file as a whole is damaged.
"""


def text_of(value: object) -> str:
    """Return a text without surrounding whitespace; empty for other values."""
    return normalise(value).strip() if isinstance(value, str) else ""


def fields_of(value: object) -> Mapping[str, Any]:
    """Return an object, or an empty object for any other value."""
    return value if isinstance(value, dict) else {}


def items_of(value: object) -> list[Any]:
    """Return a list, or an empty list for any other value."""
    return value if isinstance(value, list) else []


def time_of(value: object) -> int | None:
    """Return microseconds for ISO 8601 or for (milli)seconds since the epoch.

    A number is in seconds or milliseconds.
    """
    if isinstance(value, str):
        return parse_iso_time(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = value / 1_000 if value > YEAR_3000 else value
    return round(seconds * 1_000_000) if 0 < seconds < YEAR_3000 else None


def tags_of(named: Mapping[str, object]) -> tuple[str, ...]:
    """Return tags of the form name:value for fields with short values.

    Each item of a list becomes a tag.
    """
    tags: list[str] = []
    for name, value in named.items():
        values = value if isinstance(value, list) else [value]
        for item in values:
            if isinstance(item, bool) or not isinstance(item, str | int | float):
                continue
            if tag := one_line(normalise(str(item))):
                tags.append(clip(f"{name}:{tag}", TAG))
    return tuple(dict.fromkeys(tags))[:TAGS]


def parts(memory: ImportedMemory) -> Iterator[ImportedMemory]:
    """Yield a memory, or its parts if the memory is too long to be edited.

    The parts are marked as such.
    """
    pieces = list(_pieces(memory.content))
    if len(pieces) == 1:
        yield memory
        return
    title = memory.title or clip(one_line(memory.content), 80)
    for number, piece in enumerate(pieces, 1):
        yield replace(
            memory,
            key=f"{memory.key}#{number}",
            former_key=f"{memory.former_key}#{number}" if memory.former_key else "",
            content=piece,
            title=f"{clip(title, 100)} ({number} of {len(pieces)})",
            former=(),
        )


def _pieces(content: str) -> Iterator[str]:
    rest = content
    while len(rest) > MAX_MEMORY_LENGTH:
        cut = max(
            (match.end() for match in re.finditer(r"\n+", rest[:MAX_MEMORY_LENGTH])), default=0
        )
        cut = cut if cut > MAX_MEMORY_LENGTH // 2 else MAX_MEMORY_LENGTH
        yield rest[:cut].rstrip("\n")
        rest = rest[cut:]
    if rest.strip() or rest == content:
        yield rest


def is_excluded(memory: Memoranda, path: Path) -> bool:
    """Return whether the settings exclude a file from storage.

    The setting is ``exclude_paths``.
    """
    return memory.capture.privacy_test("", path=str(path)).excluded
