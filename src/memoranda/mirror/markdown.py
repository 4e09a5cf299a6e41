"""Memories as editable Markdown: rendering and parsing.

An entry is a heading, a marker line with the memory's id, and a text. Lines of a text that look
like a heading or a marker are escaped with a backslash, so that no text can be parsed as another
entry.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memoranda.language.prose import FENCE_LINE
from memoranda.text import one_line

INTRO = (
    "<!-- Change a text and it changes the memory. A new `## heading` with a text becomes one. -->"
)
HASH = 16
"""Number of characters of a hash in a file; the hash detects mistakes but not attacks."""

_MARKER = re.compile(
    r"<!-- memoranda ([0-9a-f-]{36}) version ([0-9]{1,9}) text ([0-9a-f]{16}) -->\s{0,9}$"
)
_STRUCTURE = re.compile(r"\\*(?:##(?:\s|$)|<!--\s{0,9}memoranda)")
_HEADING = re.compile(r"##(?:\s|$)")
_TITLE = re.compile(r"# [\w-]{1,40}: \S")


@dataclass(frozen=True, slots=True)
class MarkdownEntry:
    """One memory in a file."""

    title: str
    """Title of the entry, on one line; empty if a person removed the heading."""
    text: str
    id: str | None = None
    """Id of the memory; None for an entry that a person wrote."""
    written: str = ""
    """Hash of the text at the time it was written to the file."""

    @property
    def hash(self) -> str:
        """Return the hash of title and text, which shows whether they changed."""
        return hash_of(self.title, self.text)


@dataclass(slots=True)
class MarkdownPage:
    """Parsed file of entries."""

    entries: list[MarkdownEntry] = field(default_factory=list)
    before: str = ""
    """Text that a person wrote before the first entry."""


def hash_of(title: str, text: str) -> str:
    """Return the hash of an entry.

    Line endings and surrounding white space do not affect the hash.
    """
    return hashlib.sha256(f"{one_line(title)}\n{plain(text)}".encode()).hexdigest()[:HASH]


def plain(text: str) -> str:
    """Normalise the line endings of a text, and strip outer white space."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def rendered(title: str, text: str, id: str, version: int) -> str:
    """Return the entry of a memory."""
    title = one_line(title)
    marker = f"<!-- memoranda {id} version {version} text {hash_of(title, text)} -->"
    return f"## {title}\n{marker}\n\n{escaped(plain(text))}\n"


def page(title: str, entries: Sequence[str]) -> str:
    """Return a file of entries."""
    return "\n".join([f"# {one_line(title)}\n\n{INTRO}\n", *entries])


def escaped(text: str) -> str:
    """Escape lines that would be parsed as a heading or a marker."""
    lines = text.split("\n")
    return "\n".join("\\" + line if _STRUCTURE.match(line) else line for line in lines)


def unescaped(text: str) -> str:
    """Reverse `escaped`."""
    lines = text.split("\n")
    return "\n".join(
        line[1:] if line.startswith("\\") and _STRUCTURE.match(line) else line for line in lines
    )


def read(text: str) -> MarkdownPage:
    """Parse a file of entries that people may have edited.

    Nothing is lost: text that belongs to no entry is put before the entries.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    markdown_page = MarkdownPage()
    for title, marker, body in _parts(lines):
        if title is None and marker is None:
            markdown_page.before = _own(body)
            continue
        body_text = plain(unescaped("\n".join(body)))
        id, written = (marker[1], marker[3]) if marker else (None, "")
        if id or body_text or title:
            markdown_page.entries.append(MarkdownEntry(title or "", body_text, id, written))
    return markdown_page


def _parts(lines: list[str]) -> Iterator[tuple[str | None, re.Match[str] | None, list[str]]]:
    """Split a file into heading, marker and body of each entry.

    Text before the first entry has neither heading nor marker.
    """
    title: str | None = None
    marker: re.Match[str] | None = None
    body: list[str] = []
    fence = ""
    for place, line in enumerate(lines):
        match = _MARKER.match(line)
        if match and title is not None and marker is None and not any(map(str.strip, body)):
            marker, body, fence = match, [], ""
        elif match or (_HEADING.match(line) and (not fence or _marked(lines, place))):
            yield title, marker, body
            title, marker, body, fence = ("" if match else one_line(line[2:])), match, [], ""
        else:
            fence = _fence_after(fence, line)
            body.append(line)
    yield title, marker, body


def _marked(lines: list[str], place: int) -> bool:
    """Return whether a heading is followed by a marker.

    If so, it is the heading of an entry, whatever precedes it.
    """
    return place + 1 < len(lines) and _MARKER.match(lines[place + 1]) is not None


def _fence_after(fence: str, line: str) -> str:
    """Return the code fence that is open after a line.

    Code may contain lines that look like headings.
    """
    match = FENCE_LINE.match(line)
    if not match:
        return fence
    if not fence:
        return match[1]
    closes = match[1].startswith(fence) and not line[match.end() :].strip()
    return "" if closes else fence


def _own(lines: Sequence[str]) -> str:
    """Return the text that a person wrote above the entries."""
    own_lines = [line for line in lines if line.strip() != INTRO and not _TITLE.match(line)]
    return plain(unescaped("\n".join(own_lines)))
