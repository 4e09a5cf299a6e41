"""Weights of the calibration, as printed by `benchmarks/fit_scores.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CalibrationFit:
    """Fitted numbers; log odds are natural logarithms."""

    odds: Mapping[str, float]
    """Weight of each signal in the log odds that one of the ten best hits answers the query."""
    offset: float
    first_slope: float
    """Factor that converts these log odds to those of the best hit."""
    first_offset: float
    distance: float
    """Decrease in the log odds of a lower-ranked hit per point of evidence below the best hit."""


@dataclass(frozen=True, slots=True)
class CosineFit:
    """Fitted numbers for hits for which only the cosine is known."""

    slope: float
    offset: float
    floor: float
    """Minimum cosine of the nearest hit; below it no hits are returned."""


@dataclass(frozen=True, slots=True)
class MatchFloor:
    """Thresholds below which no hits are returned."""

    share: float
    """Weight of the fraction of the query's words, weighted by rarity, that occur in a single
    passage.

    The weighted fraction is added to the log odds that one of the ten best hits answers the query.
    """
    least: Mapping[str, float]
    """Minimum sum at which hits are returned, by kind of records."""
    meaning: Mapping[str, float]
    """Log odds that are sufficient alone, since an answer may share no word with its question."""


@dataclass(frozen=True, slots=True)
class WorkFloor:
    """Fitted numbers that decide whether work records with vectors answer."""

    odds: Mapping[str, float]
    """Weight of each signal in the sum."""
    floor: float
    """Minimum sum, below which no hits are returned."""


@dataclass(frozen=True, slots=True)
class WordsFit:
    """Fitted numbers that decide whether words alone are sufficient for a hit."""

    answered: float
    """Weight of the log odds that one of the ten best hits answers the query."""
    rarity: float
    """Weight of the summed rarity of the query's words in one passage."""
    share: float
    """Weight of the fraction of the query's total rarity that those words represent."""
    floors: Mapping[str, float]
    """Minimum sum at which hits are returned, by kind of records."""


COSINE = CosineFit(slope=4.345, offset=-4.069, floor=0.178)
FLOOR = MatchFloor(
    share=4.0,
    least={"talk": 2.0, "work_words": 0.0, "talk_words": 0.5},
    meaning={"talk": 0.5},
)
"""Chosen using public questions that other stores answer; see docs/benchmarks.md."""
WORK = WorkFloor(odds={"near": 4.57, "rare": 0.84, "seen": 4.75, "words": -0.31}, floor=5.6)
"""Fitted to nine recorded projects; see docs/benchmarks.md."""
WORDS = WordsFit(answered=1.1, rarity=1.8, share=0.8, floors={"work_words": 3.8, "talk_words": 1.8})
"""Set manually using off-topic questions in ordinary words; see docs/benchmarks.md."""
FITS: Mapping[str, CalibrationFit] = {
    "work": CalibrationFit(
        odds={
            "meaning": 2.263,
            "covered": 0.738,
            "covered_window": 0.758,
            "both": 0.926,
            "known": 1.015,
            "seen": 1.852,
            "matched": 1.061,
            "rarity": 0.724,
            "names": 2.001,
            "date": 1.6,
            "size": 0.168,
        },
        offset=-5.629,
        first_slope=0.194,
        first_offset=-2.161,
        distance=0.568,
    ),
    "talk": CalibrationFit(
        odds={
            "meaning": 3.429,
            "covered": 0.149,
            "covered_window": 0.377,
            "both": 1.162,
            "known": 0.411,
            "seen": 0.429,
            "matched": 0.194,
            "rarity": 0.619,
            "names": 2.0,
            "date": 2.02,
            "size": -0.856,
        },
        offset=-1.502,
        first_slope=0.258,
        first_offset=-2.279,
        distance=1.268,
    ),
    "work_words": CalibrationFit(
        odds={
            "meaning": 0.0,
            "covered": 0.817,
            "covered_window": 0.995,
            "both": 0.0,
            "known": 2.258,
            "seen": 2.32,
            "matched": 1.748,
            "rarity": 0.895,
            "names": 2.023,
            "date": 1.672,
            "size": 0.09,
        },
        offset=-5.448,
        first_slope=0.375,
        first_offset=-2.507,
        distance=0.686,
    ),
    "talk_words": CalibrationFit(
        odds={
            "meaning": 0.0,
            "covered": 2.248,
            "covered_window": 3.207,
            "both": 0.0,
            "known": 0.555,
            "seen": 1.793,
            "matched": 1.783,
            "rarity": 0.346,
            "names": 2.011,
            "date": 3.894,
            "size": -0.457,
        },
        offset=-3.147,
        first_slope=0.528,
        first_offset=-2.105,
        distance=1.602,
    ),
}
"""Fits by kind of records: tool work or conversation, with vectors or by words alone."""
