"""Spans of text that are not to be kept: what a user marked private, what Memoranda put in itself.

Both work on decoded text, in one pass and without recursion. What is private fails closed: a span
that is never closed reaches to the end of the text. Of recalled text only fences as Memoranda
writes them count, so that whoever merely names the tag loses nothing.
"""

from __future__ import annotations

import re

OWN = "memoranda-"
"""How the names of Memoranda's own elements begin."""
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

_LESS = r"(?:<|&(?:amp;){0,4}(?:lt|#0{0,4}60|#[xX]0{0,4}3[cC]);|\\{1,8}u003[cC])"
_GREATER = r"(?:>|&(?:amp;){0,4}(?:gt|#0{0,4}62|#[xX]0{0,4}3[eE]);|\\{1,8}u003[eE])"
_QUOTE = r'(?:\\*"|&(?:amp;){0,4}(?:quot|#0{0,4}34|#[xX]0{0,4}22);|\\{1,8}u0022)'
"""Characters of a tag as they are, as entities of HTML, or escaped by JSON, once or again."""
_NAMED = rf'{_QUOTE}[^"<>\n]*?{_QUOTE}'
"""A value between quotes."""
_BEGINS = r'(?:(?<![^\n"])|(?<=\\n))'
"""Where a line begins, or a string of JSON or a line within one."""
_NAMES = rf"(?:{RECALLED_TAG}|{ANSWER_TAG}|memoranda-task)"
_OPENS = (
    rf"(?:{RECALLED_TAG} id={_QUOTE}[0-9a-f]+{_QUOTE} workspace={_NAMED}"
    rf"|{ANSWER_TAG} id={_QUOTE}[0-9a-f]{{8}}{_QUOTE}"
    rf"|memoranda-task number={_QUOTE}\d+{_QUOTE}){_GREATER}"
)
_FENCE = re.compile(
    rf"(?P<less>{_LESS}){_OPENS}(?:[^<&\\]|(?!(?P=less)/?{_NAMES}\b)[<&\\])*+"
    rf"(?P=less)/{_NAMES}\s*{_GREATER}"
    rf"|{_BEGINS}(?P<cut>{_LESS}){RECALLED_TAG} id={_QUOTE}[0-9a-f]{{8}}{_QUOTE}"
    rf" workspace={_NAMED}{_GREATER}(?=\r?\n|\\+[rn]|\Z)"
    rf"(?:[^<&\\]|(?!(?P=cut){RECALLED_TAG}\b)[<&\\])*+"
)
"""A fence as a context has it, whose text has no markup of its own, or as a host escaped all of it;
then one that was cut off, by which a whole line is taken up: it reaches to the next or to the
end."""


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
    if OWN not in text:
        return text, 0
    return _FENCE.subn("", text)
