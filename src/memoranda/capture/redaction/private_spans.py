"""Removal of spans marked private, and of text that Memoranda recalled.

Both removals work on decoded text, in one pass and without recursion. Private spans fail closed: a
span that is never closed extends to the end of the text. Recalled text is removed only in the exact
form that Memoranda writes, so text that merely mentions the tag is kept.
"""

from __future__ import annotations

import re

OWN = "memoranda-"
"""Prefix of the names of Memoranda's own elements."""
RECALLED_TAG = "memoranda-context"
ANSWER_TAG = "memoranda-answer"
TASK_TAG = "memoranda-task"
"""Element around a task that Memoranda passes to an agent."""


_PRIVATE = re.compile(
    r"(?P<close></private\s*>)|(?P<empty><private(?:\s[^<>]*)?/>)|<private(?=[\s/<>]|\Z)",
    re.IGNORECASE | re.ASCII,
)
"""Tags of private spans, by group.

The groups: ``close``, ``empty`` for ``<private/>``, else opening. The name is sufficient for an
opening tag, so a malformed tag also opens a span; no part of the pattern extends beyond the next
angle bracket, which keeps the search linear.
"""

_LESS = r"(?:<|&(?:amp;){0,4}(?:lt|#0{0,4}60|#[xX]0{0,4}3[cC]);|\\{1,8}u003[cC])"
_GREATER = r"(?:>|&(?:amp;){0,4}(?:gt|#0{0,4}62|#[xX]0{0,4}3[eE]);|\\{1,8}u003[eE])"
_QUOTE = r'(?:\\*"|&(?:amp;){0,4}(?:quot|#0{0,4}34|#[xX]0{0,4}22);|\\{1,8}u0022)'
"""Quotation mark of a tag: plain, an HTML entity, or escaped by JSON."""
_BEGINS = r'(?:(?<![^\n">])|(?<=\\n)|(?<=context: ))'
"""Start of a line, an element or a JSON string.

Such a start may also be a line within a JSON string, or a hook's addition.
"""
_NAMES = rf"(?:{RECALLED_TAG}|{ANSWER_TAG}|{TASK_TAG})"
_SECTIONS = (
    r"(?:critical-facts|task-progress|task-brief|blocks|standing-instructions|errors-to-avoid"
    r"|profile|memories|user-statements|values-seen|relevant-past)"
)
"""Parts of a context."""
_OTHER = rf"</(?!(?:{_SECTIONS}|left-out|{_NAMES})>)[\w.:-]+>"
"""End tag of an element that is not Memoranda's."""
_LABEL = (
    r"\[(?:human|agent|tool|generated|import|web)(?:, approved)?(?: [\d-]{10})?(?: task \d{1,9})?\]"
)
"""Label of entries: author, day and task.

The label is above the entries; older versions wrote it at the beginning of each entry.
"""
_LABELLED = re.compile(_LABEL)


def _opens(quote: str) -> str:
    """Return the pattern of a context's opening tag after its bracket.

    ``quote`` names the group of the quotation mark, whose escaping is the same within a tag.
    """
    ends, value = f"(?P={quote})", rf'(?:(?!(?P={quote}))[^"<>\n])*+'
    attributes = rf"(?: [a-z]{{1,20}}={ends}{value}{ends})"
    return rf"(?:{RECALLED_TAG} id=(?P<{quote}>{_QUOTE})[0-9a-f]+{ends}{attributes}+{_GREATER})"


_OPENS = (
    rf"(?:{_opens('quote')}|{ANSWER_TAG} id={_QUOTE}[0-9a-f]{{8}}{_QUOTE}{_GREATER}"
    rf"|{TASK_TAG} number={_QUOTE}\d+{_QUOTE}{_GREATER})"
)
_FENCE = re.compile(
    rf"(?P<less>{_LESS}){_OPENS}(?:[^<&\\]|(?!(?P=less)/?{_NAMES}\b)[<&\\])*+"
    rf"(?P=less)/{_NAMES}\s*{_GREATER}"
    rf"|{_BEGINS}(?P<cut>{_LESS}){_opens('mark')}(?=\r?\n|\\+[rn]|\Z)"
    rf"(?:[^<&\\\n]|(?!(?P=cut){RECALLED_TAG}\b|{_OTHER}|\n\s*\n)[<&\\\n])*+"
)
"""A fence of a context, complete or truncated.

A complete fence contains none of Memoranda's own tags in the same escaping. A truncated fence has
its opening tag alone on a line, and extends to the next fence, an empty line, the end of the
enclosing element, or the end of the text.
"""
_PART = re.compile(
    rf"(?P<less>{_LESS})(?P<name>{_SECTIONS}){_GREATER}(?P<line>\r?\n|\\{{1,8}}n)"
    rf"(?=(?:- )?{_LABEL})(?:(?:{_LABEL}|- |#\d)(?:(?!(?<!\\)(?P=line))[^\n<])*+(?P=line)?)++"
    rf"(?:(?P=less)/(?P=name){_GREATER}(?:(?P=line)(?P=less)/{RECALLED_TAG}{_GREATER})?)?"
)
"""A section of a context without its fence, up to its last entry."""


def drop_private(text: str) -> tuple[str, int]:
    """Remove ``<private>…</private>`` spans; return the rest and their count."""
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
    """Remove text that Memoranda wrote for agents; return the rest and count.

    This prevents recalled text from being captured again. Recalled texts are contexts, answers,
    references to tasks, and sections of contexts, escaped or not. The count is the number of
    removed pieces. A tag that only occurs in prose or code is kept, as is the text after it.
    """
    fences = parts = 0
    if OWN in text:
        text, fences = _FENCE.subn("", text)
    if _LABELLED.search(text):
        text, parts = _PART.subn("", text)
    return text, fences + parts
