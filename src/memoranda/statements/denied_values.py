"""Finds values in an older statement that a newer one denies by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.revocations import revocation
from memoranda.language.words import STOP_WORDS, content_stems, words

MAX_LENGTH = 400
"""Maximum number of characters of a statement that is compared."""
READ = 512
"""Number of texts whose denied values are cached; a text is compared with many others."""
_VALUE = r"(?P<value>[\w'.%-]+(?: [\w'.%-]+){0,2}?)"
_END = r"(?=\s*(?:[.,;!)]|$))"
_BESIDE = (
    lazy_pattern(rf",? (?:and )?not {_VALUE}(?: any ?more| any longer)?{_END}", re.IGNORECASE),
    lazy_pattern(rf"\b(?:instead of|rather than|statt) {_VALUE}{_END}", re.IGNORECASE),
    lazy_pattern(rf"\bnicht (?:mehr )?{_VALUE},? sondern\b", re.IGNORECASE),
    lazy_pattern(
        r"\b(?:mov|chang|switch|shift|migrat|rais|lower|increas|reduc|renam)\w*\b[^.!?]{0,60}?"
        rf"\bfrom {_VALUE} to \w",
        re.IGNORECASE,
    ),
)
"""Denials of a value next to the new one, about the same thing."""
_DENIES = lazy_pattern(r"\b(?:not|never|no|stop|avoid|nicht|kein\w*|nie)\b|n't\b", re.IGNORECASE)


def denies_value(old: str, new: str) -> bool:
    """Return whether a newer statement denies an older one's value by name.

    Example:
        >>> denies_value("Retry webhooks five times.", "The webhook retries are seven, not five.")
        True
        >>> denies_value("Retry mails five times.", "The webhook limit is seven, not five.")
        False
    """
    if max(len(old), len(new)) > MAX_LENGTH or "?" in old or "?" in new:
        return False
    denied = _denied(new)
    if not denied or _DENIES.search(old):
        return False
    stated = set(words(old))
    for value, alone in denied:
        named = set(words(value))
        if named and named <= stated and not named <= STOP_WORDS:
            others = content_stems(old) & content_stems(new)
            if alone or others - content_stems(value):
                return True
    return False


@lru_cache(maxsize=READ)
def _denied(text: str) -> tuple[tuple[str, bool], ...]:
    """Return the values that a text denies, and whether the name suffices."""
    return tuple(_found(text))


def _found(text: str) -> Iterator[tuple[str, bool]]:
    for pattern in _BESIDE:
        yield from ((found["value"], False) for found in pattern.finditer(text))
    ended = revocation(text)
    if ended and (ended.names_thing or ended.names_rule):
        yield ended.wrong, ended.names_thing
