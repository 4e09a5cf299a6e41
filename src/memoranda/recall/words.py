"""Words as search compares them: lower case, without accents, stemmed, as 32-bit numbers."""

from __future__ import annotations

import re
import threading
import unicodedata
import zlib
from collections.abc import Iterable

from memoranda.text import cjk_bigrams

WORD = re.compile(r"[^\W_]+")

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
"""Words that say how a question is put, not what it is about; question words among them."""

_own = threading.local()


def words(text: str) -> list[str]:
    """Part a text into words: letters and digits, in lower case and without accents, in order;
    then the pairs of characters of scripts without spaces."""
    bare = text.lower()
    if not text.isascii():
        bare = "".join(
            char for char in unicodedata.normalize("NFKD", bare) if not unicodedata.combining(char)
        )
        return WORD.findall(bare) + cjk_bigrams(text)
    return WORD.findall(bare)


def stems(listed: Iterable[str]) -> list[str]:
    """Return the Porter stem of each word, as both full-text indexes make them, or nearly so."""
    stemmer = getattr(_own, "stemmer", None)
    if stemmer is None:
        from Stemmer import Stemmer

        stemmer = _own.stemmer = Stemmer("porter")  # not to be shared by threads
    return list(stemmer.stemWords(list(listed)))


def number(stem: str) -> int:
    """Return what stands for a stem in an entry: its CRC-32."""
    return zlib.crc32(stem.encode())
