"""Normalises text for matching: look-alikes and invisible characters.

The result is the text as a model may read it, with the original positions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memoranda.text import visible

_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u03bf\u03b1\u0391\u0392"
    "\u0395\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u0410\u0412\u0415\u041a\u041c\u041d\u041e"
    "\u0420\u0421\u0422\u0425\u0131",
    "aeopcyxijsdoaABEIKMNOPTABEKMHOPCTXi",
)
"""Cyrillic and Greek letters, mapped to the Latin letters that they resemble."""

_ALIKE_IN_NAMES = {
    **_LOOKALIKES,
    **str.maketrans(
        "\u03b9\u03ba\u03bd\u03c1\u03c4\u03c5\u03c7\u03b3\u03b5\u03b7\u03c9\u043a\u0442\u043c\u04cf\u04bb"
        "\u051b\u051d\u0261\u0251",
        "ikvptuxyenwktmlhqwga",
    ),
}
"""Further letters that resemble Latin letters only in short names, mapped in the same way."""
_ALIKE = re.compile(f"[{''.join(map(chr, _LOOKALIKES))}]")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_LATIN = re.compile("[a-zA-Z]")
_MIXED = re.compile(r"[^\W\d_]{2,40}")
_ESCAPED_SPACE = re.compile(r"\\[nrt]")
_COLOUR = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_CARRIES = re.compile(
    "[\u00ad\u180e\u200b-\u200d\u202a-\u202e\u2060-\u2068\ufe00-\ufe0f\ufeff\U000e0001-\U000e01ef]"
)
"""Any character that the other patterns match, for a fast pre-check."""
_TAGS = re.compile(r"(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001-\U000e007f]{1,200}")
"""Tag characters, which form the flag of a region after a black flag."""
_TURNING = re.compile("[\u202a\u202b\u202d\u202e\u2066-\u2068]")
"""Characters that change the direction of the following text."""
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_RUN = re.compile("[\u2060-\u2064\u200b\u180e]{4,200}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,200}")
"""Sequence of invisible characters that is longer than normal text needs."""
_INSIDE_WORDS = re.compile("[A-Za-z][\u00ad\u200b-\u200d\u2060\ufeff](?=[A-Za-z])")
_MAX_INSIDE = 3


@dataclass(frozen=True, slots=True)
class FoldedText:
    """Folded text, with the original position of each character."""

    text: str
    """The folded text, in lower case."""
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span of a non-empty part of the folded text."""
        return self.places[start], self.places[end - 1] + 1


def fold(text: str) -> FoldedText:
    """Fold a text in linear time; in an ASCII text, positions are unchanged."""
    if "\x1b" in text:
        text = _COLOUR.sub(lambda match: " " * len(match[0]), text)
    if text.isascii():
        plain = _ESCAPED_SPACE.sub("  ", text) if "\\" in text else text
        return FoldedText(plain.lower(), range(len(text)))
    return _folded(_with_latin(text))


def _folded(text: str) -> FoldedText:
    """Fold a text with non-ASCII characters.

    Non-ASCII characters are processed one at a time, and the text between them in one step, because
    most texts contain only a few non-ASCII characters, such as dashes.
    """
    characters: list[str] = []
    places: list[int] = []
    done = 0
    for run in _FOREIGN.finditer(text):
        start, end = run.span()
        characters.append(text[done:start].lower())
        places.extend(range(done, start))
        for place in range(start, end):
            plain = _plain(text[place])
            characters.append(plain)
            places.extend([place] * len(plain))
        done = end
    characters.append(text[done:].lower())
    places.extend(range(done, len(text)))
    return FoldedText(_ESCAPED_SPACE.sub("  ", "".join(characters)), places)


@lru_cache(maxsize=4_096)
def _plain(character: str) -> str:
    """Return the text that a non-ASCII character represents."""
    return visible(unicodedata.normalize("NFKC", character)).lower()


def _with_latin(text: str) -> str:
    """Convert words of mixed alphabets to Latin letters."""
    if not _ALIKE.search(text):
        return text
    return _MIXED.sub(lambda word: _in_latin(word[0]), text)


def _in_latin(word: str) -> str:
    if word.isascii() or not _LATIN.search(word):
        return word
    return word.translate(_LOOKALIKES)


@lru_cache(maxsize=1_024)
def name_skeleton(name: str) -> str:
    """Return a text that is the same for names that look alike.

    Width, case, invisible characters, and Cyrillic and Greek look-alikes make no difference.

    Example:
        >>> name_skeleton("\uff30\u0435rsona")
        'persona'
    """
    plain = visible(unicodedata.normalize("NFKC", name)).translate(_ALIKE_IN_NAMES).casefold()
    return plain.translate(_ALIKE_IN_NAMES)


def unnecessary_characters(text: str) -> tuple[int, int] | None:
    """Return the span of invisible characters that serve no purpose, or None."""
    if not _CARRIES.search(text):
        return None
    for pattern in (_TAGS, _RUN):
        if match := pattern.search(text):
            return match.span()
    turning = _TURNING.search(text)
    if turning and not _RIGHT_TO_LEFT.search(text):
        return turning.span()
    inside = [
        found.span() for found, _ in zip(_INSIDE_WORDS.finditer(text), range(8), strict=False)
    ]
    return (inside[0][0], inside[-1][1]) if len(inside) > _MAX_INSIDE else None
