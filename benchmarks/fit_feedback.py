"""Fit the feedback classifier to data/feedback_turns.tsv and write it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from measuring.report import progress
from memoranda.feedback.turn import turn_of
from memoranda.feedback.vector_classifier import CLASSES, WEIGHTS, FeedbackModel, features_of
from memoranda.models.embedding.minilm import LocalEmbedder

TURNS = Path(__file__).with_name("data") / "feedback_turns.tsv"
CONSTRAINT = 6.0
"""The inverse of the L2 penalty on the sum of the losses; 6 and 20 made no difference."""
STEPS = 600
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled turn."""

    label: str
    before: str
    turn: str


def examples(file: Path) -> list[Example]:
    """Read tab-separated type, previous turn, turn; "none" is no feedback."""
    return [Example(*line.split("\t")) for line in file.read_text("utf-8").splitlines()[1:]]


def features(rows: Sequence[Example]) -> Any:
    """Embed the turns and those before them; return (n, features) float32."""
    texts = sorted({text for row in rows for text in (row.turn, row.before) if text})
    embedder, places = LocalEmbedder(), {text: at for at, text in enumerate(texts)}
    progress(f"{len(texts)} vectors")
    vectors = embedder.embed(texts)
    return np.stack([
        features_of(
            turn_of(row.turn, row.before or None),
            vectors[places[row.turn]],
            vectors[places[row.before]] if row.before else None,
        )
        for row in rows
    ])  # fmt: skip


def classes(rows: Sequence[Example]) -> Any:
    """Return the number of each example's class."""
    numbers = {str(kind) if kind else "none": at for at, kind in enumerate(CLASSES)}
    return np.array([numbers[row.label] for row in rows])


def fit(seen: Any, labels: Any) -> Any:
    """Minimise the penalised log loss by Nesterov's accelerated gradient.

    Returns the weights. The step is the inverse of a bound on the curvature.
    """
    count = len(seen)
    rows = np.hstack([seen, np.ones((count, 1))])
    wanted = np.eye(len(CLASSES))[labels]
    penalty = np.full((rows.shape[1], 1), 1 / (CONSTRAINT * count))
    penalty[-1] = 0
    step = 1 / (0.5 * np.linalg.norm(rows, 2) ** 2 / count + penalty[0, 0])
    weights = ahead = np.zeros((rows.shape[1], len(CLASSES)))
    pace = 1.0
    for _ in range(STEPS):
        scores = rows @ ahead
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        slope = rows.T @ (powers / powers.sum(axis=1, keepdims=True) - wanted) / count
        moved = ahead - step * (slope + penalty * ahead)
        faster = (1 + (1 + 4 * pace**2) ** 0.5) / 2
        ahead = moved + (pace - 1) / faster * (moved - weights)
        weights, pace = moved, faster
    return weights.astype(np.float32)


def cross_validated(seen: Any, labels: Any, seed: int) -> float:
    """Return the accuracy on turns left out of the fit (cross-validation)."""
    order = np.random.default_rng(seed).permutation(len(labels))
    right = 0
    for fold in range(FOLDS):
        fold_rows = order[fold::FOLDS]
        rest = np.setdiff1d(order, fold_rows)
        model = FeedbackModel("", fit(seen[rest], labels[rest]))
        right += int(
            (model.probabilities(seen[fold_rows]).argmax(axis=1) == labels[fold_rows]).sum()
        )
    return right / len(labels)


def main() -> int:
    """Fit, report the accuracy on held-out turns, and write the weights."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=Path, default=TURNS, help="tab-separated turns")
    options.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights go")
    options.add_argument("--seed", type=int, default=1, help="of the folds")
    chosen = options.parse_args()
    rows = examples(chosen.turns)
    seen, labels = features(rows), classes(rows)
    print(
        f"{len(rows)} turns, {FOLDS} folds: {cross_validated(seen, labels, chosen.seed):.3f} right"
    )
    weights = fit(seen, labels).astype(np.float16)
    np.savez_compressed(chosen.out, embedder=LocalEmbedder.name, weights=weights)
    print(f"{chosen.out.name}: {weights.size:,} weights, {chosen.out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
