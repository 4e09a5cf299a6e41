"""Line numbers that a tool prepends to the lines of a file."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"[ \t]{0,8}([1-9]\d{0,6})(?:[\u2192\t]|[:|](?!\d\d(?!\d)))")
"""A number at the start of a line; ``7:05`` is a time, and ``07`` is not a line number."""
_CERTAIN = ("\u2192", "\t")
"""Separators of line numbers that source code rarely contains after a number."""


def without_line_numbers(rows: Sequence[str], start: int = 1) -> list[str]:
    """Return rows without their column of line numbers, if there is one.

    Numbers form such a column only if those of adjacent rows are consecutive and begin at ``start``
    (the first line that was requested) or 1. Everything else is content and is kept.

    Example:
        >>> without_line_numbers(["1:import csv", "2:open_at = 8:15"])
        ['import csv', 'open_at = 8:15']
        >>> without_line_numbers(["12:30 lunch", "13:30 coffee"])
        ['12:30 lunch', '13:30 coffee']
    """
    marks = [_NUMBER.match(row) for row in rows]
    numbers = [int(mark[1]) if mark else None for mark in marks]
    result, begun = [], False
    for at, (row, mark, number) in enumerate(zip(rows, marks, numbers, strict=True)):
        if mark is None or number is None:
            begun = False
        else:
            continues = begun and at > 0 and numbers[at - 1] == number - 1
            followed = at + 1 < len(rows) and numbers[at + 1] == number + 1
            alone = len(rows) == 1 and mark[0].endswith(_CERTAIN)
            begun = continues or (number in (1, start) and (followed or alone))
        result.append(row[mark.end() :] if mark and begun else row)
    return result
