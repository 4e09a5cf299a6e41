"""Differences between two texts, by line and within changed lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

MAX_LINES = 2_000
MAX_LENGTH = 200_000
"""Maximum number of characters of each text that are compared, from its start."""
CONTEXT = 3
"""Number of unchanged lines shown before and after a change."""
_MAX_LINE_LENGTH = 2_000
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line: ``same``, ``gone``, ``new``, or ``gap`` for skipped lines."""

    kind: str
    parts: tuple[tuple[bool, str], ...]
    """Parts of the line, each with whether the part changed."""


def differences(before: str, after: str) -> tuple[DiffLine, ...]:
    """Return the lines of both texts in order for a visual comparison."""
    old, new = _lines(before), _lines(after)
    lines: list[DiffLine] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += _calm(old[a:b], first=a == 0, last=b == len(old))
        else:
            lines += _changed(old[a:b], new[c:d])
    return tuple(lines)


def _lines(text: str) -> list[str]:
    return text[:MAX_LENGTH].split("\n")[:MAX_LINES] if text else []


def _calm(lines: list[str], *, first: bool, last: bool) -> Iterator[DiffLine]:
    head = 0 if first else CONTEXT
    tail = 0 if last else CONTEXT
    if len(lines) <= head + tail + 1:
        yield from (_unmarked("same", line) for line in lines)
        return
    yield from (_unmarked("same", line) for line in lines[:head])
    yield _unmarked("gap", f"{len(lines) - head - tail} unchanged lines")
    yield from (_unmarked("same", line) for line in lines[len(lines) - tail :])


def _changed(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    paired = len(old) == len(new)
    lines, come = [], []
    for number, line in enumerate(old):
        left, right = _words(line, new[number]) if paired else (None, None)
        lines.append(DiffLine("gone", left) if left else _unmarked("gone", line))
        if paired:
            come.append(DiffLine("new", right) if right else _unmarked("new", new[number]))
    yield from lines
    yield from come if paired else [_unmarked("new", line) for line in new]


def _unmarked(kind: str, line: str) -> DiffLine:
    return DiffLine(kind, ((False, line),))


def _words(
    old: str, new: str
) -> tuple[tuple[tuple[bool, str], ...], tuple[tuple[bool, str], ...]] | tuple[None, None]:
    """Return both lines in parts; None if they have too little in common."""
    if max(len(old), len(new)) > _MAX_LINE_LENGTH:
        return None, None
    left, right = _WORDS.findall(old), _WORDS.findall(new)
    match = SequenceMatcher(None, left, right, autojunk=False)
    if match.ratio() < 0.4:
        return None, None
    a_parts, b_parts = [], []
    for tag, a, b, c, d in match.get_opcodes():
        if b > a:
            a_parts.append((tag != "equal", "".join(left[a:b])))
        if d > c:
            b_parts.append((tag != "equal", "".join(right[c:d])))
    return tuple(a_parts), tuple(b_parts)
