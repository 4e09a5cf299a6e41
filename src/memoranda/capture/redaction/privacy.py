"""Spans of text that are not to be kept: what a user marked private, what Memoranda put in itself.

Both work on decoded text, in one pass and without recursion. They fail closed: a span that is never
closed reaches to the end of the text.
"""

from __future__ import annotations

import re

RECALLED_TAG = "memoranda-context"
"""The element that wraps text which Memoranda hands to an agent."""


def _tags(name: str) -> re.Pattern[str]:
    """Match the tags of one element: group ``close``, ``empty`` for ``<name/>``, else opening.

    An opening tag counts from its name on, so that a mangled one opens a span as well; no part
    reads past the next angle bracket, which keeps the search linear.
    """
    return re.compile(
        rf"(?P<close></{name}\s*>)|(?P<empty><{name}(?:\s[^<>]*)?/>)|<{name}(?=[\s/<>]|\Z)",
        re.IGNORECASE | re.ASCII,
    )


_PRIVATE = _tags("private")
_RECALLED = _tags(RECALLED_TAG)


def drop_private(text: str) -> tuple[str, int]:
    """Remove ``<private>…</private>`` spans; return the rest and how many spans there were."""
    return _drop(text, _PRIVATE)


def drop_recalled(text: str) -> tuple[str, int]:
    """Remove ``<memoranda-context>…</memoranda-context>`` spans, so that recall is not captured."""
    return _drop(text, _RECALLED)


def _drop(text: str, tags: re.Pattern[str]) -> tuple[str, int]:
    if "<" not in text:
        return text, 0
    pieces: list[str] = []
    kept_from, depth, spans = 0, 0, 0
    for tag in tags.finditer(text):
        if depth == 0:
            pieces.append(text[kept_from : tag.start()])
            kept_from = tag.end()
        if tag["close"]:
            depth = max(0, depth - 1)
            kept_from = tag.end()
        elif not tag["empty"]:
            spans += depth == 0
            depth += 1
    if depth == 0:
        pieces.append(text[kept_from:])
    return "".join(pieces), spans
