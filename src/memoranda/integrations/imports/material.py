"""What a file of another system gives: events, memories and blocks, and what was left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from memoranda.archive.imported import Imported, ImportedMemory
from memoranda.capture.event import Event
from memoranda.json_data import parse_iso_time
from memoranda.private_folders import lies_in
from memoranda.text import clip, normalise, one_line

LONGEST_MEMORY = 20_000
"""Characters of a memory that people can edit; longer ones come in parts."""
TAGS, TAG = 10, 80
YEAR_3000 = 32_503_680_000
"""Seconds; what claims to be later is no time."""


@dataclass(frozen=True, slots=True)
class ImportedEvent:
    """An event and the workspace it belongs to."""

    event: Event
    workspace: str | None


ImportedItem: TypeAlias = ImportedEvent | Imported


@dataclass(slots=True)
class ImportContext:
    """What was asked of a reader, and what it could not take."""

    workspace: str | None = None
    """Where all of it belongs, whatever the file says."""
    left_out: Counter[str] = field(default_factory=Counter)
    """By reason."""
    failures: dict[str, str] = field(default_factory=dict)
    """Files that could not be read, and why."""
    excluded: Callable[[Path], bool] = lambda path: False
    """Whether the settings keep a file out."""

    def admits(self, file: Path, root: Path) -> bool:
        """Say whether a file below what was named is to be read; count it where it is not.

        A link that leads out of a folder is not followed, and one within it is judged by both its
        names.
        """
        if file != root and not lies_in(file, root):
            self.skip("a link that leads out of the folder")
        elif self.excluded(file) or self.excluded(file.resolve()):
            self.skip("excluded by exclude_paths")
        else:
            return True
        return False

    def skip(self, reason: str) -> None:
        """Count something that is left out."""
        self.left_out[reason] += 1

    def place(self, told: object) -> str | None:
        """Return the workspace that is meant where the file names one."""
        return self.workspace or text_of(told) or None


Reader: TypeAlias = Callable[[Path, ImportContext], Iterator[ImportedItem]]
"""Reads a file in its order; what is damaged is counted and left out.

Raises:
    InvalidInput: the file as a whole is not what it is taken for, or of a version nobody reads.
    CorruptData: it is damaged as a whole.
"""


def text_of(value: object) -> str:
    """Return a text without surrounding space; anything else is none."""
    return normalise(value).strip() if isinstance(value, str) else ""


def fields_of(value: object) -> Mapping[str, Any]:
    """Return an object; anything else has no fields."""
    return value if isinstance(value, dict) else {}


def items_of(value: object) -> list[Any]:
    """Return a list; anything else has no items."""
    return value if isinstance(value, list) else []


def time_of(value: object) -> int | None:
    """Return microseconds for ISO 8601, or for seconds or milliseconds since the epoch."""
    if isinstance(value, str):
        return parse_iso_time(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = value / 1_000 if value > YEAR_3000 else value
    return round(seconds * 1_000_000) if 0 < seconds < YEAR_3000 else None


def tags_of(named: Mapping[str, object]) -> tuple[str, ...]:
    """Return tags of the form name:value for what has a short value, and each item of a list."""
    tags: list[str] = []
    for name, value in named.items():
        values = value if isinstance(value, list) else [value]
        for one in values:
            if isinstance(one, bool) or not isinstance(one, str | int | float):
                continue
            if said := one_line(normalise(str(one))):
                tags.append(clip(f"{name}:{said}", TAG))
    return tuple(dict.fromkeys(tags))[:TAGS]


def parts(memory: ImportedMemory) -> Iterator[ImportedMemory]:
    """Yield a memory, or, where it is longer than people can edit, parts of it that tell so."""
    pieces = list(_pieces(memory.content))
    if len(pieces) == 1:
        yield memory
        return
    title = memory.title or clip(one_line(memory.content), 80)
    for number, piece in enumerate(pieces, 1):
        yield replace(
            memory,
            key=f"{memory.key}#{number}",
            content=piece,
            title=f"{clip(title, 100)} ({number} of {len(pieces)})",
            former=(),
        )


def _pieces(content: str) -> Iterator[str]:
    rest = content
    while len(rest) > LONGEST_MEMORY:
        cut = max((found.end() for found in re.finditer(r"\n+", rest[:LONGEST_MEMORY])), default=0)
        cut = cut if cut > LONGEST_MEMORY // 2 else LONGEST_MEMORY
        yield rest[:cut].rstrip("\n")
        rest = rest[cut:]
    if rest.strip() or rest == content:
        yield rest
