"""Logistic fit of the weights of a person's sentence to annotated projects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np

from measuring.projects import Project, tells
from memoranda.context import labelled_sentences

NAMES = tuple(labelled_sentences.WEIGHTS)
PENALTY = 1.0
"""Weight of the squared length of the weights, the bias excepted."""
STEPS = 50
"""Newton steps; the fit converges in fewer than ten."""


@dataclass(frozen=True, slots=True)
class SentenceRows:
    """Features of sentences, and whether the next session needs them."""

    features: Any
    """``(n, len(NAMES) + 1)`` float64; the last column is 1."""
    wanted: Any
    """``(n,)`` float64, 0 or 1."""

    @classmethod
    def joined(cls, rows: Sequence[SentenceRows]) -> SentenceRows:
        """Return the rows of several projects."""
        features = np.vstack([one.features for one in rows])
        return cls(features, np.concatenate([one.wanted for one in rows]))


def sentence_rows(project: Project) -> SentenceRows:
    """Return the rows of all sentences of a project's person."""
    found: list[tuple[str, Mapping[str, float]]] = []
    original = labelled_sentences._features

    def record(text: str, read: Any, at: int) -> dict[str, float]:
        found.append((text, features := original(text, read, at)))
        return features

    labelled_sentences._sentences.cache_clear()
    with patch.object(labelled_sentences, "_features", record):
        for session in project.sessions:
            for step in session["steps"]:
                if "user" in step:
                    labelled_sentences.sentences(step["user"])
    rows = [[*(features[name] for name in NAMES), 1.0] for _, features in found]
    keys = [project.items[name]["keys"] for name in project.wanted]
    wanted = [any(tells(one, text) for one in keys) for text, _ in found]
    return SentenceRows(np.array(rows), np.array(wanted, float))


def fit(rows: SentenceRows) -> dict[str, float]:
    """Return the weights of a penalised logistic regression, by Newton steps."""
    penalty = np.diag([PENALTY] * len(NAMES) + [1e-6])
    weights = np.zeros(len(NAMES) + 1)
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-rows.features @ weights))
        slope = rows.features.T @ (chances - rows.wanted) + penalty @ weights
        spread = rows.features * (chances * (1 - chances))[:, None]
        weights -= np.linalg.solve(spread.T @ rows.features + penalty, slope)
    return {name: float(weight) for name, weight in zip(NAMES, weights, strict=False)}
