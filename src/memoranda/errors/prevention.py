"""A sentence on how an error was resolved, quoted from the record."""

from __future__ import annotations

from memoranda.text import one_line, visible

LONGEST_TARGET = 80
LONGEST_LINE = 120
LONGEST_FIX = 160
"""Maximum characters that are quoted."""
READ = 2_000
"""Maximum characters of each text that are read."""

_INNER = str.maketrans("\u201c\u201d", '""')
"""Quotation marks to replace, so that inner ones do not end a quotation."""


def prevention(target: str, line: str, fix: str) -> str:
    """Quote an action, its error and its ending; empty if a part is missing.

    Nothing is added to the quoted text; it may be cut at the end, which "…" shows.
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
    """Return a text as one visible line, cut after a word if too long."""
    plain = one_line(visible(text[:READ])).translate(_INNER)
    if len(plain) <= limit:
        return plain
    head, space, _ = plain[:limit].rpartition(" ")
    return f"{head if space else plain[: limit - 1]}…"
