"""Application of the hunks of a patch to one text, all or none.

The lines that a hunk keeps and removes must occur in the text once, or at the line in its header
(``@@ -12,3 +12,4 @@``); counts and other text in a header are ignored. Every hunk refers to the
text before the first hunk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memoranda.exceptions import InvalidInput
from memoranda.text import clip

_RANGE = re.compile(r"@@ -([0-9]{1,9})(?:,[0-9]+)? \+[0-9]+(?:,[0-9]+)? @@")
_EMPTY = ("", "\r")

MAX_HUNKS = 1_000
"""Maximum number of hunks, since each is searched for in the whole text."""
SHOWN = 2_000
"""Maximum number of characters of the current text in an error message."""
LISTED = 20
"""Maximum number of line numbers in an error message."""


@dataclass(frozen=True, slots=True)
class _Hunk:
    number: int
    line: int | None
    lines: Sequence[str]

    @property
    def old(self) -> list[str]:
        """Lines that must exist in the text."""
        return [line[1:] for line in self.lines if line[0] != "+"]


@dataclass(frozen=True, slots=True)
class _Replacement:
    """Lines from ``start`` up to ``end``, and their replacement."""

    start: int
    end: int
    new: Sequence[str]
    hunk: int


def applied(value: str, lines: Sequence[str], where: str) -> str:
    """Return a text after applying the hunks in the lines of a patch.

    ``where`` is the name of the text.

    Raises:
        InvalidInput: the hunks cannot be parsed, or one does not match the text exactly once.
    """
    text = lines_of(value)
    places = [_replacement(hunk, value, text, where) for hunk in _hunks(lines, where)]
    places.sort(key=lambda place: (place.start, place.end))
    for replacement, other in pairwise(places):
        if other.start < replacement.end:
            raise InvalidInput(
                f"hunks {min(replacement.hunk, other.hunk)} and "
                f"{max(replacement.hunk, other.hunk)} of {where} change the same lines; combine"
                f" them into one hunk"
            )
    result: list[str] = []
    at = 0
    for place in places:
        result += [*text[at : place.start], *place.new]
        at = place.end
    return "\n".join(result + text[at:])


def patch_lines(patch: str) -> list[str]:
    """Return the lines of a patch between the optional begin and end marks."""
    lines = without_empty(patch.split("\n")[::-1])[::-1]
    if lines and lines[0].strip() == "*** Begin Patch":
        del lines[0]
    lines = without_empty(lines)
    if lines and lines[-1].rstrip() == "*** End Patch":  # after a space, the mark is a context line
        del lines[-1]
    return without_empty(lines)


def without_empty(lines: Sequence[str]) -> list[str]:
    """Return lines without trailing empty lines, which only format a patch."""
    end = len(lines)
    while end and lines[end - 1] in _EMPTY:
        end -= 1
    return list(lines[:end])


def quoted(line: str) -> str:
    """Return a line of a patch, quoted for an error message."""
    return repr(clip(line, 60))


def _hunks(lines: Sequence[str], where: str) -> list[_Hunk]:
    if len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ "):
        lines = lines[2:]
    if not lines:
        raise InvalidInput(f"the patch has no hunks for {where}; a hunk begins with '@@'")
    heads = [at for at, line in enumerate(lines) if line.startswith("@@")]
    if not heads or heads[0] > 0:  # the header of the first hunk may be left out
        lines = ["@@", *lines]
        heads = [0, *(at + 1 for at in heads)]
    if len(heads) > MAX_HUNKS:
        raise InvalidInput(
            f"a patch may have at most {MAX_HUNKS:,} hunks; write {where} as a whole instead"
        )
    ends = [*heads[1:], len(lines)]
    return [
        _hunk(number, lines[head], lines[head + 1 : end], where)
        for number, (head, end) in enumerate(zip(heads, ends, strict=True), 1)
    ]


def _hunk(number: int, head: str, body: Sequence[str], where: str) -> _Hunk:
    # Editors strip the space of an empty context line. A line that begins with a backslash is a
    # remark on the final line feed, which a patch does not change.
    lines = [" " + line if line in _EMPTY else line for line in without_empty(body)]
    lines = [line for line in lines if not line.startswith("\\ ")]
    for line in lines:
        if line[0] not in " -+":
            raise InvalidInput(
                f"hunk {number} of {where}: a line must begin with ' ' (unchanged), '-' "
                f"(removed) or '+' (added), not {quoted(line)}"
            )
    if all(line[0] == " " for line in lines):
        raise InvalidInput(f"hunk {number} of {where} changes nothing; use '-' and '+' lines")
    match = _RANGE.match(head)
    return _Hunk(number, int(match[1]) if match else None, lines)


def _replacement(hunk: _Hunk, value: str, text: Sequence[str], where: str) -> _Replacement:
    """Return the change without its context lines.

    Another hunk may have the same context lines.
    """
    changing = [at for at, line in enumerate(hunk.lines) if line[0] != " "]
    core = hunk.lines[changing[0] : changing[-1] + 1]
    start = _start(hunk, value, text, where) + changing[0]
    end = start + sum(line[0] != "+" for line in core)
    return _Replacement(start, end, [line[1:] for line in core if line[0] != "-"], hunk.number)


def _start(hunk: _Hunk, value: str, text: Sequence[str], where: str) -> int:
    """Return the number of lines above a hunk."""
    old = hunk.old
    if not old:
        return _bare_start(hunk, text, where)
    if hunk.line and text[hunk.line - 1 : hunk.line - 1 + len(old)] == old:
        return hunk.line - 1
    within, passage = f"\n{value}\n", "\n".join(["", *old, ""])
    found = lines_with(within, passage) if text else []
    if not found:
        raise InvalidInput(
            f"hunk {hunk.number} of {where}: the context and removed lines do not "
            f"match the block exactly. {preview(value)}"
        )
    if len(found) > 1:
        raise InvalidInput(
            f"hunk {hunk.number} of {where} matches more than one position,"
            f" at {listed(found)}; add unchanged lines, so that it matches only one position"
        )
    return found[0] - 1


def _bare_start(hunk: _Hunk, text: Sequence[str], where: str) -> int:
    """Return the position of a hunk that only adds lines.

    The header of the hunk contains the number of the line above.
    """
    if not text:
        return 0
    if hunk.line is None or hunk.line > len(text):
        raise InvalidInput(
            f"hunk {hunk.number} of {where} adds lines without context; add an unchanged "
            "line, or insert by line number"
        )
    return hunk.line


def lines_of(value: str) -> list[str]:
    """Return the lines between line feeds; an empty text has none."""
    return value.split("\n") if value else []


def line_count(value: str) -> int:
    """Return the number of visible lines; a final line feed starts no line."""
    return value.count("\n") + (value != "" and not value.endswith("\n"))


def lines_with(value: str, text: str) -> list[int]:
    """Return the numbers, from 1, of the lines in which a text starts.

    At most one more number is returned than an error message lists.
    """
    result: list[int] = []
    number, counted, at = 1, 0, value.find(text)
    while at >= 0 and len(result) <= LISTED:
        number += value.count("\n", counted, at)
        result.append(number)
        counted = at
        end = value.find("\n", at)
        at = value.find(text, end + 1) if end >= 0 else -1
    return result


def listed(numbers: Sequence[int]) -> str:
    """Return line numbers as text."""
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    more = " and more" if len(numbers) > LISTED else ""
    return "lines " + ", ".join(map(str, numbers[:LISTED])) + more


def preview(value: str) -> str:
    """Return the size and the beginning of a text, for an error message."""
    if not value:
        return "The block is empty."
    if len(value) <= SHOWN:
        return f"The block has {len(value):,} characters:\n{value}"
    return f"The block has {len(value):,} characters; the first {SHOWN:,} are:\n{value[:SHOWN]}"
