"""Stems of terms as 32-bit numbers, and the stop words of search."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterable

from memoranda.language.lexemes import WORD, terms

_STOP_WORDS = (
    "a about after again all also am an and any are as at be because been before being "
    "between both but by can could did do does doing done down for from get gets got had has "
    "have having he her here hers him his how i if in into is it its just last let like make "
    "me more most my no nor not now of off on once only or other our out over own please same "
    "she should so some such than that the their them then there these they this those "
    "through time to too under until up us use used using very was we were what when where "
    "which while who whom why will with would you your "
    "aren couldn d didn didnt doesn doesnt don dont hadn hasn haven im isn isnt ive ll m re s "
    "shouldn t ve wasn weren won wouldn"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that belong to the form of a question, question words included."""

__all__ = ["STOP_WORDS", "WORD", "number", "stems", "words"]

_own = threading.local()


words = terms
"""Splits a text into terms, as full text does."""


def stems(listed: Iterable[str]) -> list[str]:
    """Return the Porter stem of each word.

    As both full-text indexes create them, or nearly so.
    """
    stemmer = getattr(_own, "stemmer", None)
    if stemmer is None:
        from Stemmer import Stemmer

        stemmer = _own.stemmer = Stemmer("porter")  # not to be shared by threads
    return list(stemmer.stemWords(list(listed)))


def number(stem: str) -> int:
    """Return the number of a stem in an entry: its CRC-32."""
    return zlib.crc32(stem.encode())
