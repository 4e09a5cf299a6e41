"""The prose of a text and its sentences, up to a limit."""

from __future__ import annotations

import re

from memoranda.text import text_lines

MOST_READ = 20_000
"""Maximum number of characters that are read; a memory is far shorter."""
MOST_SENTENCES = 200
LONGEST = 300
"""Number of characters of a sentence that are kept."""

_FENCES = ("```", "~~~")
_BULLET = re.compile(r"[ \t]{0,20}(?:[-*+\u2022]|\d{1,2}[.)]|#{1,6})[ \t]{1,9}")
_END = re.compile(r"[.!?\u2026][\"')\]]{0,3}\s{1,20}")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|mr|mrs|ms|dr|prof|st|no|inc|ltd|jr|sr|[a-z])|^\d{1,2})\.$",
    re.IGNORECASE,
)


def prose(text: str) -> str:
    """Return the start of a text without fenced code and bullets.

    Its apostrophes become plain ones.
    """
    lines: list[str] = []
    fenced = False
    for line in text_lines(text[:MOST_READ].replace("\u2019", "'")):
        if line.lstrip().startswith(_FENCES):
            fenced = not fenced
        elif line and not fenced:
            bullet = _BULLET.match(line)
            lines.append(line[bullet.end() :] if bullet else line)
    return "\n".join(lines)


def sentences(prose: str) -> tuple[str, ...]:
    """Split prose into sentences, in order; at most 200.

    They have at most 300 characters. A line end ends a sentence; an abbreviation and a point before
    a lower-case word do not.
    """
    found: list[str] = []
    for line in prose.split("\n"):
        found.extend(_of_line(line))
        if len(found) >= MOST_SENTENCES:
            break
    return tuple(found[:MOST_SENTENCES])


def lowered(text: str) -> str:
    """Return a text in lower case, with the position of each character kept."""
    low = text.lower()
    return low if len(low) == len(text) else text


def _of_line(line: str) -> list[str]:
    found: list[str] = []
    start = 0
    for end in _END.finditer(line):
        if not _goes_on(line, start, end):
            found.append(line[start : end.end()].strip())
            start = end.end()
    found.append(line[start:].strip())
    return [sentence[:LONGEST].rstrip() for sentence in found if sentence]


def _goes_on(line: str, start: int, end: re.Match[str]) -> bool:
    if end[0][0] != ".":
        return False
    following = line[end.end() : end.end() + 1]
    tail = line[max(start, end.start() - 8) : end.start() + 1]
    return following.islower() or _ABBREVIATION.search(tail) is not None
