"""Fit the utterance classifier to data/utterances and write it."""

from __future__ import annotations

import argparse
import json
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from measuring.report import progress
from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.models.embedding.word_vectors import shared_states
from memoranda.utterances.boundary_features import (
    GAP_BUCKETS,
    UtteranceWord,
    gap_rows,
    row_value,
    words_of,
)
from memoranda.utterances.classifier import cut_at, part_states
from memoranda.utterances.labels import LABELS
from memoranda.utterances.model import (
    WEIGHTS,
    FeatureModels,
    LinearHead,
    UtteranceModel,
    cut_probabilities,
    save_model,
)
from memoranda.utterances.part_features import BUCKETS, FeatureRow, feature_rows

DATA = Path(__file__).with_name("data") / "utterances"
CONSTRAINT = 0.8
"""The inverse of the L2 penalty on the sum of the losses."""
DOUBTS = (1.55, 1.2)
"""What scores are divided by, with the network and without.

Files of others are read less surely than those fitted to.
"""
STATES = 3.0
"""The length, on average, of the standardised states."""
STEPS = 60
PRACTICE = frozenset({"u6", "u7", "u8"})
"""Files written to show many forms of what is rare; shares of labels are those of the others."""
PLAIN = 0.65
"""The share of the model without the network in the scores with it.

The network knows English only: it alone makes plain rules of other languages unsure.
"""
OTHER_LANGUAGES = 3.0
"""The weight of a part that is not English: a fifth of all, in eight languages."""
MEMORY = 10
"""Pairs of differences that L-BFGS keeps."""


@dataclass(frozen=True, slots=True)
class Message:
    """A labelled message: the spans of its parts and their label numbers."""

    file: str
    language: str
    before: str
    text: str
    spans: tuple[tuple[int, int], ...]
    labels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Examples:
    """Inputs of a model as rows, and targets: gaps with cuts, labelled parts.

    ``states`` are (rows, states), ``classes`` and ``weights`` (rows,), with a mean weight of 1.
    """

    rows: list[FeatureRow]
    states: Any
    classes: Any
    weights: Any


def messages(files: Iterable[Path]) -> list[Message]:
    """Read files of labelled messages, in order."""
    return [
        _message(file.stem, json.loads(line))
        for file in files
        for line in file.read_text("utf-8").splitlines()
    ]


def _message(file: str, row: dict[str, Any]) -> Message:
    places, labels, at = [], [], 0
    for part in row["parts"]:
        start = row["text"].index(part["s"], at)
        at = start + len(part["s"])
        places.append((start, at))
        labels.append(LABELS.index(part["label"]))
    return Message(file, row["lang"], row["before"], row["text"], tuple(places), tuple(labels))


@dataclass(frozen=True, slots=True)
class Seen:
    """A message with its words and the states of the network."""

    message: Message
    words: list[UtteranceWord]
    states: Any
    sizes: Any


def seen(row: Message) -> Seen:
    """Compute the network's states of a message."""
    words = words_of(row.text)
    return Seen(row, words, *shared_states().of(row.before, [word.text for word in words]))


def gap_examples(found: Sequence[Seen]) -> Examples:
    """Return the gaps of messages, and whether their authors divided them."""
    gaps: list[tuple[Any, ...]] = []
    for one in found:
        starts = {start for start, _ in one.message.spans}
        for at, places in enumerate(gap_rows(one.words)):
            row = FeatureRow(places, (row_value(),) * len(places))
            both = np.concatenate([one.states[at], one.states[at + 1]])
            gaps.append((row, both, int(one.words[at + 1].start in starts), 1.0))
    return _gathered(gaps)


def part_examples(found: Sequence[Seen], cuts: Callable[[Seen], Any]) -> Examples:
    """Return the parts that authors marked, and others that a reader finds.

    ``cuts`` returns the probability of each gap. A part that is found elsewhere has the label that
    covers most of it, so that the model learns from parts with wrong boundaries.
    """
    parts: list[tuple[Any, ...]] = []
    for one in found:
        gold = _edges(one)
        parts += _parts(one, gold, set())
        edges = cut_at(cuts(one))
        parts += _parts(one, edges, set(pairwise(gold)))
    return _gathered(parts)


def _parts(one: Seen, edges: list[int], but: set[tuple[int, int]]) -> Iterator[tuple[Any, ...]]:
    spans = [(one.words[a].start, one.words[b - 1].end) for a, b in pairwise(edges)]
    texts = [one.message.text[start:end] for start, end in spans]
    rows = feature_rows(texts, one.message.before)
    means = part_states(one.states, one.sizes, edges)
    for ends, span, row, mean in zip(pairwise(edges), spans, rows, means, strict=True):
        if ends not in but:
            yield row, mean, _label(one.message, span), _weight(one.message)


def _weight(row: Message) -> float:
    return 1.0 if row.language == "en" else OTHER_LANGUAGES


def _label(row: Message, span: tuple[int, int]) -> int:
    """Return the number of the label that covers most of a span."""
    shared = [min(end, span[1]) - max(start, span[0]) for start, end in row.spans]
    return row.labels[shared.index(max(shared))]


def _edges(one: Seen) -> list[int]:
    """Return the first word number of each part, and the number of words."""
    starts = [word.start for word in one.words]
    firsts = {bisect_left(starts, start) for start, _ in one.message.spans}
    return [*sorted(first for first in firsts if first < len(starts)), len(starts)]


def _gathered(found: Sequence[tuple[Any, ...]]) -> Examples:
    rows, states, classes, weights = zip(*found, strict=True)
    shares = np.array(weights, np.float32)
    return Examples(list(rows), np.stack(states), np.array(classes), shares / shares.mean())


def fit(found: Sequence[Seen], steps: int = STEPS) -> UtteranceModel:
    """Fit all models to messages, with and without the network.

    The models of labels see parts that were found by gap models fitted to other messages.
    """
    cuts = _heads(gap_examples(found), GAP_BUCKETS, 2, steps)
    readers = {}
    for half in (0, 1):
        gaps = gap_examples(found[half::2])
        whole = _head(gaps, gaps.states, GAP_BUCKETS, 2, steps)
        readers.update(dict.fromkeys((one.message for one in found[1 - half :: 2]), whole))

    def probabilities(one: Seen) -> Any:
        return cut_probabilities(_binary(readers[one.message]), one.words, one.states)

    rows = part_examples(found, probabilities)
    shift = _shift([one.message for one in found])
    whole, plain = _heads(rows, BUCKETS, len(LABELS), steps)
    heads = (_mean(whole, plain), plain)
    labels = [_shifted(head, shift, doubt) for head, doubt in zip(heads, DOUBTS, strict=True)]
    readings = (FeatureModels(_binary(cut), label) for cut, label in zip(cuts, labels, strict=True))
    return UtteranceModel(LocalEmbedder.name, *readings)


def _shift(rows: Sequence[Message]) -> Any:
    """Return the log of how much commoner each label is among people than in all messages."""
    everyday = [row for row in rows if row.file not in PRACTICE]
    weights = [_weight(row) for row in rows]
    return np.log(_shares(everyday, [1.0] * len(everyday)) / _shares(rows, weights)).astype(
        np.float32
    )


def _shares(rows: Sequence[Message], weights: Sequence[float]) -> Any:
    labels = [label for row in rows for label in row.labels]
    each = [weight for row, weight in zip(rows, weights, strict=True) for _ in row.labels]
    counts = np.bincount(labels, each, minlength=len(LABELS)) + 1
    return counts / counts.sum()


def _mean(whole: LinearHead, plain: LinearHead) -> LinearHead:
    """Return a head with the weighted mean of the scores with the network and without."""
    rest = 1 - PLAIN
    sparse = rest * whole.sparse + PLAIN * plain.sparse
    return LinearHead(sparse, rest * whole.dense, rest * whole.bias + PLAIN * plain.bias)


def _shifted(head: LinearHead, shift: Any, doubt: float) -> LinearHead:
    """Return a head adjusted to other label shares and the score divisor."""
    return LinearHead(head.sparse / doubt, head.dense / doubt, (head.bias + shift) / doubt)


def _binary(head: LinearHead) -> LinearHead:
    """Return the single class equivalent to two: their log odds."""
    return LinearHead(
        *(part[..., 1:] - part[..., :1] for part in (head.sparse, head.dense, head.bias))
    )


def _heads(seen: Examples, buckets: int, classes: int, steps: int) -> tuple[LinearHead, LinearHead]:
    """Fit heads with the network and without."""
    return (
        _head(seen, seen.states, buckets, classes, steps),
        _head(seen, seen.states[:, :0], buckets, classes, steps),
    )


def _head(seen: Examples, states: Any, buckets: int, classes: int, steps: int) -> LinearHead:
    middle, spread = states.mean(axis=0), states.std(axis=0) + 1e-6
    factor = STATES / (spread * np.sqrt(max(1, states.shape[1])))
    dense = ((states - middle) * factor).astype(np.float32)
    wanted = np.eye(classes, dtype=np.float32)[seen.classes]
    found = _regression(Rows(seen.rows, buckets), dense, wanted, seen.weights, steps)
    inner = found[buckets:-1] * factor[:, None]
    return LinearHead(found[:buckets], inner, found[-1] - middle @ inner)


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


def _regression(sparse: Rows, dense: Any, wanted: Any, rates: Any, steps: int) -> Any:
    """Minimise the penalised log loss, each row's at its rate.

    Returns the weights: sparse, dense, and the constant's.
    """
    classes, inner = wanted.shape[1], dense.shape[1]

    def loss(flat: Any) -> tuple[float, Any]:
        weights = flat.reshape(-1, classes)
        outer = len(weights) - 1 - inner
        scores = sparse.times(weights[:outer]) + dense @ weights[outer:-1] + weights[-1]
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        wrong = (np.exp(logs) - wanted) * rates[:, None]
        slopes = (sparse.turned_times(wrong), dense.T @ wrong, wrong.sum(axis=0, keepdims=True))
        slope = np.concatenate(slopes)
        slope[:-1] += weights[:-1] / CONSTRAINT
        penalty = float((weights[:-1].astype(np.float64) ** 2).sum()) / (2 * CONSTRAINT)
        error = float((wanted * logs * rates[:, None]).sum(dtype=np.float64))
        return penalty - error, slope.ravel()

    start = np.zeros((sparse.buckets + inner + 1) * classes, np.float32)
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


def main() -> int:
    """Fit and write the weights."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=DATA, help="folder of labelled messages")
    options.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights go")
    options.add_argument("--steps", type=int, default=STEPS, help="of each fit")
    chosen = options.parse_args()
    rows = messages(sorted(chosen.data.glob("*.jsonl")))
    progress(f"{len(rows)} messages")
    save_model(fit([seen(row) for row in rows], chosen.steps), chosen.out)
    print(f"{chosen.out.name}: {chosen.out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
