"""Form of the numbers that calibrate scores for one kind of records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CalibrationFit:
    """Fitted numbers; log odds are natural logarithms."""

    odds: Mapping[str, float]
    """What each signal adds to the log odds that one of the ten best hits answers."""
    offset: float
    first_slope: float
    """From these log odds to those of the very best hit."""
    first_offset: float
    distance: float
    """What a point of evidence less takes from the log odds of a further hit."""


@dataclass(frozen=True, slots=True)
class CosineFit:
    """Fitted numbers for hits whose nearness in meaning alone is known."""

    slope: float
    offset: float
    floor: float
    """Cosine of the nearest hit below which nothing is found."""


@dataclass(frozen=True, slots=True)
class MatchFloor:
    """Chosen numbers below which nothing is found."""

    share: float
    """Weight of the share of the query's words, by rarity, that one passage has.

    It is added to the log odds that one of the ten best hits answers.
    """
    least: Mapping[str, float]
    """Sum below which nothing is found, by the kind of records."""
    meaning: Mapping[str, float]
    """Log odds that are enough by themselves: an answer may share no word with its question."""


@dataclass(frozen=True, slots=True)
class WordsFit:
    """Fitted numbers that decide whether words alone are enough to return a hit."""

    answered: float
    """Weight of the log odds that one of the ten best hits answers."""
    rarity: float
    """Weight of the rarities of the words that one passage has."""
    share: float
    """Weight of their share of all words of the query."""
    floors: Mapping[str, float]
    """Sum below which nothing is found, by the kind of records."""
