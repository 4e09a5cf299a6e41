"""Prose among code, logs and lists: marks around it, and its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from memoranda.language.sentences import sentences

FENCES = ("```", "~~~")
FENCED = re.compile(r"```.*?(?:```|\Z)|^[ \t]*~~~.*?(?:^[ \t]*~~~|\Z)", re.DOTALL | re.MULTILINE)
"""Fenced code, up to the end of the text if the fence is not closed."""
FENCE_LINE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
"""Start of a line that opens or closes fenced code in Markdown."""
LIST_MARK = r"(?:[-*+\u2022\u2013]|\d{1,3}[.)])[ \t]+"
"""Start of a list item, in Markdown or as people type it."""
_LIST_MARK = re.compile(rf"\s*{LIST_MARK}")
_HEADING_MARK = re.compile(r"[ \t]{0,20}#{1,6}[ \t]+")


def with_fences(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line except fences, and whether it is fenced code."""
    fenced = False
    for line in lines:
        if line.lstrip().startswith(FENCES):
            fenced = not fenced
        else:
            yield line, fenced


def unfenced(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines outside fenced code."""
    return (line for line, fenced in with_fences(lines) if not fenced)


def without_fenced(text: str) -> str:
    """Return a text with each block of fenced code replaced by a space."""
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
    """Return whether a line starts with a list bullet or number."""
    return _LIST_MARK.match(line) is not None


def without_marks(line: str) -> str:
    """Return a line without its list item or heading mark."""
    heading = _HEADING_MARK.match(line)
    return line[heading.end() :] if heading else without_list_mark(line)


_MAX_LINES = 3_000
"""Maximum number of lines that are read, from the start and the end of a longer message."""
_WRAPPED = 60
"""Minimum length of a line that may continue on the next one."""
_CHECKBOX = re.compile(r"^\[[ xX]\][ \t]")
_LOG = re.compile(
    r"[ \t]{0,20}(?:\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR"
    r"|FATAL|TRACE|CRITICAL)\b[\]:|]|\[(?:ERROR|INFO|WARN)|Traceback \(|File \""
    r"|at [\w.$<>]{1,200} ?\(|\$ |>>> |>|E {2,9}|npm (?:ERR!|error|WARN)|error(?:\[E\d+\])?: "
    r"|warning: |fatal: |\+\+\+ |--- |@@ |diff --git|[\w.]{0,80}(?:Error|Exception)\b[:(]|Caused by"
    r"|Exception in"
    r"|[\w./\\-]{1,200}:\d+(?::\d+)?[: ]|={3}|\|)"
)
CODE = re.compile(
    r"(?:def \w+\(|class \w+[(:]|import [\w.]+$|from [\w.]+ import |#include|//|/\*|@\w+$"
    r"|(?:const|let|var) \w+ =|(?:assert|raise|return) [\w.]+\()|.{0,600}(?:[{}]|\);)$"
)


@lru_cache(maxsize=4)  # several readers ask about the same message
def prose_sentences(text: str) -> tuple[str, ...]:
    """Split the prose of a message into verbatim sentences.

    Quoted code and logs are left out. Lines end a sentence, except where a long line continues in
    the next.
    """
    return tuple(item for part in _paragraphs(text) for item in sentences(part, wrapped=True))


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a person's own text.

    Hard-wrapped lines are joined.
    """
    paragraphs: list[list[str]] = []
    runs_on = blank = False
    lines = text.split("\n")
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES // 2], "", *lines[-_MAX_LINES // 2 :]]
    for line, fenced in with_fences(lines):
        bare, unmarked = line.strip(), without_marks(line)
        marked = unmarked is not line
        quoted = line.startswith(("    ", "\t")) and not marked and (blank or not runs_on)
        if fenced or not bare or quoted or _LOG.match(line[:600]) or CODE.match(bare[:600]):
            runs_on, blank = False, not bare or (blank and quoted)
            continue
        if runs_on and not marked:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([_CHECKBOX.sub("", unmarked, 1) if marked else line])
        runs_on, blank = len(line) >= _WRAPPED and bare[-1] not in ".!?:;", False
    return ["\n".join(lines) for lines in paragraphs]
