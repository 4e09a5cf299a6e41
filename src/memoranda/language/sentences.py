"""Sentences of a text: where each begins and ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLOSING = "[\"'\u201d\u2019\u300d\u300f)\\]*]{0,3}"
"""Quotation marks, brackets and marks of emphasis that belong to the sentence that they close."""
_CLOSED = re.compile("[\"'\u201d\u2019)\\]]")
_END = re.compile(
    rf"(?P<mark>[.!?\u2026\u061f\u0964]{_CLOSING}(?=\s)|[\u3002\uff01\uff1f]{_CLOSING})"
    r"(?:[^\S\n]*\n+|[^\S\n]*)|\n+"
)
_ABBREVIATION = re.compile(
    r"\b(?:(?i:e\.g|i\.e|vs|cf|approx|fig)|[Mm]rs?|[Dd]r|[Pp]rof|Ms|St|Jr|Sr"
    r"|[A-Z][\w.]{0,20} [A-HJ-Z])\.\Z"
)
"""Abbreviations, and the initial of a name; "code N." is none."""
_LATE = re.compile(r"\b(?:etc|inc|ltd|\w{1,3}\.\w{1,3})\.\Z", re.IGNORECASE)
"""Abbreviations that may end a sentence too, unless a small letter or a figure follows."""
_NUMBERED = re.compile(r"\bno\.\Z", re.IGNORECASE)
_LIST_NUMBER = re.compile(r"\W*(?:\d{1,3}|[A-HJ-Z])\.")
_ELLIPSIS = re.compile(r"(?:\u2026|\.\.\.)\Z")
_EXAMINED = 26
"""Characters before a point in which an abbreviation is searched."""


def sentence_spans(text: str, *, wrapped: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence of a text, in characters.

    The point of an abbreviation, or of the number of a list item, ends none. The end of a line
    does, unless the text is ``wrapped``.

    Example:
        >>> list(sentence_spans("Use pnpm. Why?"))
        [(0, 9), (10, 14)]
    """
    start = 0
    for gap in _END.finditer(text):
        end = gap.end("mark") if gap["mark"] else gap.start()
        line = not wrapped and "\n" in gap[0]
        if not line and (not gap["mark"] or _goes_on(text, start, gap.end("mark"), gap.end())):
            continue
        if text[start:end].strip():
            yield start, end
        start = gap.end()
    if text[start:].strip():
        yield start, len(text)


def sentences(text: str, *, wrapped: bool = False) -> list[str]:
    """Return the sentences of a text in order, without the white space around them.

    Example:
        >>> sentences("Ask Dr. Lee, e.g. today. Or me!")
        ['Ask Dr. Lee, e.g. today.', 'Or me!']
    """
    return [text[start:end].strip() for start, end in sentence_spans(text, wrapped=wrapped)]


def _goes_on(text: str, start: int, end: int, following: int) -> bool:
    """Return whether a mark that ends at ``end`` is within a sentence.

    It is that of an abbreviation or number, or in brackets or quotation marks before a small
    letter.
    """
    after = text[following : following + 1]
    if after.islower() and _ELLIPSIS.search(text, max(start, end - 3), end):
        return True
    if text[end - 1] != ".":
        return after.islower() and _CLOSED.search(text, end - 1, end) is not None
    tail = max(start, end - _EXAMINED)
    if _ABBREVIATION.search(text, tail, end) or _LIST_NUMBER.fullmatch(text, start, end):
        return True
    if after.isdigit() and _NUMBERED.search(text, tail, end):
        return True
    return (after.islower() or after.isdigit()) and _LATE.search(text, tail, end) is not None
