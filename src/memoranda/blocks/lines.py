"""Lines of a text, and line numbers in messages of refused edits.

A line ends at a line feed and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 2_000
"""Maximum characters of the current text in an error message."""

LISTED = 20
"""Maximum line numbers in an error message."""


def lines_of(value: str) -> list[str]:
    """Return the lines between line feeds; an empty text has none."""
    return value.split("\n") if value else []


def line_count(value: str) -> int:
    """Return the number of visible lines: a final line feed starts none."""
    return value.count("\n") + (value != "" and not value.endswith("\n"))


def lines_with(value: str, text: str) -> list[int]:
    """Return the numbers, from 1, of the lines in which a text begins.

    At most one more than is listed.
    """
    found: list[int] = []
    number, counted, at = 1, 0, value.find(text)
    while at >= 0 and len(found) <= LISTED:
        number += value.count("\n", counted, at)
        found.append(number)
        counted = at
        end = value.find("\n", at)
        at = value.find(text, end + 1) if end >= 0 else -1
    return found


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
