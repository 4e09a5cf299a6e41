"""Marks that people and agents write around text: fences of code, and those of lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

FENCES = ("```", "~~~")
FENCED = re.compile(r"```.*?(?:```|\Z)|^[ \t]*~~~.*?(?:^[ \t]*~~~|\Z)", re.DOTALL | re.MULTILINE)
"""Fenced code, to the end of the text if no fence closes it."""
FENCE_LINE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
"""Start of a line that opens or closes fenced code in a Markdown file."""
LIST_MARK = r"(?:[-*+\u2022\u2013]|\d{1,3}[.)])[ \t]+"
"""Start of an item in Markdown, and as people type one."""
_LIST_MARK = re.compile(rf"\s*{LIST_MARK}")
_HEADING_MARK = re.compile(r"[ \t]{0,20}#{1,6}[ \t]+")


def with_fences(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line but the fences, and whether it is fenced code."""
    fenced = False
    for line in lines:
        if line.lstrip().startswith(FENCES):
            fenced = not fenced
        else:
            yield line, fenced


def unfenced(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines that are no fenced code."""
    return (line for line, fenced in with_fences(lines) if not fenced)


def without_fenced(text: str) -> str:
    """Return a text with a space in place of fenced code."""
    return FENCED.sub(" ", text) if any(fence in text for fence in FENCES) else text


def without_list_mark(line: str) -> str:
    """Return a line without the bullet or number of a list item.

    Example:
        >>> without_list_mark("- Use pnpm."), without_list_mark("-target is an option")
        ('Use pnpm.', '-target is an option')
    """
    mark = _LIST_MARK.match(line)
    return line[mark.end() :] if mark else line


def is_list_item(line: str) -> bool:
    """Return whether a line begins with the bullet or number of a list item."""
    return _LIST_MARK.match(line) is not None


def without_marks(line: str) -> str:
    """Return a line without the mark of a list item or a heading."""
    heading = _HEADING_MARK.match(line)
    return line[heading.end() :] if heading else without_list_mark(line)
