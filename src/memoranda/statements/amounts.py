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
    dotted: bool
    """Written like a version: 2.3."""
    before: str
    """The word before it, empty where that says nothing by itself."""
    counted: frozenset[str]
    """Stems of the words right behind it: what there are so many of."""
    near: frozenset[str]
    """Stems of four words before and two words behind, without those of change."""

    def excludes(self, other: Amount) -> bool:
        """Say whether both are about one quantity and cannot both be right.

        Not so for versions of two products, and where each has a word of its own beside it:
        "logs for 30 days", "backups for 90 days".
        """
        if self.number == other.number or self.dimension != other.dimension:
            return False
        if not self.near & other.near or (self.near - other.near and other.near - self.near):
            return False
        if self.counted and other.counted and not self.counted & other.counted:
            return False
        versions = self.dotted and self.before and other.before
        return not versions or self.before == other.before


def amounts_of(tokens: Sequence[Token]) -> tuple[Amount, ...]:
    """List the amounts of a statement; none where there are more than three."""
    places = [place for place, token in enumerate(tokens) if token.number is not None]
    if len(places) > _MOST:
        return ()
    return tuple(_amount(tokens, place) for place in places)


def _amount(tokens: Sequence[Token], place: int) -> Amount:
    token = tokens[place]
    behind = _stems(tokens[place + 1 : place + 3])
    near = behind | _stems(tokens[max(0, place - 4) : place])
    return Amount(
        number=token.number or 0.0,
        dimension=token.dimension,
        dotted="." in token.text,
        before=_content(tokens[place - 1]) if place else "",
        counted=behind if not token.dimension else frozenset(),
        near=near - _CHANGING or near,
    )


def _stems(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.stem for token in tokens if _content(token))


def _content(token: Token) -> str:
    return token.word if token.number is None and token.word not in EMPTY else ""
