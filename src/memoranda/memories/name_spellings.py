"""Pattern for a word of a name in all equivalent spellings.

Texts and requests may spell the same name with different apostrophes, with or without accents, or
with two letters for one: José and Jose, Müller and Mueller.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

BETWEEN_LETTERS = (
    "[\u00ad\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u200b-\u200f\u2060\ufeff]*"
)
"""Characters that may occur between two letters: zero-width characters, accents and vowel signs."""
APOSTROPHES = "'\u2018\u2019\u02b9\u02bc\u2032`\u00b4\uff07"
_APOSTROPHE = f"(?:[{APOSTROPHES}]|%27|&(?:#39|#x27|apos|rsquo);)"
_HYPHENS = "-\u2010-\u2015\u2212"
_PAIRS = {"ae": "äæ", "oe": "öøœ", "ue": "ü", "aa": "å", "ss": "ß"}
"""Pairs of letters, with the letters that they may replace."""
_UNDIVIDED = {"ø": "o", "ł": "l", "đ": "d", "ı": "i"}  # noqa: RUF001
"""Letters with a diacritic that Unicode does not decompose."""
_ACCENTED = (range(0xC0, 0x250), range(0x370, 0x530), range(0x1E00, 0x2000))
"""Ranges of accented letters in Latin, Greek and Cyrillic."""


def any_spelling(word: str, *, loose: bool = False) -> str:
    """Return the pattern of a word, for case-insensitive matching.

    Args:
        loose: "OBrien" matches O'Brien too, and "Mueller" matches Muller.
    """
    plain = re.sub(BETWEEN_LETTERS, "", unicodedata.normalize("NFC", word).lower())
    units = re.findall(rf"{'|'.join(_PAIRS)}|.", plain)
    return BETWEEN_LETTERS.join(_unit(unit, loose) for unit in units)


def _unit(unit: str, loose: bool) -> str:
    """Return the pattern of one character, or of a pair that may replace it."""
    if unit in APOSTROPHES:
        return f"{_APOSTROPHE}?" if loose else _APOSTROPHE
    if unit in _PAIRS:
        return f"(?:{_letter(unit[0])}{BETWEEN_LETTERS}{_letter(unit[1])}|[{_PAIRS[unit]}])"
    pairs = [pair for pair, letters in _PAIRS.items() if unit in letters]
    pairs += [f"{unit}e"] if loose and unit in "aou" else []
    return f"(?:{'|'.join([*pairs, _letter(unit)])})"


def _letter(letter: str) -> str:
    """Return the pattern of a character; a letter matches with any accents."""
    if letter in _HYPHENS:
        return f"[{_HYPHENS}]"
    if not letter.isalpha():
        return re.escape(letter)
    return f"[{letter}{_accented().get(_base(letter), '')}]"


@cache
def _accented() -> dict[str, str]:
    """Return the accented forms of each base letter, including the letter."""
    result = dict[str, str]()
    for letter in (chr(code) for codes in _ACCENTED for code in codes):
        base = _base(letter)
        if base != letter:
            result[base] = result.get(base, base) + letter
    return result


def _base(letter: str) -> str:
    """Return a letter without its accents, in lower case."""
    small = letter.lower()
    base = unicodedata.normalize("NFD", small)[0] if small else small
    return _UNDIVIDED.get(base, base)
