"""Equivalent statements: "User prefers dark mode", "I like dark mode"."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from functools import lru_cache

from memoranda.language.sentences import sentences
from memoranda.language.words import stem, word_set
from memoranda.statements.claim import relation_of
from memoranda.statements.statement_mood import Tone

READ = 2_048
"""Number of texts whose claims are cached."""
_WORD = re.compile(r"\w[\w.+#/@:'\u2019-]*")
_ARTICLES = word_set("a an the my our")
_SPEAKER = ("user",)
_PASSIVE = re.compile(
    r"^(?P<value>.+?) (?:is|are) (?P<verb>preferred|liked|used) by (?P<subject>.+?)\W*$",
    re.IGNORECASE,
)
_MAX_SUBJECT = 6


@lru_cache(maxsize=READ)
def same_claim_key(text: str) -> Hashable | None:
    """Return a key that equivalent claims share; None if there is no claim.

    Equivalent claims may differ in articles, in "I" and "the user", in equivalent verbs and in the
    passive. A text of several sentences, a negation, a question and a statement about the past have
    no key.

    Example:
        >>> same_claim_key("The user likes dark mode") == same_claim_key("I prefer dark mode.")
        True
    """
    if len(sentences(text)) != 1:
        return None
    words = _words(text)
    tone = Tone.of(text, frozenset(words), words[0] if words else "")
    if tone.denied or tone.asks or tone.changes:
        return None
    if match := _PASSIVE.match(text):
        relation = relation_of(match["verb"].lower())
        return _key(_words(match["subject"]), relation, _words(match["value"]))
    for place, word in enumerate(words[1 : 1 + _MAX_SUBJECT], 1):
        if relation := relation_of(word):
            past = word.endswith("ed")
            return None if past else _key(words[:place], relation, words[place + 1 :])
    return None


def _key(subject: list[str], relation: str, value: list[str]) -> Hashable | None:
    who, what = _plain(subject), _plain(value)
    return (_SPEAKER if who == ("i",) else who, relation, what) if who and what else None


def _words(text: str) -> list[str]:
    return [found.lower().rstrip(".'\u2019:-") for found in _WORD.findall(text)]


def _plain(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(stem(word) for word in words if word not in _ARTICLES)
