"""Spans of text that are not to be kept: what a user marked private, what Memoranda put in itself.

Both work on decoded text, in one pass and without recursion. What is private fails closed: a span
that is never closed reaches to the end of the text. Of recalled text only fences as Memoranda
writes them count, so that whoever merely names the tag loses nothing.
"""

from __future__ import annotations

import re

RECALLED_TAG = "memoranda-context"
ANSWER_TAG = "memoranda-answer"
"""The element that wraps text which Memoranda hands to an agent."""


_PRIVATE = re.compile(
    r"(?P<close></private\s*>)|(?P<empty><private(?:\s[^<>]*)?/>)|<private(?=[\s/<>]|\Z)",
    re.IGNORECASE | re.ASCII,
)
"""The tags of private spans: group ``close``, ``empty`` for ``<private/>``, else opening.

An opening tag counts from its name on, so that a mangled one opens a span as well; no part reads
past the next angle bracket, which keeps the search linear.
"""

_NAMED = r'\\*"[^"<>\n]*"'
"""A value between quotes, which JSON within a text has escaped."""
_BEGINS = r'(?:(?<![^\n"])|(?<=\\n))'
"""Where a line begins, or a string of JSON or a line within one."""
_FENCE = re.compile(
    rf'<{RECALLED_TAG} id=\\*"[0-9a-f]+\\*" workspace={_NAMED}>'
    rf"(?:[^<]|<(?!/?{RECALLED_TAG}\b))*+</{RECALLED_TAG}\s*>"
    rf'|{_BEGINS}<{RECALLED_TAG} id=\\*"[0-9a-f]{{8}}\\*" workspace={_NAMED}>(?=\r?\n|\\+[rn]|\Z)'
    rf"(?:[^<]|<(?!{RECALLED_TAG}\b))*+"
    rf'|<{ANSWER_TAG} id=\\*"[0-9a-f]{{8}}\\*">(?:[^<]|<(?!/?{ANSWER_TAG}\b))*+</{ANSWER_TAG}\s*>'
)
"""A fence as a context has it, whose text has no markup of its own; then one that was cut off, by
which a whole line is taken up: it reaches to the next fence or to the end."""


def drop_private(text: str) -> tuple[str, int]:
    """Remove ``<private>…</private>`` spans; return the rest and how many spans there were."""
    if "<" not in text:
        return text, 0
    pieces: list[str] = []
    kept_from, depth, spans = 0, 0, 0
    for tag in _PRIVATE.finditer(text):
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


def drop_recalled(text: str) -> tuple[str, int]:
    """Remove contexts that Memoranda wrote, so that recall is not captured; return the rest and how
    many there were. A tag that only stands in prose or code stays, and all behind it."""
    if RECALLED_TAG not in text and ANSWER_TAG not in text:
        return text, 0
    return _FENCE.subn("", text)
