"""Detection of lines that only repeat what a context already shows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from memoranda.language.words import DENIALS, STOP_WORDS, plain_words, stems, word_set, words
from memoranda.observations.model import Origin
from memoranda.search.model import ContextItem

_CONFIRMING = word_set("understood ok okay sure noted got right alright yes")
"""Words with which an agent confirms an instruction before it repeats it."""
_LONGEST = 300
"""Maximum characters of a repetition; a longer text is compared as a whole only."""
_FEWEST = 2
"""Minimum content words of a repetition."""


def is_echo(item: ContextItem, shown: Iterable[ContextItem]) -> bool:
    """Return whether a line repeats a shown one.

    It has the same words, by the same kind of author or a person; or it is an agent's short line
    that adds no word to a person's.
    """
    return any(_repeats(item, other) for other in shown)


def _repeats(item: ContextItem, other: ContextItem) -> bool:
    by_person = other.origin is Origin.HUMAN
    if item.id == other.id or not (by_person or item.origin is other.origin):
        return False
    if _plain(item.text) == _plain(other.text) != "":
        return True
    is_confirmation = by_person and item.origin is Origin.AGENT and len(item.text) <= _LONGEST
    return is_confirmation and _adds_nothing(item.text, other.text)


def _adds_nothing(text: str, statement: str) -> bool:
    (said, denied), (stated, is_denied) = _content(text), _content(statement)
    return denied == is_denied and len(said) >= _FEWEST and said <= stated


@lru_cache(maxsize=1_024)
def _plain(text: str) -> str:
    return plain_words(text)


@lru_cache(maxsize=1_024)
def _content(text: str) -> tuple[frozenset[str], bool]:
    """Return the content words of a text, and whether it denies something."""
    found = words(text)
    content = (word for word in found if word not in STOP_WORDS and word not in _CONFIRMING)
    return frozenset(stems(content)), any(word in DENIALS for word in found)
