"""Fit the utterance classifier to data/utterances, except the measured files."""

from __future__ import annotations

import argparse
import sys
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from labelled_messages import DATA, MEASURED, Message, messages
from logistic_regression import Rows, regression
from measuring.report import progress
from memoranda.models.embedding.contextual_word_vectors import MAX_BEFORE, MAX_WORD
from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.models.embedding.wordpiece import WordPiece
from memoranda.utterances.boundary_features import (
    GAP_BUCKETS,
    UtteranceWord,
    gap_rows,
    row_value,
    words_of,
)
from memoranda.utterances.classifier import cut_at
from memoranda.utterances.fitted_model import (
    WEIGHTS,
    FeatureModels,
    LinearHead,
    UtteranceModel,
    cut_probabilities,
)
from memoranda.utterances.labels import LABELS
from memoranda.utterances.network_weights import NETWORK
from memoranda.utterances.part_features import BUCKETS, FeatureRow, feature_rows
from utterance_files import save_model, save_network
from utterance_network import NetworkExample, fit_network

DOUBTS = (1.36, 1.2)
"""What scores are divided by, with the network and without.

Files of other authors are classified with less certainty than those fitted to.
"""
STEPS, EPOCHS = 60, 3
"""Steps of the fit of n-grams and cues; how often the network reads each message."""
PRACTICE = frozenset({"u6", "u7", "u8"})
"""Files written to show many forms of what is rare; shares of labels are those of the others."""
PLAIN = 0.5
"""The share of the scores without the network in the scores with it."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Feature rows with their classes (rows,) and weights (rows,), of mean 1."""

    rows: list[FeatureRow]
    classes: Any
    weights: Any


@dataclass(frozen=True, slots=True)
class FittedUtterances:
    """The fitted model, and the tensors of its network by name."""

    model: UtteranceModel
    tensors: dict[str, Any]


def gap_examples(rows: Sequence[Message]) -> Examples:
    """Return the gaps of messages, and whether their authors divided them."""
    examples: list[tuple[FeatureRow, int, float]] = []
    for row in rows:
        words = words_of(row.text)
        for places, ends in zip(gap_rows(words), _ends(row, words), strict=True):
            features = FeatureRow(places, (row_value(),) * len(places))
            examples.append((features, int(ends), 1.0))
    return _gathered(examples)


def part_examples(rows: Sequence[Message], divisions: Sequence[Sequence[list[int]]]) -> Examples:
    """Return the parts of messages in each of their divisions."""
    examples: list[tuple[FeatureRow, int, float]] = []
    for row, edges_of in zip(rows, divisions, strict=True):
        words, known = words_of(row.text), set[tuple[int, int]]()
        for edges in edges_of:
            spans = [(words[a].start, words[b - 1].end) for a, b in pairwise(edges)]
            features = feature_rows([row.text[start:end] for start, end in spans], row.before)
            for ends, span, one in zip(pairwise(edges), spans, features, strict=True):
                if ends not in known:
                    examples.append((one, _label(row, span), row.weight))
            known |= set(pairwise(edges))
    return _gathered(examples)


def network_example(row: Message, edges_of: Sequence[list[int]]) -> NetworkExample:
    """Return a message as the network reads it, with the parts of each division."""
    pieces, words = WordPiece(), words_of(row.text)
    tokens = list(pieces.ids(row.before, MAX_BEFORE))
    last, first = tokens[-1], len(tokens)
    by_word = [pieces.ids(word.text, MAX_WORD)[1:-1] for word in words]
    starts = list(accumulate((len(found) for found in by_word), initial=first))
    ends = sorted({pair for edges in edges_of for pair in pairwise(edges)})
    spans = [(words[a].start, words[b - 1].end) for a, b in ends]
    return NetworkExample(
        tokens=(*tokens, *(token for found in by_word for token in found), last),
        words=tuple((start, max(end, start + 1)) for start, end in pairwise(starts)),
        ends=tuple(_ends(row, words)),
        parts=tuple((starts[a], max(starts[b], starts[a] + 1)) for a, b in ends),
        labels=tuple(_label(row, span) for span in spans),
        weight=row.weight,
    )


def _ends(row: Message, words: Sequence[UtteranceWord]) -> list[bool]:
    """Return for each word but the last whether the author's part ends after it."""
    firsts = {start for start, _ in row.spans}
    return [word.start in firsts for word in words[1:]]


def _label(row: Message, span: tuple[int, int]) -> int:
    """Return the number of the label that covers most of a span."""
    shared = [min(end, span[1]) - max(start, span[0]) for start, end in row.spans]
    return row.labels[shared.index(max(shared))]


def _edges(row: Message, words: Sequence[UtteranceWord]) -> list[int]:
    """Return the first word number of each of the author's parts, and the number of words."""
    starts = [word.start for word in words]
    firsts = {bisect_left(starts, start) for start, _ in row.spans}
    return [*sorted(first for first in firsts if first < len(starts)), len(starts)]


def _gathered(examples: Sequence[tuple[FeatureRow, int, float]]) -> Examples:
    rows, classes, weights = zip(*examples, strict=True)
    shares = np.array(weights, np.float32)
    return Examples(list(rows), np.array(classes), shares / shares.mean())


def fit(rows: Sequence[Message], steps: int = STEPS, epochs: int = EPOCHS) -> FittedUtterances:
    """Fit all models to messages, with the network and without."""
    rows = [row for row in rows if words_of(row.text)]
    divisions = _divisions(rows, steps)
    cuts = _binary(_head(gap_examples(rows), GAP_BUCKETS, 2, steps))
    labels = _head(part_examples(rows, divisions), BUCKETS, len(LABELS), steps)
    examples = [network_example(*both) for both in zip(rows, divisions, strict=True)]
    network = fit_network(examples, epochs, len(LABELS))
    shift = _shift(rows)
    whole = (
        _mixed(cuts, *network.cuts),
        _shifted(_mixed(labels, *network.labels), shift, DOUBTS[0]),
    )
    plain = (cuts, _shifted(labels, shift, DOUBTS[1]))
    model = UtteranceModel(LocalEmbedder.name, FeatureModels(*whole), FeatureModels(*plain))
    return FittedUtterances(model, network.tensors)


def _divisions(rows: Sequence[Message], steps: int) -> list[list[list[int]]]:
    """Return each message's division by its author, and by a model fitted to others.

    So the models of labels learn from parts with wrong boundaries as well.
    """
    result: list[list[list[int]]] = [[] for _ in rows]
    for half in (0, 1):
        cuts = _binary(_head(gap_examples(rows[half::2]), GAP_BUCKETS, 2, steps))
        for at in range(1 - half, len(rows), 2):
            words = words_of(rows[at].text)
            predicted = cut_at(cut_probabilities(cuts, words, None))
            result[at] = [_edges(rows[at], words), predicted]
    return result


def _shift(rows: Sequence[Message]) -> Any:
    """Return the log of how much commoner each label is among people than in all messages."""
    everyday = [row for row in rows if row.file not in PRACTICE]
    weights = [row.weight for row in rows]
    return np.log(_shares(everyday, [1.0] * len(everyday)) / _shares(rows, weights)).astype(
        np.float32
    )


def _shares(rows: Sequence[Message], weights: Sequence[float]) -> Any:
    labels = [label for row in rows for label in row.labels]
    each = [weight for row, weight in zip(rows, weights, strict=True) for _ in row.labels]
    counts = np.bincount(labels, each, minlength=len(LABELS)) + 1
    return counts / counts.sum()


def _mixed(plain: LinearHead, dense: Any, bias: Any) -> LinearHead:
    """Return a head with the weighted mean of the scores with the network and without."""
    rest = 1 - PLAIN
    return LinearHead(PLAIN * plain.sparse, rest * dense, PLAIN * plain.bias + rest * bias)


def _shifted(head: LinearHead, shift: Any, doubt: float) -> LinearHead:
    """Return a head adjusted to other label shares and the score divisor."""
    return LinearHead(head.sparse / doubt, head.dense / doubt, (head.bias + shift) / doubt)


def _binary(head: LinearHead) -> LinearHead:
    """Return the single class equivalent to two: their log odds."""
    return LinearHead(
        *(part[..., 1:] - part[..., :1] for part in (head.sparse, head.dense, head.bias))
    )


def _head(examples: Examples, buckets: int, classes: int, steps: int) -> LinearHead:
    target = np.eye(classes, dtype=np.float32)[examples.classes]
    found = regression(Rows(examples.rows, buckets), target, examples.weights, steps)
    return LinearHead(found[:-1], np.zeros((0, classes), np.float32), found[-1])


def main() -> int:
    """Fit and write the weights."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=DATA, help="folder of labelled messages")
    options.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights go")
    options.add_argument("--network", type=Path, default=NETWORK, help="where the network goes")
    options.add_argument("--steps", type=int, default=STEPS, help="of each fit")
    options.add_argument("--epochs", type=int, default=EPOCHS, help="of the network")
    chosen = options.parse_args()
    files = sorted(chosen.data.glob("*.jsonl"))
    rows = messages(file for file in files if file.stem not in MEASURED)
    progress(f"{len(rows)} messages")
    fitted = fit(rows, chosen.steps, chosen.epochs)
    save_model(fitted.model, chosen.out)
    save_network(fitted.tensors, chosen.network)
    for file in (chosen.out, chosen.network):
        print(f"{file.name}: {file.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
