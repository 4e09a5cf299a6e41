"""Fit the model of revised statements to data/revisions, except the measured file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memoranda.context.labelled_sentences import sentences
from memoranda.context.revisions import (
    BUCKETS,
    TERM,
    WEIGHTS,
    PersonStatement,
    Rarity,
    earlier_terms,
    later_terms,
    own_features,
    pair_features,
)
from memoranda.language.words import content_stems
from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.utterances.classifier import UtteranceClassifier
from memoranda.utterances.message_labels import labels_of

DATA = Path(__file__).parent / "data" / "revisions"
MEASURED = "test"
"""The file that is not fitted to."""
PENALTY, STEPS = 2.0, 300
"""Weight of the squared weights, and steps of the fit."""
LEVELS = (0.0, 0.7, 1.5)
FALSE = 0.1
"""Share of pairs without a revision that may be above the floor, among those of other authors."""


@dataclass(frozen=True, slots=True)
class StatementPair:
    """Two statements of a person, and whether the later ends or changes the earlier."""

    author: str
    earlier: str
    later: PersonStatement
    share: float
    common: int
    ends: bool


def pairs(file: Path, classifier: UtteranceClassifier) -> list[StatementPair]:
    """Read an author's pairs; of a later message, the sentence with most in common is read."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    rarity = Rarity([row["earlier"] for row in rows])
    result = []
    for row in rows:
        labels = labels_of(row["later"], classifier).stored()
        found = sentences(row["later"], labels)
        earlier = content_stems(row["earlier"])
        shares = [rarity.share(earlier, content_stems(one.text)) for one in found]
        best = max(range(len(found)), key=lambda at: (shares[at], found[at].lasting))
        later = PersonStatement.of(found, best)
        common = len(earlier & content_stems(later.text))
        result.append(
            StatementPair(file.stem, row["earlier"], later, shares[best], common, row["ends"])
        )
    return result


def rows(found: Sequence[StatementPair]) -> np.ndarray:
    """Return the features of pairs, (pairs, features + 1) float64; the last is 1 for the bias."""
    own = np.array([own_features(one.later) for one in found])
    both = np.array(
        [pair_features(one.earlier, one.later.text, one.share, one.common) for one in found]
    )
    terms = np.zeros((len(found), BUCKETS))
    for at, one in enumerate(found):
        terms[at, later_terms(one.later)] += TERM
        terms[at, earlier_terms(one.earlier)] += TERM
    return np.hstack([own, both, terms, np.ones((len(found), 1))])


def fit(features: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression (Adam, penalty on all but the bias)."""
    weights = np.zeros(features.shape[1])
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        chances = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (chances - ends) / len(ends)
        slope[:-1] += PENALTY * weights[:-1] / len(ends)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        change = mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        weights -= 0.05 * change
    return weights


def area(ends: np.ndarray, scores: np.ndarray) -> float:
    """Return how often a revision has a higher score than another pair (ROC AUC)."""
    ranks = scores.argsort().argsort() + 1
    found = ends.sum()
    return float((ranks[ends == 1].sum() - found * (found + 1) / 2) / (found * (len(ends) - found)))


def measure(found: Sequence[StatementPair], scores: np.ndarray) -> str:
    """Return the area, and the shares of revisions and of other pairs above each level."""
    ends = np.array([float(one.ends) for one in found])
    yes, no = scores[ends == 1], scores[ends == 0]
    shares = (f"{level}: {(yes > level).mean():.2f}/{(no > level).mean():.2f}" for level in LEVELS)
    return f"{found[0].author}: area {area(ends, scores):.3f}, found/false {', '.join(shares)}"


def main() -> None:
    """Measure each author with the weights of the others, then fit to all and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the pairs")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="file of the weights")
    options = parser.parse_args()
    classifier = UtteranceClassifier(LocalEmbedder())
    authors = [pairs(file, classifier) for file in sorted(options.data.glob("*.jsonl"))]
    others = np.zeros(0)
    for found in authors:
        fitted = [
            one for two in authors if two is not found and two[0].author != MEASURED for one in two
        ]
        scores = rows(found) @ fit(rows(fitted), np.array([float(one.ends) for one in fitted]))
        print(measure(found, scores))
        if found[0].author != MEASURED:
            ends = np.array([one.ends for one in found])
            others = np.concatenate([others, scores[~ends]])
    print("floor", round(float(np.quantile(others, 1 - FALSE)), 2))
    fitted = [one for found in authors if found[0].author != MEASURED for one in found]
    weights = fit(rows(fitted), np.array([float(one.ends) for one in fitted])).astype(np.float16)
    own = len(own_features(fitted[0].later))
    both = len(weights) - 1 - BUCKETS
    np.savez_compressed(
        options.out,
        own=weights[:own],
        pair=weights[own:both],
        terms=weights[both:-1],
        bias=weights[-1],
    )


if __name__ == "__main__":
    main()
