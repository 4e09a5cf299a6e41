"""Amounts in statements, and when two amounts exclude each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.language.words import EMPTY, stem, word_set
from memoranda.statements.tokens import Token

_MAXIMUM = 4
"""Maximum number of amounts.

A statement with more amounts is a list of measurements that cannot be compared individually.
"""

_CHANGING = frozenset(
    stem(word)
    for word in word_set(
        "increase decrease reduce raise lower grow grown extend bump drop cut double halve adjust"
        " rise rose fell reach set change update improve expand revise schedule postpone move"
        " upgrade downgrade limit instead version"
    )
)
"""Stems that describe a change of an amount, not its subject."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in a statement, and the words that name what it measures."""

    number: float
    dimension: str
    near: frozenset[str]
    """Stems of the four words before the number and the two after it, except stems of change."""

    def excludes(self, other: Amount) -> bool:
        """Return whether both are about one quantity and cannot both be true.

        The result is False if each amount has a different adjacent word: "logs for 30 days",
        "backups for 90 days", "Flask 2.3", "Flask-WTF 1.1".
        """
        if self.number == other.number or self.dimension != other.dimension:
            return False
        if self.near.isdisjoint(other.near):
            return False
        return self.near <= other.near or other.near <= self.near


def amounts_of(tokens: Sequence[Token]) -> tuple[Amount, ...]:
    """Return the amounts in a statement; none if there are more than four.

    The size of a change ("by 20%") does not count.
    """
    places = [
        place
        for place, token in enumerate(tokens)
        if token.number is not None and not (place and tokens[place - 1].word == "by")
    ]
    if len(places) > _MAXIMUM:
        return ()
    return tuple(_amount(tokens, place) for place in places)


def _amount(tokens: Sequence[Token], place: int) -> Amount:
    near = _contents((*_words_before(tokens, place), *tokens[place + 1 : place + 3]))
    number, dimension = tokens[place].number or 0.0, tokens[place].dimension
    return Amount(number, dimension, near - _CHANGING or near)


def _words_before(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    """Return the words that may name the quantity before a number.

    For "the quota, which is now 5", the result is "the quota".
    """
    for at in range(place - 1, max(0, place - 6), -1):
        if tokens[at].word == "which":
            return tokens[max(0, at - 8) : at]
    return tokens[max(0, place - 4) : place]


def _contents(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.stem for token in tokens if _carries_content(token))


def _carries_content(token: Token) -> bool:
    return bool(token.word) and token.number is None and token.word not in EMPTY
