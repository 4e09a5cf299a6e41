"""Edits of a block's text: replace, insert, patch and diff.

Matching is exact, and an edit never guesses: a passage that is missing or ambiguous is refused with
the information that the agent needs for its next attempt. A line ends at a line feed and nowhere
else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from memoranda.blocks.hunks import (
    applied,
    line_count,
    lines_of,
    lines_with,
    listed,
    patch_lines,
    preview,
    quoted,
)
from memoranda.exceptions import InvalidInput

END = -1
"""Line number of the end of a text."""

LARGEST = 10_000_000
"""Maximum number of characters of the result of a replacement.

The limit protects the machine from running out of memory.
"""

DIFF_LINES = 400
CONTEXT = 2
COMPARED_LINES = 2_000
COMPARED_STEPS = 20_000_000
"""Maximum number of steps of difflib in the worst case, about a second.

Each search of difflib compares all pairs of equal lines, and there may be one search per line.
"""

_NUMBERED = (re.compile(r"[ \t]*[0-9]+(?:→|\t|: ?)"), re.compile(r"[ \t]*[0-9]+:"))
"""Line numbers that file viewers prepend.

After a colon, a space may belong to the text.
"""


def replaced(value: str, old: str, new: str, *, every: bool = False) -> str:
    """Return a text with a unique passage replaced, or ``every`` occurrence.

    Raises:
        InvalidInput: the passage is empty, does not occur, or occurs more than once (also where it
            overlaps itself) while ``every`` is not set.
    """
    if not old:
        raise InvalidInput("the old text is empty; pass the exact text to replace")
    first = value.find(old)
    if first < 0:
        raise InvalidInput(
            "the old text does not occur; it must match exactly, including white space. "
            f"{_hint(value, old)}{preview(value)}"
        )
    if not every and value.find(old, first + 1) >= 0:
        raise InvalidInput(
            f"the old text occurs more than once, on {listed(lines_with(value, old))}; include "
            "more of the surrounding text, or replace all occurrences"
        )
    size = len(value) + value.count(old) * (len(new) - len(old))
    if size > LARGEST:
        raise InvalidInput(f"the text would grow to {size:,} characters; use a shorter text")
    return value.replace(old, new)


def inserted(value: str, text: str, *, line: int = END, after: str | None = None) -> str:
    """Return a text with another one inserted on lines of its own.

    ``line`` is 0 for the start, N for after line N, -1 for the end. ``after`` is an alternative to
    the number: the literal content of the preceding line; if it spans several lines, the last of
    them counts. Line feeds are added only where they are needed to separate the texts.

    Raises:
        InvalidInput: there is nothing to insert, no such line, or not exactly one line for
            ``after``; or both a line and ``after`` are passed.
    """
    if not text:
        raise InvalidInput("the text to insert is empty; pass a line feed for an empty line")
    if after is not None:
        if line != END:
            raise InvalidInput("pass a line number or the text to insert after, not both")
        line = _line_after(value, after)
    count = line_count(value)
    if not END <= line <= count:
        raise InvalidInput(
            f"there is no line {line}: the block has {count} lines; pass 0 for the start, "
            f"1 to {count} to insert after that line, -1 for the end"
        )
    at = len(value) if line == END else _offset(value, line)
    above, below = value[:at], value[at:]
    above += "\n" if above and not above.endswith("\n") else ""
    return above + text + ("\n" if below and not text.endswith("\n") else "") + below


def patched_value(value: str, patch: str, *, label: str = "") -> str:
    """Return the text of one block with all hunks of a patch applied.

    ``label`` is for error messages.

    Raises:
        InvalidInput: the patch cannot be parsed, or a hunk does not match the text exactly once.
    """
    lines = patch_lines(patch)
    for line in lines:
        if line.startswith("*** "):
            raise InvalidInput(
                f"{quoted(line)} is not allowed in a patch of one block; omit it, or "
                "pass a patch that names its blocks, without a label"
            )
    return applied(value, lines, f"block {label!r}" if label else "the block")


def changed_lines(old: str, new: str) -> str:
    """Return a unified diff of two texts, empty if they are equal.

    A final line feed appears as an empty last line. At most 400 lines are returned, followed by the
    number of omitted lines. Texts of more than 2,000 lines, and those with so many equal lines that
    a search for the best match might take seconds, are compared from both ends only: the diff is
    then one hunk from the first line that differs to the last.
    """
    before, after = lines_of(old), lines_of(new)
    if before == after:
        return ""
    if _costly(before, after):
        diff = list(_from_both_ends(before, after))
    else:
        diff = list(unified_diff(before, after, "before", "after", lineterm="", n=CONTEXT))
    if len(diff) > DIFF_LINES:
        diff[DIFF_LINES:] = [f"... {len(diff) - DIFF_LINES} more lines omitted"]
    return "\n".join(diff)


def _hint(value: str, old: str) -> str:
    lines = old.removesuffix("\n").split("\n")
    for number in _NUMBERED:
        matches = [number.match(line) for line in lines]
        bare = "\n".join(
            line[match.end() :] for line, match in zip(lines, matches, strict=True) if match
        )
        if all(matches) and bare and bare in value:
            return (
                "It contains line numbers, which are not part of the block; without them it "
                "would match: send the old and new text without line numbers. "
            )
    return ""


def _line_after(value: str, after: str) -> int:
    if not after:
        raise InvalidInput("the text to insert after is empty; omit it or set it")
    lines = lines_with(value, after)
    if not lines:
        raise InvalidInput(
            f"the text to insert after does not occur; it must match exactly. {preview(value)}"
        )
    if len(lines) > 1:
        raise InvalidInput(
            f"the text to insert after occurs in several lines: {listed(lines)}; pass more of the"
            f" line, or its number"
        )
    return lines[0] + after.count("\n", 0, -1)


def _offset(value: str, line: int) -> int:
    """Return the offset at which the line after a given line starts."""
    at = 0
    for _ in range(line):
        end = value.find("\n", at)
        at = end + 1 if end >= 0 else len(value)
    return at


def _costly(before: Sequence[str], after: Sequence[str]) -> bool:
    if max(len(before), len(after)) > COMPARED_LINES:
        return True
    times = Counter(after)
    # difflib ignores lines that occur more often
    often = len(after) // 100 + 1 if len(after) >= 200 else len(after)
    pairs = sum(times[line] for line in before if times[line] <= often)
    return pairs * min(len(before), len(after)) > COMPARED_STEPS


def _from_both_ends(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    shorter = min(len(before), len(after))
    top = _common_lines(before, after, shorter)
    bottom = _common_lines(before[::-1], after[::-1], shorter - top)
    start = max(0, top - CONTEXT)
    tail = min(bottom, CONTEXT)
    ends = [len(lines) - bottom for lines in (before, after)]
    old, new = (_range(start, end + tail) for end in ends)
    yield from ("--- before", "+++ after", f"@@ -{old} +{new} @@")
    yield from (f" {line}" for line in before[start:top])
    yield from (f"-{line}" for line in before[top : ends[0]])
    yield from (f"+{line}" for line in after[top : ends[1]])
    yield from (f" {line}" for line in before[ends[0] : ends[0] + tail])


def _common_lines(one: Sequence[str], other: Sequence[str], most: int) -> int:
    """Return how many lines two texts have in common from the start."""
    return next((at for at in range(most) if one[at] != other[at]), most)


def _range(start: int, end: int) -> str:
    return f"{start + 1},{end - start}" if end > start else f"{start},0"
