"""Parser of a query: its search terms, names and identifiers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoranda.search.words import STOP_WORDS, words
from memoranda.text import normalise

MAX_QUERY = 4_000
"""Maximum number of characters of a query that are read."""

_NAME = re.compile(r"[\w@]+(?:[./:\\-][\w@]+)*")
_UNLIKE_PROSE = re.compile(r"[./:\\-]|_\w|[a-z][A-Z]|[A-Za-z]\d|^[0-9a-f]{7,}$")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}")


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The words of a query, the rare kinds separately."""

    text: str
    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    """Names, paths, codes and CJK runs, which are matched by substring."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.words and not self.identifiers


def parse_query(text: str) -> ParsedQuery:
    """Split a query into words, in order.

    Stop words are dropped unless there is nothing else.
    """
    text = normalise(text)[:MAX_QUERY]
    listed = list(dict.fromkeys(words(text)))
    telling = [w for w in listed if w not in STOP_WORDS and (len(w) > 1 or _is_word(w))]
    named = [name for name in _NAME.findall(text) if _UNLIKE_PROSE.search(name)]
    identifiers = dict.fromkeys([*named, *_CJK.findall(text)])
    return ParsedQuery(
        text,
        tuple(telling or listed),
        tuple(found for found in identifiers if len(found) >= 3 or _CJK.fullmatch(found)),
    )


def _is_word(character: str) -> bool:
    """Return whether a single character is a word.

    That is a digit, a pictograph, a Chinese character.
    """
    return character.isdigit() or not (character.isascii() or character.islower())
