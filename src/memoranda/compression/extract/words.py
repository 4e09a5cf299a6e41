"""Tokenisation, stemming and stop words for extractive compression."""

from __future__ import annotations

import re
from functools import lru_cache

from memoranda.text import cjk_bigrams

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][a-z]+)?|\d+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_ENDINGS = ("ing", "ies", "ed", "es", "s")
_LONGEST = 60
"""Characters of a word; no other text would share a longer one."""

_SAY_LITTLE = """
a an and are as at be been but by did do does for from had has have how i in is it its me my of on
or our s she he so that the their them they this to us was we were what when where which who whom
why will with would you your t about into than then there these those not no can could should his
her him if just also more some any all
"""
STOP = frozenset(_SAY_LITTLE.split())


def words(text: str) -> list[str]:
    """Return the words and numbers of a text in order, as they are spelt.

    Scripts without spaces give overlapping pairs of characters.
    """
    found = [word[:_LONGEST] for word in _WORD.findall(text)]
    if text.isascii() or not _CJK.search(text):
        return found
    return [*(word for word in found if not _CJK.search(word)), *cjk_bigrams(text)]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return a word without case and the commonest English endings."""
    plain = word.casefold().replace("\u2019", "'").partition("'")[0]
    for ending in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= 3:
            return plain[: -len(ending)]
    return plain
