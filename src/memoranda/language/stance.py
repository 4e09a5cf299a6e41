"""What a rule prefers and what it rejects: "spaces, not tabs"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from memoranda.language.words import FUNCTION_WORDS, STOP_WORDS, stems, word_set, words

PHRASE = 2
"""Minimum words with a meaning of their own in a phrase that identifies what is rejected."""
READ = 2_048
"""Number of texts with cached stances."""

_REJECTS = (
    r"(?:not|never|no longer|no|do(?:n['\u2019]t| not)|stop(?= \w+ing\b)|avoid"
    r"|nicht(?: mehr)?|nie(?:mals)?(?: mehr)?|kein\w*|ya no|nunca|jam[a\u00e1]s|jamais"
    r"|pas|plus|n[\u00e3a]o|non|mai|pi[\u00f9u])"
)
_PLACES = (
    r"(?:instead of|in place of|rather than|(?:an)?statt|en (?:vez|lugar) de|au lieu d[eu']"
    r"|em vez d[eoa]|invece d[ie]l?)"
)
_MARK = r"(?:\s*[,;:(\u2014\u2013]\s*|\s+-\s+)(?:(?:and|und|y|et|e)\s+)?"
_END = r"(?P<wrong>[^,;:.!?()\n]{1,60})"
_REVOKES = re.compile(
    r"^\W*(?:(?:please|ok(?:ay)?|bitte|por favor|s['\u2019]il (?:te|vous) pla[i\u00ee]t)[\s,]+)?"
    r"(?:(?:you (?:can|could|may|should)|(?:can|could|will|would) you) (?:please )?"
    r"(?:stop|quit|cease)(?= \w+ing\b)"
    r"|(?:please )?(?:stop|quit|cease)(?= \w+ing\b)"
    r"|h[o\u00f6]re?n? (?:sie )?(?:bitte )?(?:damit )?auf,?(?= .*\bzu \w+en\b)"
    r"|(?:puedes )?(?:deja|deje|dejad|dejar) de|(?:tu peux )?arr[e\u00ea]te[rz]? d(?:e |['\u2019])"
    r"|(?:pode )?(?:pare|para|parar|deixe|deixa) de|(?:puoi )?(?:smett\w{1,4}) di)\s*"
    r"(?P<wrong>[^,;:.!?()\n]{1,60})",
    re.IGNORECASE,
)
"""End of what was done so far: "stop replying", not "stop the server"."""
_AFTER = re.compile(rf"(?:{_MARK}{_REJECTS}|\s{_PLACES})\s+{_END}", re.IGNORECASE)
"""Rejected alternative after the preferred one."""
_BEFORE = re.compile(
    rf"^\W*(?:(?:please|bitte)\s+)?{_REJECTS}\s+(?!(?:stop|quit)\b){_END}", re.IGNORECASE
)
"""Rejection at the beginning, perhaps with the preferred alternative after it."""
_NEGATION = re.compile(rf"\b{_REJECTS}\b|n['\u2019]t\b", re.IGNORECASE)
_LINK = re.compile(r"^[\s,;:.\u2014\u2013-]*(?:but|sondern|sino|mais|mas|ma)?\s*", re.IGNORECASE)
_EMPTY = (STOP_WORDS | FUNCTION_WORDS) | word_set(
    "always never please use used using prefer longer anymore any more now keep make must should"
    " immer nie niemals bitte nutze nutzen nimm verwende verwenden benutze ab jetzt mehr kein keine"
    " siempre nunca usa usar utiliza por favor ahora ya toujours jamais utilise utiliser"
    " d\u00e9sormais plus sempre usare use usamos agora instead stop avoid"
    " reply replying answer answering respond responding speak speaking talk talking"
    " every each mir uns me nos antworte antworten rede reden sprich sprechen"
)
BEGINS = 4
"""Number of characters that two forms of a verb share: "r\u00e9ponds", "r\u00e9pondre"."""


@dataclass(frozen=True, slots=True)
class Stance:
    """Stems of what a rule prefers and of what it rejects."""

    preferred: frozenset[str]
    rejected: frozenset[str]
    phrase: str = ""
    """What it rejects, as it is spelt, if it has several words with a meaning of their own."""
    revokes: bool = False
    """Whether it ends what was done so far: "stop replying in German"."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Read the stance of a sentence; one without a negation prefers all it names.

        Example:
            >>> found = Stance.of("Use spaces for indentation, not tabs.")
            >>> sorted(found.preferred), sorted(found.rejected)
            (['indent', 'space'], ['tab'])
        """
        revoked = _REVOKES.search(text)
        if found := revoked or _BEFORE.search(text):
            rest = text[found.end() :]
            return cls(
                _content(_LINK.sub("", rest)), *_rejected(found["wrong"]), revoked is not None
            )
        if found := _AFTER.search(text):
            rest = f"{text[: found.start()]} {text[found.end() :]}"
            return cls(_content(rest), *_rejected(found["wrong"]))
        return cls(_content(text), frozenset())

    def replaces(self, earlier: Stance) -> bool:
        """Return whether an earlier rule is void beside this later one.

        It prefers what this one rejects and names nothing else that this one does not name, or it
        rejects exactly what this one prefers. A revocation may have other forms of its words.
        """
        if self.revokes:
            return _are_forms(self.rejected, earlier.preferred)
        if self.rejected and self.rejected <= earlier.preferred:
            rest = earlier.preferred - self.rejected
            return rest <= self.preferred and not (self.preferred and self.preferred <= rest)
        return bool(self.preferred) and not earlier.preferred and earlier.rejected == self.preferred

    def rejects_words_of(self, text: str) -> bool:
        """Return whether a text without a negation has the rejected phrase.

        Example:
            >>> rule = Stance.of("Match prices by zone, never line by line.")
            >>> rule.rejects_words_of("Decision: lists are compared line by line.")
            True
        """
        if not self.phrase or _NEGATION.search(text):
            return False
        return f" {self.phrase} " in f" {' '.join(words(text))} "

    def agrees(self, other: Stance) -> bool:
        """Return whether both reject the same and one prefers no less than the other."""
        if not self.rejected or self.rejected != other.rejected:
            return False
        return self.preferred <= other.preferred or other.preferred <= self.preferred


def _rejected(text: str) -> tuple[frozenset[str], str]:
    phrase = " ".join(words(text))
    meaningful = [word for word in phrase.split() if word not in _EMPTY]
    return _content(text), phrase if len(meaningful) >= PHRASE else ""


def _content(text: str) -> frozenset[str]:
    return frozenset(stems(word for word in words(text) if word not in _EMPTY))


def _are_forms(some: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two sets have the same stems, some perhaps of other verb forms."""
    left = (some - others, others - some)
    return bool(some and others) and all(
        any(one.startswith(other[:BEGINS]) or other.startswith(one[:BEGINS]) for other in beside)
        for own, beside in (left, left[::-1])
        for one in own
    )


@lru_cache(maxsize=READ)
def stance(text: str) -> Stance:
    """Return the stance of a sentence, cached."""
    return Stance.of(text)
