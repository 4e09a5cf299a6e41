"""Start and end positions of the sentences of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLOSING = "[\"'\u201d\u2019\u300d\u300f)\\]*]{0,3}"
"""Quotation marks, brackets and emphasis marks that belong to the sentence before them."""
_CLOSED = re.compile("[\"'\u201d\u2019)\\]]")
_END = re.compile(
    rf"(?P<mark>[.!?\u2026\u061f\u0964]{_CLOSING}(?=\s)|[\u3002\uff01\uff1f]{_CLOSING})"
    r"(?:[^\S\n]*\n+|[^\S\n]*)|\n+"
)
_WITHIN = (
    "e.g i.e vs cf approx incl mr mrs dr prof z.b d.h u.a d.r p.ej p.ex p.es bzw ca evtl ggf inkl"
    " vgl bspw sog stud med aprox sr sra srta dra mme mlle sig dott"
)
ABBREVIATIONS = frozenset(_WITHIN.split())
"""Abbreviations within a sentence, in lower case."""
CAPITAL_ABBREVIATIONS = frozenset(("Ms", "St", "Jr"))
"""Abbreviations that are also words or units in lower case."""
LATE = frozenset(("etc", "usw", "inc", "ltd"))
"""Abbreviations that may also end a sentence, unless a lower-case letter or a number follows."""
_BEFORE_FIGURES = (
    "no nos nr n\u00fam num fig sec vol p pp ch eq art abs kap cap chap bd p\u00e1g p\u00e1gs pag s"
    " tel best"
)
NUMBERED = frozenset(_BEFORE_FIGURES.split())
"""Abbreviations before a number; "best" only with a capital letter."""
_DOTTED = re.compile(r"\w{1,3}\.\w{1,3}")
_INITIAL = re.compile(r"\b[A-Z][\w.]{0,20} [A-HJ-Z]\.\Z")
"""The initial of a name, but not "code N."."""
_LETTER = re.compile(r"\b[a-z]\.\Z")
_LETTERS = re.compile(r"[^\W\d_]{1,2}\.")
"""What follows the first letter of "z. B.", "p. ej." and the like."""
_HALVES = re.compile(r"\b[a-z]\. ?[^\W\d_]{1,2}\.\Z")
_ORDINAL = re.compile(
    r"(?P<article>\b(?i:der|die|das|den|dem|des|im|am|vom|zum|beim|ab|jede[rnms]?|eine[rnms]?) )?"
    r"\b(?:[12]?\d|3[01])\.\Z"
)
"""A German ordinal number; without an article only before a month."""
_NEXT = re.compile(r"(?P<word>[^\W\d_]+)|\d{1,2}\.")
_LIST_NUMBER = re.compile(r"\W*(?:\d{1,3}|[A-HJ-Z])\.")
_ELLIPSIS = re.compile(r"(?:\u2026|\.\.\.)\Z")
LETTERS = 2
"""Maximum number of characters of a part of "z. B." or "p. ej."."""
LONGEST = 7
"""Maximum number of characters of an abbreviation without its full stop."""
_BEFORE_WORD = " \n\t("
_EXAMINED = 26
"""Number of characters before a full stop that are searched for an abbreviation."""


def sentence_spans(text: str, *, wrapped: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence of a text, in characters.

    The full stop of an abbreviation or of a list item's number does not end a sentence. The end of
    a line does, unless the text is ``wrapped``.

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
    """Return whether a mark that ends at ``end`` is inside a sentence.

    A mark is inside a sentence in an abbreviation or number, and in brackets or quotation marks
    before a lower-case letter.
    """
    after = text[following : following + 1]
    if after.islower() and _ELLIPSIS.search(text, max(start, end - 3), end):
        return True
    if text[end - 1] != ".":
        return after.islower() and _CLOSED.search(text, end - 1, end) is not None
    word = text[max(text.rfind(mark, start, end) for mark in _BEFORE_WORD) + 1 or start : end - 1]
    if len(word) > LONGEST:
        return False
    if word.isdigit():
        return _is_ordinal(text, start, end, following)
    small = word.lower()
    if small in ABBREVIATIONS and ("." in word or word[1:] == small[1:]):
        return True
    if word in CAPITAL_ABBREVIATIONS:
        return True
    if len(word) <= LETTERS and _is_letter(text, start, end, following):
        return True
    if after.isdigit() and small in NUMBERED and word != "best":
        return True
    late = small in LATE or _DOTTED.fullmatch(word) is not None
    return late and (after.islower() or after.isdigit())


def _is_ordinal(text: str, start: int, end: int, following: int) -> bool:
    """Return whether a number and its full stop form an ordinal."""
    if _LIST_NUMBER.fullmatch(text, start, end):
        return True
    match = _ORDINAL.search(text, max(start, end - _EXAMINED), end)
    if match is None or match["article"]:
        return match is not None
    from memoranda.language.months import MONTH_NAMES  # few texts have an ordinal

    after = _NEXT.match(text, following)
    return after is not None and (after["word"] is None or after["word"].lower() in MONTH_NAMES)


def _is_letter(text: str, start: int, end: int, following: int) -> bool:
    """Return whether letters and a full stop are an initial or abbreviation."""
    tail = max(start, end - _EXAMINED)
    if _INITIAL.search(text, tail, end) or _LIST_NUMBER.fullmatch(text, start, end):
        return True
    if _HALVES.search(text, tail, end):
        return True
    return _LETTER.search(text, tail, end) is not None and bool(_LETTERS.match(text, following))
