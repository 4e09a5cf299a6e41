"""Normalisation of text for search, the same for indexing and queries.

Every engine indexes `indexed` and searches for the terms of `terms`, so that a query matches a text
with the same term whatever its case, accents, vowel points, character width or ligatures.

- Marks that a writer may omit are removed: accents of Latin, Greek and Cyrillic, the points of
  Hebrew and the vowels of Arabic. Marks that are part of the spelling are kept, as in the scripts
  of India.
- Scripts without spaces yield the whole run and each pair of its characters.
- Words of Cyrillic, Greek, Arabic and some other scripts are indexed by their stems.
- Pictographs are separate terms, without skin tones and joiners; a flag is one term.
- Names in camelCase are indexed as a whole and by their parts.

Other ASCII text, with the usual dashes and quotes, is its own analysis: letters and digits
separated by any other characters.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from memoranda.language.lazy_patterns import lazy_pattern

WORD = lazy_pattern(r"[^\W_]+")
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Chinese characters, Japanese kana and Hangul, for a character class."""
_TELLING = lazy_pattern(
    "[^\x00-\x7f\xa0-\xa7\xa9\xab-\xae\xb0\xb1\xb6\xb7\xbb\xbf\u2010-\u2027\u2030-\u203b"
    "\u2190-\u2193\u21d0-\u21d4\u2200-\u22ff\u2500-\u25ff]"
)
"""Characters that require analysis.

All characters except ASCII and mere word separators require analysis.
"""

_DROPPED = (
    (0x02B9, 0x02C1), (0x0300, 0x036F), (0x0483, 0x0489), (0x0591, 0x05C7), (0x0610, 0x061A),
    (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06ED), (0x0711, 0x0711),
    (0x0730, 0x074A), (0x08D3, 0x08FF), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F),
    (0x1F3FB, 0x1F3FF), (0xE0100, 0xE01EF),
)  # fmt: skip
"""Ranges of characters that are dropped, except letters and punctuation.

Marks that are optional in their script, fillers, variation selectors and skin tones.
"""
_LETTERS = {
    "ı": "i", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
    "ħ": "h", "Ħ": "H", "ŧ": "t", "Ŧ": "T", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
    "ى": "ي", "ی": "ي", "ک": "ك", "ہ": "ه",
}  # fmt: skip
"""Replacements of letters that Unicode does not decompose.

Strokes and ligatures of Latin, letters of Arabic that keyboards of neighbouring languages type
differently.
"""
_PICTOGRAPHS = ((0x2190, 0x23FF), (0x2600, 0x27BF), (0x2B00, 0x2BFF), (0x1F000, 0x1FAFF))
"""Unicode blocks of symbols that people use as words.

Frames, shapes and spinners of programs are not among them.
"""
_FLAG = lazy_pattern("[\U0001f1e6-\U0001f1ff]{1,2}")
_APART = lazy_pattern(f"{_FLAG.pattern}|[\u2120\u2122]")
"""Flags, which are pairs, and trademark signs.

Trademark signs would become letters of the preceding word.
"""
_RUN = lazy_pattern(
    "[\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\U00020000-\U000323af"  # Chinese, Japanese, Korean
    "\u0e00-\u0eff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Thai, Lao, Burmese
    "\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u1b00-\u1b4f\ua980-\ua9df\ua000-\ua4cf]+"
)  # Khmer, Tai, Balinese, Javanese, Yi
"""A run of characters in a script without spaces or with attached particles."""
MAX_LENGTH = 200
"""Maximum length of an indexed term in characters.

People do not type longer terms, and PostgreSQL has a limit.
"""
_ALONE = lazy_pattern("[\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U000323af]")
"""Characters that can each be a word on their own."""

_LANGUAGES = {
    "russian": "\u0400-\u052f",
    "greek": "\u0370-\u03ff",
    "armenian": "\u0530-\u058f",
    "arabic": "\u0600-\u06ff",
    "hindi": "\u0900-\u097f",
    "tamil": "\u0b80-\u0bff",
}
"""Snowball stemmers by the characters of their scripts.

The script determines the stemmer, so that the language need not be detected.

Ukrainian, Bulgarian and Serbian get the Russian stemmer, Persian and Urdu the Arabic one: a query
and a text of one language are reduced alike, which is all that a search needs.
"""
_SCRIPT = lazy_pattern("|".join(f"(?P<{name}>^[{chars}]+$)" for name, chars in _LANGUAGES.items()))
_SHORT_I = lazy_pattern("(?<=[аеиоуыэюя])и$")
"""Final short i in Russian, whose diacritic is removed by normalisation."""
_UPPER = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f"
_LOWER = "a-z\u00df-\u00f6\u00f8-\u00ff\u03b1-\u03c9\u0430-\u044f"
_JOINT = lazy_pattern(f"(?<=[0-9{_LOWER}])(?=[{_UPPER}])|(?<=[{_UPPER}])(?=[{_UPPER}][{_LOWER}])")
"""Position between two parts of a camelCase name."""
MAX_NAME = 80
"""Maximum length of a name that is split; longer runs of letters are encoded data."""
_own = threading.local()


class _CharacterFolding(dict[int, str]):
    """Table of character replacements, filled as needed."""

    def __missing__(self, code: int) -> str:
        result = self[code] = _folded(chr(code), code)
        return result


def is_plain(text: str) -> bool:
    """Return whether a text needs no analysis.

    Such a text consists of letters and digits of ASCII, separated by characters that are not
    letters in any script.
    """
    return text.isascii() or _TELLING.search(text) is None


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, then character pairs.

    The pairs are taken from runs without spaces; a run of one character yields that character.
    """
    if is_plain(text):
        return WORD.findall(text.lower())
    found = _words(text)
    return found + [pair for run in _runs(found) for pair in _pairs(run)]


def indexed(text: str) -> str:
    """Return what a word index stores for a text.

    An index stores the terms of the text, in the form of `lexeme`, and single characters that may
    be words.
    """
    parts = name_parts(text)
    if is_plain(text):
        return f"{text}\n{' '.join(parts)}" if parts else text
    found = _words(text)
    runs = list(_runs(found))
    pairs = (pair for run in runs for pair in _pairs(run))
    alone = (one for run in runs if len(run) > 1 for one in _ALONE.findall(run))
    listed = [item for item in found if len(item) <= MAX_LENGTH]
    return " ".join([*map(lexeme, listed), *map(lexeme, pairs), *map(lexeme, [*alone, *parts])])


def split_name(name: str) -> list[str]:
    """Return the parts of a camelCase name as terms; else only the name.

    Example:
        >>> split_name("parseHTTPResponse"), split_name("Response")
        (['parse', 'http', 'response'], ['response'])
    """
    parts = _JOINT.split(name) if len(name) <= MAX_NAME else [name]
    return [term for part in parts for term in terms(part)]


def name_parts(text: str) -> list[str]:
    """Return the distinct parts of the camelCase names in a text.

    A part of one letter has no meaning alone.
    """
    if not _JOINT.search(text):
        return []
    found: dict[str, None] = {}
    for word in dict.fromkeys(WORD.findall(text)):
        if not (word.islower() or word.isupper()) and len(parts := split_name(word)) > 1:
            found |= dict.fromkeys(part for part in parts if len(part) > 1)
    return list(found)


def phrase(text: str) -> str:
    """Return an index query for one term or several adjacent terms."""
    return text if is_plain(text) else " ".join(map(lexeme, _words(text)))


def lexeme(term: str) -> str:
    """Return the index form of a term.

    Words of scripts with a stemmer are stemmed. What the index's tokeniser would split or lose is
    spelt in ASCII. The trailing letter prevents stemming.
    """
    term = script_stem(term)
    if term.isascii() or (term.isalnum() and max(term) <= "\uffff"):
        return term
    return f"q{term.encode('utf-8', 'replace').hex()}q"


def script_stem(term: str) -> str:
    """Return a term's stem; a term in another script is unchanged.

    Example:
        >>> script_stem("заказы"), script_stem("заказов"), script_stem("orders")
        ('заказ', 'заказ', 'orders')
    """
    return term if term.isascii() else _stem(term)


@lru_cache(maxsize=1 << 14)
def _stem(term: str) -> str:
    match = _SCRIPT.match(term)
    if match is None or match.lastgroup is None:
        return term
    language = match.lastgroup
    if language == "russian":
        term = _SHORT_I.sub("й", term)
    stemmers = _own.__dict__
    if language not in stemmers:
        from Stemmer import Stemmer

        stemmers[language] = Stemmer(language)  # not to be shared by threads
    stem: str = stemmers[language].stemWord(term)
    return stem


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", _APART.sub(r" \g<0> ", text)).translate(_CHARACTERS)
    return unicodedata.normalize("NFC", plain.casefold()).split()


def _runs(found: Iterable[str]) -> Iterable[str]:
    return (run for word in found if not word.isascii() for run in _RUN.findall(word))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(max(1, len(run) - 1))]


def _folded(char: str, code: int) -> str:
    """Return the replacement of a character in a decomposed text.

    The replacement is text, nothing, or the space between terms.
    """
    kind = unicodedata.category(char)
    if char in _LETTERS:
        return _LETTERS[char]
    if kind == "Cf" or (kind[0] not in "P" and kind != "Lo" and _within(code, _DROPPED)):
        return ""
    if char in "\u115f\u1160":  # fillers, which count as letters
        return ""
    if kind[0] in "LNM":
        return char
    if kind == "So" and _within(code, _PICTOGRAPHS):
        return char if _FLAG.match(char) else f" {char} "
    return " "


def _within(code: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= code <= last for first, last in ranges)


_CHARACTERS = _CharacterFolding()
