"""Amounts of a statement with what they are amounts of, and when two exclude each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.statements.tokens import Token
from memoranda.statements.words import EMPTY, names, stem

_MOST = 3
"""With more it is a list of measurements, of which no single one can be compared."""

_CHANGING = frozenset(
    stem(word)
    for word in names(
        "increase decrease reduce raise lower grow grown extend bump drop cut double halve adjust"
        " rise rose fell reach set change update improve expand revise schedule postpone move"
        " upgrade downgrade limit instead version"
    )
)
"""Stems that tell what became of an amount, and so not what it is an amount of."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of a statement, and what it is a number of."""

    number: float
    dimension: str
    near: frozenset[str]
    """Stems of four words before and two words behind, without those of change."""

    def excludes(self, other: Amount) -> bool:
        """Say whether both are about one quantity and cannot both be right.

        Not so where each has a word of its own beside it: "logs for 30 days", "backups for 90
        days", "Flask 2.3", "Flask-WTF 1.1".
        """
        if self.number == other.number or self.dimension != other.dimension:
            return False
        if self.near.isdisjoint(other.near):
            return False
        return self.near <= other.near or other.near <= self.near


def amounts_of(tokens: Sequence[Token]) -> tuple[Amount, ...]:
    """List the amounts of a statement; none where there are more than three."""
    places = [place for place, token in enumerate(tokens) if token.number is not None]
    if len(places) > _MOST:
        return ()
    return tuple(_amount(tokens, place) for place in places)


def _amount(tokens: Sequence[Token], place: int) -> Amount:
    around = (*tokens[max(0, place - 4) : place], *tokens[place + 1 : place + 3])
    near = frozenset(token.stem for token in around if _carries_content(token))
    number = tokens[place].number or 0.0
    return Amount(number, tokens[place].dimension, near - _CHANGING or near)


def _carries_content(token: Token) -> bool:
    return bool(token.word) and token.number is None and token.word not in EMPTY
