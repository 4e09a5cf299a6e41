"""Negations and conditions in a text, each with its neighbouring terms.

The same rules are applied to both texts of a comparison, so that the results are comparable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoranda.language.words import GRAMMAR, spelt_words, stem

WIDTH = 4
"""Number of words that identify a negation or condition."""
_CLAUSE = re.compile(r"[.;:!?\n]+(?=\s|$)|\s+\u2026\s+|,?\s+\b(?:but|although|though|whereas)\b")
_CUES = {
    "denial": r"not|never|no|none|nobody|nothing|neither|nor|nowhere|cannot|without|hardly|unable"
    r"|avoid(?:s|ed|ing)?|forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?|refuse[sd]?",
    "if": r"if|when(?:ever)?|while|provided|assuming|as long as|in case",
    "unless": r"unless|except|otherwise",
    "before": r"until|till|before",
    "after": r"after|once|since",
    "only": r"only|solely|exclusively",
}
_CUE = re.compile(
    "|".join([rf"\b(?P<{name}>{cue})\b" for name, cue in _CUES.items()]) + r"|(?P<short>n't)\b",
    re.IGNORECASE,
)
_EMPTY = GRAMMAR | {"must", "do", "use", "please", "always"}


@dataclass(frozen=True, slots=True)
class ConditionScope:
    """Negation or condition, with the stems of adjacent words."""

    kind: str
    stems: frozenset[str]

    def within(self, other: ConditionScope) -> bool:
        """Return whether another scope has the same stems.

        All stems must match if there are at most two, otherwise all but one.
        """
        least = len(self.stems) - (len(self.stems) > 2)
        return self.kind == other.kind and len(self.stems & other.stems) >= least


def scopes(text: str) -> Iterator[ConditionScope]:
    """Yield the negations and conditions of a text by clause."""
    for clause in clauses(text):
        for cue in _CUE.finditer(clause):
            kind = "denial" if cue.lastgroup == "short" else cue.lastgroup or ""
            after = _content(clause[cue.end() :])[:WIDTH]
            yield ConditionScope(kind, frozenset(after or _content(clause[: cue.start()])[-WIDTH:]))


def asserted(text: str) -> list[frozenset[str]]:
    """Return the stems of each clause without a negation."""
    return [
        frozenset(_content(clause))
        for clause in clauses(text)
        if not any(scope.kind == "denial" for scope in scopes(clause))
    ]


def clauses(text: str) -> list[str]:
    """Return the clauses of a text."""
    return [part for part in _CLAUSE.split(text.replace("\u2019", "'")) if part.strip()]


def _content(text: str) -> list[str]:
    return [stem(word) for word in spelt_words(text) if word.lower() not in _EMPTY]
