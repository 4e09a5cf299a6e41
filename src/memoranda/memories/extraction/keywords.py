"""Keywords of a text, ranked by frequency and by early position."""

from __future__ import annotations

import re
from collections.abc import Collection

from memoranda.memories.extraction.lexicon import NO_KEYWORDS
from memoranda.statements.words import carries_content, stem

MOST = 10

_WORD = re.compile(r"[^\W\d_][\w.+#-]{2,40}")
_NAMED = 1.0
"""Bonus for a word of a name."""


def keywords(prose: str, named: Collection[str] = ()) -> tuple[str, ...]:
    """Return the keywords of a text in lower case, at most 10.

    The most significant come first. A word counts with its other forms, and is returned in its
    first form. Earlier words weigh more (the first twice as much as the last), as do those of
    ``named``, lower-case words of names.
    """
    weights: dict[str, float] = {}
    shown: dict[str, str] = {}
    length = max(1, len(prose))
    for match in _WORD.finditer(prose):
        word = match[0].lower().rstrip(".-")
        if len(word) < 3 or word in NO_KEYWORDS or not carries_content(word):
            continue
        root = stem(word)
        if root not in shown:
            shown[root] = word
            weights[root] = 1 - match.start() / length + _NAMED * (word in named)
        weights[root] += 1
    ranked = sorted(weights, key=lambda root: -weights[root])
    return tuple(shown[root] for root in ranked[:MOST])
