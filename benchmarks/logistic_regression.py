"""Multinomial logistic regression on sparse rows, with L-BFGS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memoranda.utterances.part_features import FeatureRow

CONSTRAINT = 0.8
"""The inverse of the L2 penalty on the sum of the losses."""
MEMORY = 10
"""Pairs of differences that L-BFGS keeps."""


class Rows:
    """Sparse rows as a matrix, with products of it and its transpose."""

    def __init__(self, rows: Sequence[FeatureRow], buckets: int) -> None:
        """Gather the rows; none may be empty."""
        self._columns = np.concatenate([np.array(row.places, np.intp) for row in rows])
        self._values = np.concatenate([np.array(row.values, np.float32) for row in rows])
        lengths = np.array([len(row.places) for row in rows])
        self._starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self._order = np.argsort(self._columns, kind="stable")
        self._numbers = np.repeat(np.arange(len(rows)), lengths)[self._order]
        self._used, self._firsts = np.unique(self._columns[self._order], return_index=True)
        self.buckets = buckets

    def times(self, weights: Any) -> Any:
        """Return the product with (buckets, classes)."""
        return np.stack(
            [
                np.add.reduceat(self._values * weights[self._columns, at], self._starts)
                for at in range(weights.shape[1])
            ],
            axis=1,
        )

    def turned_times(self, errors: Any) -> Any:
        """Return the product of the transposed matrix with (rows, classes)."""
        found = np.zeros((self.buckets, errors.shape[1]), np.float32)
        values = self._values[self._order]
        for at in range(errors.shape[1]):
            products = values * errors[self._numbers, at]
            found[self._used, at] = np.add.reduceat(products, self._firsts)
        return found


def regression(sparse: Rows, target: Any, rates: Any, steps: int) -> Any:
    """Minimise the penalised log loss, each row's at its rate.

    Returns the weights of the buckets, then the bias.
    """
    classes = target.shape[1]

    def loss(flat: Any) -> tuple[float, Any]:
        weights = flat.reshape(-1, classes)
        scores = sparse.times(weights[:-1]) + weights[-1]
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        wrong = (np.exp(logs) - target) * rates[:, None]
        slope = np.concatenate([sparse.turned_times(wrong), wrong.sum(axis=0, keepdims=True)])
        slope[:-1] += weights[:-1] / CONSTRAINT
        penalty = float((weights[:-1].astype(np.float64) ** 2).sum()) / (2 * CONSTRAINT)
        error = float((target * logs * rates[:, None]).sum(dtype=np.float64))
        return penalty - error, slope.ravel()

    start = np.zeros((sparse.buckets + 1) * classes, np.float32)
    return minimum(loss, start, steps).reshape(-1, classes)


def minimum(loss: Callable[[Any], tuple[float, Any]], at: Any, steps: int) -> Any:
    """Minimise by L-BFGS (Nocedal and Wright, "Numerical Optimization", 7.2)."""
    value, slope = loss(at)
    past: list[tuple[Any, Any, float]] = []
    for _ in range(steps):
        way = _direction(slope, past)
        fall, pace = float(slope @ way), 1.0 if past else 1.0 / float(np.abs(slope).sum())
        while True:
            ahead = at + np.float32(pace) * way
            found, steep = loss(ahead)
            if found <= value + 1e-4 * pace * fall or pace < 1e-6:
                break
            pace /= 2
        moved, bent = ahead - at, steep - slope
        curve = float(moved @ bent)
        if curve > 1e-8:
            past = [*past[1 - MEMORY :], (moved, bent, curve)]
        at, value, slope = ahead, found, steep
    return at


def _direction(slope: Any, past: Sequence[tuple[Any, Any, float]]) -> Any:
    way, shares = -slope, []
    for moved, bent, curve in reversed(past):
        shares.append(float(moved @ way) / curve)
        way = way - np.float32(shares[-1]) * bent
    if past:
        moved, bent, curve = past[-1]
        way = way * np.float32(curve / float(bent @ bent))
    for (moved, bent, curve), share in zip(past, reversed(shares), strict=True):
        way = way + np.float32(share - float(bent @ way) / curve) * moved
    return way
