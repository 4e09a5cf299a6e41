"""Fit logistic regressions for search scores, and the cost of a floor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from memoranda.search.calibration_weights import CalibrationFit, CosineFit, WorkFloor

NAMES = (
    "meaning", "covered", "covered_window", "both", "known", "seen", "matched", "rarity", "names",
    "date", "size",
)  # fmt: skip
EXPECTED: Mapping[str, float] = {"names": 2.0, "date": 1.5}
"""Weights for which there is little data: a name, path or code; a day."""
NOISE = 0.5
"""Total weight of questions without an answer, relative to the others."""
FLOORS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
STEPS, DIGITS = 60, 3
LOST, MARGIN, MOST = 0.005, 0.8, 0.2
"""Share of answers a floor may lose, its margin, and the highest floor."""
WORK_NAMES = ("near", "rare", "seen", "words")
FOUND = 0.03
"""Share of everyday questions that may find something in records of work."""
Row = Mapping[str, Any]


def fit_kind(rows: Sequence[Row]) -> CalibrationFit:
    """Fit the probability that a question has an answer, then of each hit."""
    own = [row for row in rows if row["category"] == "own"]
    share = NOISE * len(own) / max(1, len(rows) - len(own))
    known = [row for row in rows if row["category"] != "own" or any(row["label"])]
    table = np.array([_values(row) for row in known])
    answered = np.array([any(row["label"]) for row in known], float)
    weights = np.array([1.0 if row["category"] == "own" else share for row in known])
    expected = np.array([EXPECTED.get(name, 0.0) for name in NAMES])
    found = _fitted(table, answered, weights, expected, 1.0)
    odds = dict(zip(NAMES, np.round(found[:-1], DIGITS).tolist(), strict=True))
    offset = round(float(found[-1]), DIGITS)
    hits = [
        (offset + _sum(row, odds), distance, label, 1.0 if row["category"] == "own" else share)
        for row in rows
        if row["label"]
        for distance, label in zip(row["distance"], row["label"], strict=True)
        if distance > -9
    ]
    seen = np.array(hits, float)
    second = _fitted(seen[:, :2], seen[:, 2], seen[:, 3], np.array([0.3, 0.7]), 1.0, positive=False)
    first, slope, last = (round(float(one), DIGITS) for one in second)
    return CalibrationFit(odds, offset, first, last, slope)


def fit_cosine(rows: Sequence[Row]) -> CosineFit:
    """Fit the probability of a hit by its cosine alone."""
    own = [row for row in rows if row["category"] == "own"]
    share = NOISE * len(own) / max(1, len(rows) - len(own))
    hits = [
        (cosine, label, 1.0 if row["category"] == "own" else share)
        for row in rows
        for cosine, label in zip(row["cosine"], row["label"], strict=True)
        if cosine > -9
    ]
    seen = np.array(hits, float)
    found = _fitted(seen[:, :1], seen[:, 1], seen[:, 2], np.array([10.0]), 1e-3, positive=False)
    answers = [max(row["cosine"]) for row in own if any(row["label"])]
    slope, offset = (round(float(one), DIGITS) for one in found)
    return CosineFit(slope, offset, _floor(answers, len(own)))


def fit_work_floor(rows: Sequence[Row]) -> WorkFloor:
    """Fit what separates answered questions on records of work from unanswerable ones."""
    known = [row for row in rows if row["category"] != "own" or any(row["label"])]
    table = np.array([[row["work"][name] for name in WORK_NAMES] for row in known])
    own = np.array([row["category"] == "own" for row in known])
    weights = np.where(own, 1.0, own.sum() / max(1, (~own).sum()))
    start = np.zeros(len(WORK_NAMES))
    found = _fitted(table, own.astype(float), weights, start, 0.05, positive=False)
    odds = dict(zip(WORK_NAMES, np.round(found[:-1], 2).tolist(), strict=True))
    sums = table @ np.array(list(odds.values()))
    everyday = np.array([row["category"] == "ordinary" for row in known])
    others = np.sort(sums[everyday])[::-1]
    floor = round(float(others[int(FOUND * len(others))]), 2)
    print(f"# work: {np.mean(sums[own] > floor):.3f} of the answers are left")
    return WorkFloor(odds, floor)


def _floor(answers: Sequence[float], count: int) -> float:
    """Return the highest floor, less a margin, that loses few enough answers."""
    lost = int(LOST * count)
    return round(min(MOST, MARGIN * sorted(answers)[lost]), DIGITS) if len(answers) > lost else 0.0


def show_curve(kind: str, rows: Sequence[Row], fit: CalibrationFit) -> None:
    """Print kept answers and matched nonsense for each floor."""
    own = [row for row in rows if row["category"] == "own"]
    others = sorted({row["category"] for row in rows} - {"own"})
    print(f"# {kind}: {len(own)} questions, {len(rows) - len(own)} without an answer")
    for floor in FLOORS:
        kept = np.mean([any(row["label"]) and chance_of(row, fit) >= floor for row in own])
        noise = {
            name: [chance_of(row, fit) >= floor for row in rows if row["category"] == name]
            for name in others
        }
        every = float(np.mean([one for found in noise.values() for one in found]))
        parts = ", ".join(f"{name} {np.mean(found):.3f}" for name, found in noise.items())
        print(f"#   floor {floor:g}: answered {kept:.3f}, nonsense {every:.3f} ({parts})")
    hits = [
        (_chance(fit.first_offset + fit.first_slope * _odds(row, fit) + fit.distance * d), label)
        for row in own
        for d, label in zip(row["distance"], row["label"], strict=True)
    ]
    for low, high in ((0, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 1)):
        inside = [(p, label) for p, label in hits if low <= p < high]
        if inside:
            predicted, true = np.mean(inside, axis=0)
            hits_inside = f"{len(inside)} hits, {predicted:.3f}, {true:.3f} answer"
            print(f"#   score {low:g} to {high:g}: {hits_inside}")


def chance_of(row: Row, fit: CalibrationFit) -> float:
    """Return the probability that a question has an answer; 0 without hits."""
    return _chance(_odds(row, fit)) if row["label"] else 0.0


def _odds(row: Row, fit: CalibrationFit) -> float:
    return fit.offset + _sum(row, fit.odds) if row.get("signals") else -30.0


def _chance(odds: float) -> float:
    return float(1 / (1 + np.exp(-odds)))


def _values(row: Row) -> list[float]:
    return [row["signals"][name] for name in NAMES]


def _sum(row: Row, odds: Mapping[str, float]) -> float:
    return float(sum(odds[name] * row["signals"][name] for name in NAMES))


def _fitted(
    table: Any, wanted: Any, weights: Any, expected: Any, penalty: float, *, positive: bool = True
) -> Any:
    """Return penalised weights and an offset, by bounded Newton steps.

    Signals of a match never count against an answer; only the size of the store may.
    """
    rows = np.c_[table, np.ones(len(table))]
    centre = np.r_[expected, 0.0]
    pull = np.r_[np.full(len(expected), penalty), 1e-6]
    free, found = np.ones(len(centre), bool), centre.copy()
    for _ in range(len(centre)):
        for _ in range(STEPS):
            chance = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
            slope = rows.T @ (weights * (chance - wanted)) + pull * (found - centre)
            bend = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + np.diag(pull)
            step = np.linalg.solve(bend[np.ix_(free, free)], slope[free])
            found[free] -= step * min(1.0, 2.0 / max(1e-9, float(np.abs(step).max())))
        against = (found < 0) & free if positive else np.zeros(len(found), bool)
        against[-1] = False
        if positive:
            against[NAMES.index("size")] = False
        if not against.any():
            break
        free[against], found[against] = False, 0.0
    return found
