"""The fitted model for parts and labels, with and without the network.

Logistic regression, binary and multinomial (Hastie, Tibshirani and Friedman, "The Elements of
Statistical Learning", 4.4), on hashed features and, with the neural network, on the states of the
network. benchmarks/fit_utterances.py fits the model to messages that were written and labelled for
that purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.utterances.boundary_features import UtteranceWord, gap_rows, item_gaps, row_value
from memoranda.utterances.part_features import FeatureRow

if TYPE_CHECKING:
    from memoranda.ports import Vectors

WEIGHTS = Path(__file__).with_name("weights.npz")
_HEADS = ("cuts", "labels")


@dataclass(frozen=True, slots=True)
class LinearHead:
    """The weights of a linear model, float32."""

    sparse: Vectors
    """(buckets, classes)."""
    dense: Vectors
    """Shape: (states, classes); no rows in a model without the neural network."""
    bias: Vectors
    """(classes,)."""


@dataclass(frozen=True, slots=True)
class FeatureModels:
    """The models for one kind of features."""

    cuts: LinearHead
    """Model of whether a part ends at a gap; it has one class."""
    labels: LinearHead


@dataclass(frozen=True, slots=True)
class UtteranceModel:
    """The models with and without the network, and the network's embedder."""

    embedder: str
    whole: FeatureModels
    plain: FeatureModels


def cut_probabilities(
    head: LinearHead, words: Sequence[UtteranceWord], states: Vectors | None
) -> Vectors:
    """Return the probability that a part ends after each word but the last.

    The probability is 1 before an item of a list: the model was fitted to few lists and joins their
    items.
    """
    import numpy as np

    sparse = head.sparse[:, 0]
    sums = [row_value() * sparse[list(row)].sum() for row in gap_rows(words)]
    scores = np.array(sums, np.float32) + head.bias[0]
    if states is not None:
        scores += np.hstack([states[:-1], states[1:]]) @ head.dense[:, 0]
    result: Vectors = (1 / (1 + np.exp(-scores))).astype(np.float32)
    result[np.array(item_gaps(words), bool)] = 1.0
    return result


def label_probabilities(
    head: LinearHead, rows: Sequence[FeatureRow], states: Vectors | None
) -> Vectors:
    """Return the calibrated probability of each label for each part.

    The shape is (parts, labels).
    """
    import numpy as np

    scores = np.stack(
        [np.array(row.values, np.float32) @ head.sparse[list(row.places)] for row in rows]
    )
    scores += head.bias
    if states is not None:
        scores += states @ head.dense
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    result: Vectors = powers / powers.sum(axis=1, keepdims=True)
    return result


@cache
def packaged_model() -> UtteranceModel:
    """Load the model of the package, once."""
    return load_model(WEIGHTS)


def load_model(file: Path) -> UtteranceModel:
    """Load a model that benchmarks/fit_utterances.py wrote."""
    import numpy as np

    with np.load(file, allow_pickle=False) as arrays:

        def head(name: str) -> LinearHead:
            return LinearHead(
                arrays[f"{name}_sparse"] * arrays[f"{name}_scale"],
                arrays[f"{name}_dense"].astype(np.float32),
                arrays[f"{name}_bias"],
            )

        models, plain = (
            FeatureModels(*(head(f"{name}_{part}") for part in _HEADS))
            for name in ("whole", "plain")
        )
        return UtteranceModel(str(arrays["embedder"]), models, plain)
