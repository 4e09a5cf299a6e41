"""Importer of Markdown: CLAUDE.md, AGENTS.md, MEMORY.md and note trees.

Each section with text directly below its heading becomes a memory whose title is its path of
headings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from memoranda.archive.other_system_records import ImportedMemory
from memoranda.capture.hosts.json_fields import fingerprint
from memoranda.integrations.imports.front_matter import FrontMatter, split_front_matter
from memoranda.integrations.imports.imported_items import TAGS, ImportContext, ImportedItem, parts
from memoranda.integrations.imports.markdown_chats import chat_events, chat_logs
from memoranda.language.prose import FENCE_LINE
from memoranda.memories.model import Category
from memoranda.private_folders import lies_in
from memoranda.text import clip, normalise, one_line
from memoranda.text_encoding import decoded
from memoranda.workspaces.host_paths import here
from memoranda.workspaces.recognition import identify

ENDINGS = frozenset({".md", ".markdown", ".mdc"})
RULES = frozenset({"claude.md", "claude.local.md", "agents.md", "gemini.md"})
"""Files in which people give instructions to agents."""
LARGEST = 5_000_000
"""Maximum size of a file in bytes."""
PASSED_OVER = frozenset({"node_modules", "__pycache__", "venv", "site-packages"})
_HEADING = re.compile(r"(#{1,4})\s+(.+?)\s*#*$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def is_markdown(path: Path) -> bool:
    """Return whether a file is Markdown or a folder contains Markdown."""
    return any(file == path or lies_in(file, path) for file in _files(path))


@dataclass(frozen=True, slots=True)
class NotePage:
    """One Markdown file."""

    path: Path
    name: str
    """Path within the imported folder."""
    text: str
    workspace: str
    written_at: int
    """Time in microseconds."""


def read(path: Path, reading: ImportContext) -> Iterator[ImportedItem]:
    """Yield the sections of a file or of the files in a folder.

    Files of a folder are in the order of their paths.
    """
    for page in pages(path, reading):
        rules = page.path.name.lower() in RULES
        placed, key = replace(reading, workspace=page.workspace), f"{page.workspace}\0{page.name}"
        if logs := [] if rules else chat_logs(page.text):
            yield from chat_events(logs, key, page.written_at, placed)
            continue
        yield from sections(
            page.text,
            key=key,
            title=page.name,
            tags=(f"file:{clip(page.name, 70)}",),
            reading=placed,
            category=Category.PATTERN if rules else Category.INSIGHT,
            written_at=page.written_at,
        )


def pages(path: Path, reading: ImportContext) -> Iterator[NotePage]:
    """Yield a file, or a folder's files in path order without duplicates."""
    base = path if path.is_dir() else path.parent
    place = reading.workspace or identify(here(str(base))).name
    for file in _files(path):
        if not reading.admits(file, path):
            continue
        if (real := file.resolve()) in reading.files:
            reading.skip("a link to a file that was read")
            continue
        reading.files.add(real)
        try:
            about, text = file.stat(), _text(file)
        except OSError as error:
            reading.failures[str(file)] = f"cannot be read: {error.strerror}"
            continue
        if text is None:
            reading.skip(f"a file larger than {LARGEST:,} bytes")
            continue
        name = file.relative_to(base).as_posix()
        yield NotePage(file, name, plain(text), place, about.st_mtime_ns // 1_000)


def plain(text: str) -> str:
    """Return a text with line feeds only and without a byte order mark."""
    return normalise(text).replace("\r\n", "\n").lstrip("\ufeff")


def comment_free(text: str) -> str:
    """Return a text without comments."""
    return _COMMENT.sub("", text)


def sections(
    text: str,
    *,
    key: str,
    title: str,
    tags: tuple[str, ...],
    reading: ImportContext,
    category: Category = Category.INSIGHT,
    written_at: int | None = None,
) -> Iterator[ImportedMemory]:
    """Yield a memory for each section that contains text.

    A section is identified by the headings above it and its number among the sections with the same
    headings.

    The front matter applies to all sections: its title replaces ``title``, and its tags and dates
    are added.
    """
    front, page = split_front_matter(plain(text))
    if front != FrontMatter() and not page.strip():
        reading.skip("front matter without a text")
    numbers = Counter[tuple[str, ...]]()
    for way, section_text in _sections(page):
        if not section_text:
            reading.skip("a heading without a text")
            continue
        numbers[way] += 1
        section = f"{key}\0{' > '.join(way)}\0"
        named = [item for item in (front.title or title, *way) if item]
        place = " > ".join(one for one, _ in groupby(named))  # the page title equals its heading
        yield from parts(
            ImportedMemory(
                key=f"{section}{numbers[way]}",
                former_key=f"{section}{fingerprint(section_text)}",
                content=section_text,
                title=clip(place, 110),
                category=category,
                tags=tuple(dict.fromkeys([*tags, *front.tags]))[:TAGS],
                workspace=reading.workspace,
                created_at=front.created_at or written_at,
                updated_at=front.updated_at or written_at,
            )
        )


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the headings above each section, and the section's text.

    A heading inside a code fence is not counted. One with neither a text nor a heading below it has
    an empty text.
    """
    way: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for line in comment_free(text).split("\n"):
        mark = FENCE_LINE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        heading = None if fence or mark else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        yield from _section(way, lines, below=len(heading[1]))
        lines = []
        way = [item for item in way if item[0] < len(heading[1])]
        way.append((len(heading[1]), one_line(heading[2])))
    yield from _section(way, lines)


def _section(
    headings: Sequence[tuple[int, str]], lines: Sequence[str], below: int = 0
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield a section, unless only the next heading, of the level ``below``, belongs to it."""
    text = "\n".join(lines).strip()
    if text or (headings and below <= headings[-1][0]):
        yield tuple(name for _, name in headings), text


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        if path.suffix.lower() in ENDINGS:
            yield path
        return
    for file in sorted(path.rglob("*")):
        inside = file.relative_to(path).parts
        hidden = any(item.startswith(".") or item in PASSED_OVER for item in inside)
        if file.suffix.lower() in ENDINGS and not hidden and _is_file(file):
            yield file


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # links that form a cycle
        return False


def _text(file: Path) -> str | None:
    """Return the text of a file; None if the file is too long."""
    return decoded(file.read_bytes()) if file.stat().st_size <= LARGEST else None
