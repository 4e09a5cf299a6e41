"""What a person typed, as words to look for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoranda.text import cjk_bigrams, normalise

MAX_QUERY = 4_000
"""Characters of a query that are read."""

_WORD = re.compile(r"[\w]+(?:['\u2019]\w+)?")
_NAME = re.compile(r"[\w@]+(?:[./:\\-][\w@]+)*")
_UNLIKE_PROSE = re.compile(r"[./:\\-]|_\w|[a-z][A-Z]|[A-Za-z]\d|^[0-9a-f]{7,}$")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}")

_STOP_WORDS = (
    "a about after again all also am an and any are as at be because been before being "
    "between both but by can could did do does doing done down for from get gets got had has "
    "have having he her here hers him his how i if in into is it its just last let like make "
    "me more most my no nor not now of off on once only or other our out over own please same "
    "she should so some such than that the their them then there these they this those "
    "through time to too under until up us use used using very was we were what when where "
    "which while who whom why will with would you your "
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that say how a question is put, not what it is about; question words among them."""


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The words of a query, the rare kinds apart."""

    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    """Names, paths, codes and CJK runs, to be matched by substring."""

    @property
    def empty(self) -> bool:
        """Whether nothing is left to look for."""
        return not self.words and not self.identifiers


def parse_query(text: str) -> ParsedQuery:
    """Split a query into words. Stop words go, unless nothing else is there.

    Longer words first: they are rarer, and an engine looks at a few words only.
    """
    text = normalise(text)[:MAX_QUERY]
    words = list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))
    telling = [word for word in words if word not in STOP_WORDS and len(word) > 1] or words
    named = [name for name in _NAME.findall(text) if _UNLIKE_PROSE.search(name)]
    identifiers = dict.fromkeys([*named, *_CJK.findall(text)])
    telling += cjk_bigrams(text)
    return ParsedQuery(
        tuple(sorted(telling, key=len, reverse=True)),
        tuple(found for found in identifiers if len(found) >= 3 or _CJK.fullmatch(found)),
    )
