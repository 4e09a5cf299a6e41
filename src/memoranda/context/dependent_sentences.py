"""Joins sentences of a message that cannot be understood alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memoranda.utterances.sentence_checks import is_momentary, is_praise, points_back

SHORT = 4
"""Maximum number of words of a sentence that only continues the previous one: "No codes."."""
OWN = 2
"""Maximum number of words of a sentence to which nothing is joined, such as "Great." or "Two
things:".
"""
POINTING = 120
"""Maximum number of characters of a sentence that is joined because it refers to the previous one.
"""
HEADING = (":", "\uff1a")
"""Ends of a sentence that is incomplete without the next one, even if that is on the next line."""
MAX_LENGTH = 300
"""Maximum number of characters of joined sentences."""

_REFERS = re.compile(
    r"(?:\b(?:that|this|those|these|it|them|there|the same"
    r"|ce|cette|cet|ces|\u00e7a|cela|es[ea]s?|esos|est[ea]s?|estos|eso|esto"
    r"|dies\w*|jene[mnrs]?|das|quest[aeio]|quell[aeio]|isso|isto|essas?|esses?)\b"
    r"|-(?:le|la|les))\b"
    r"(?! (?:repo\w*|d\u00e9p\u00f4t|proje\w+|proyecto|progetto|codebase|team|branch"
    r"|machine|workspace)\b)",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:[-*\u2022\u00b7+]|\d{1,2}[.)])\s")
_EXCEPTION = re.compile(
    r"\W*(?:but|except|only|mais|sauf|pero|salvo|aber|au\u00dfer|nur|mas|per\u00f2|tranne)\b",
    re.IGNORECASE,
)


def grouped(text: str, places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans of sentences, joined with the previous one if needed.

    Joined sentences are very short sentences, exceptions, items of a list with a heading, and
    sentences that refer to something without naming it: "Never print that file." Questions, praise
    and sentences about the moment are not joined to anything, and only lists are joined across
    lines.

    Args:
        text: the message.
        places: start and end of its sentences, in order, in characters.

    Example:
        >>> message = "The key is in .env. Never print that file."
        >>> grouped(message, [(0, 19), (20, 42)])
        [(0, 42)]
    """
    result: list[tuple[int, int]] = []
    previous, listed = "", False
    for start, end in places:
        sentence, gap = text[start:end], text[result[-1][1] : start] if result else "\n\n"
        listed = _is_listed(previous, sentence, gap, listed)
        needs = listed or ("\n" not in gap and _needs(sentence, previous))
        if needs and end - result[-1][0] <= MAX_LENGTH:
            result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
        previous = sentence
    return result


def _is_listed(previous: str, sentence: str, gap: str, listed: bool) -> bool:
    """Return whether a sentence is in a list with a heading, like ``listed``."""
    if gap.count("\n") > 1:
        return False
    if previous.rstrip().endswith(HEADING):
        return True
    return listed and ("\n" not in gap or _ITEM.match(sentence) is not None)


def _needs(sentence: str, previous: str) -> bool:
    """Return whether a sentence needs the previous one to be understood."""
    if not _continues(sentence) or is_praise(previous):
        return False
    if _refers(sentence):
        return True
    short = len(sentence.split()) <= SHORT and len(previous.split()) > OWN
    return _continues(previous) and (short or _EXCEPTION.match(sentence) is not None)


def _refers(sentence: str) -> bool:
    """Return whether a sentence is about something that it does not name."""
    if len(sentence) > POINTING:
        return False
    return points_back(sentence) or _REFERS.search(sentence) is not None


def _continues(sentence: str) -> bool:
    return not (
        sentence.rstrip().endswith(("?", "\uff1f")) or is_momentary(sentence) or is_praise(sentence)
    )
