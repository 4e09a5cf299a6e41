"""How an error was ended before, in one sentence made of the record's own words."""

from __future__ import annotations

from memoranda.text import one_line, visible

LONGEST_TARGET = 80
LONGEST_LINE = 120
LONGEST_FIX = 160
"""Characters that are quoted."""
READ = 2_000
"""Characters of each text that are looked at."""

_INNER = str.maketrans("\u201c\u201d", '""')
"""A quotation in a quotation must not end it."""


def prevention(target: str, line: str, fix: str) -> str:
    """Quote what was done, the error it gave and what ended that; empty where a part is missing.

    Nothing is added to the quoted words; they may be cut at the end, which "…" shows.
    """
    where, error, ending = (
        _quoted(target, LONGEST_TARGET),
        _quoted(line, LONGEST_LINE),
        _quoted(fix, LONGEST_FIX),
    )
    if not (where and error and ending):
        return ""
    return f"When {where} gives \u201c{error}\u201d: \u201c{ending}\u201d"


def _quoted(text: str, limit: int) -> str:
    """Return a text as one visible line, cut behind a word where it is too long."""
    plain = one_line(visible(text[:READ])).translate(_INNER)
    if len(plain) <= limit:
        return plain
    head, space, _ = plain[:limit].rpartition(" ")
    return f"{head if space else plain[: limit - 1]}…"
