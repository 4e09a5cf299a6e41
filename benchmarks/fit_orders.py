"""Fit the classifier of orders to labelled and package texts.

The texts of installed packages count as ordinary. The weights are written to a module.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import sqrt
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from logistic_regression import Rows, minimum
from measuring.report import progress
from memoranda.quarantine.normalization import fold
from memoranda.quarantine.order_model import (
    BUCKETS,
    WEIGHTS,
    FeaturedPassage,
    OrderWeights,
    runs,
    save_weights,
    together,
)
from memoranda.utterances.part_features import FeatureRow

DATA = Path(__file__).with_name("data") / "orders"
PROSE = ("*.md", "*.rst", "METADATA")
CODE = ("*.py",)
"""Files of installed packages whose paragraphs are ordinary texts."""
PARAGRAPH = re.compile(r"\n\s*\n")
SHORTEST = 30
MOST_OF_A_FILE = 100
"""Maximum paragraphs per file, so that many files are represented."""
PARAGRAPHS = 7_000
CONSTRAINT = 3.0
"""The inverse of the L2 penalty on the sum of the losses."""
ORDER, CLEAREST, ORDINARY = 6.0, 4.0, 3.0
"""Loss weights: an order, its clearest sentence, an ordinary text.

The other sentences of an order may be ordinary and count only together.
"""
STEPS, FIRST_STEPS = 80, 30


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text, and whether it orders an assistant to do something."""

    set: str
    text: str
    is_order: bool


def labelled(folder: Path = DATA) -> list[LabelledText]:
    """Read the labelled texts, in order."""
    return [
        LabelledText(row["set"], row["text"], name == "orders")
        for name in ("orders", "ordinary")
        for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()
        for row in [json.loads(line)]
    ]


def ordinary_paragraphs(most: int) -> list[str]:
    """Return at most ``most`` paragraphs of prose, and as many of code."""
    return package_paragraphs(PROSE, most) + package_paragraphs(CODE, most)


def package_paragraphs(patterns: Sequence[str], most: int) -> list[str]:
    """Return the same paragraphs of installed packages' texts each time."""
    root = Path(np.__file__).parents[1]
    paths = {path for pattern in patterns for path in root.rglob(pattern) if path.is_file()}
    mixed = sorted(paths, key=lambda path: crc32(str(path.relative_to(root)).encode()))
    every = (one for path in mixed for one in _paragraphs(path))
    return list(dict.fromkeys(islice(every, most)))


def _paragraphs(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8", errors="replace")
    for one in islice(PARAGRAPH.split(text), MOST_OF_A_FILE):
        if len(one) >= SHORTEST and "inject" not in one:
            yield one[:3_000]


@dataclass(frozen=True, slots=True)
class Row:
    """A passage to fit: its buckets, its label, and the weight of its loss."""

    buckets: tuple[int, ...]
    label: int
    weight: float


def fit(texts: Iterable[LabelledText], ordinary: Sequence[str], steps: int = STEPS) -> OrderWeights:
    """Fit a model to labelled texts and ordinary paragraphs.

    A first model chooses the clearest sentence of each order for the second one.
    """
    found = [(one.is_order, list(runs(fold(one.text).text))) for one in texts]
    orders = [every for is_order, every in found if is_order]
    rows = [row for every in orders for row in _rows(map(together, every), 1, ORDER)]
    others = [every for is_order, every in found if not is_order]
    for every in (*others, *(list(runs(fold(one).text)) for one in ordinary)):
        parts = [one for run in every if len(run) > 1 for one in run if not one.is_short]
        rows += _rows(chain(parts, map(together, every)), 0, ORDINARY)
    first = _fitted(rows, min(steps, FIRST_STEPS))
    clearest = [
        max(chain(*every), key=lambda one: (not one.is_short, first.score(one.features)))
        for every in orders
    ]
    return _fitted([*rows, *_rows(clearest, 1, CLEAREST)], steps)


def _rows(found: Iterable[FeaturedPassage], label: int, weight: float) -> list[Row]:
    return [Row(tuple(sorted(one.features)), label, weight) for one in found if one.features]


def _fitted(rows: Sequence[Row], steps: int) -> OrderWeights:
    rarity = _rarity(rows)
    scaled = [
        FeatureRow(
            one.buckets, tuple((rarity[list(one.buckets)] / sqrt(len(one.buckets))).tolist())
        )
        for one in rows
    ]
    weights = _regression(Rows(scaled, BUCKETS), rows, steps)
    return OrderWeights(tuple((weights[:-1] * rarity).tolist()), float(weights[-1]))


def _scaled(row: Row, rarity: Any) -> FeatureRow:
    values = rarity[list(row.buckets)] / sqrt(len(row.buckets))
    return FeatureRow(row.buckets, tuple(values.tolist()))


def _rarity(rows: Sequence[Row]) -> Any:
    """Return the inverse document frequency of each bucket, (buckets,)."""
    places = np.concatenate([one.buckets for one in rows])
    each = np.repeat([one.weight for one in rows], [len(one.buckets) for one in rows])
    counts = np.bincount(places, weights=each, minlength=BUCKETS)
    total = sum(one.weight for one in rows)
    return (np.log(total / (1 + counts)) + 1).astype(np.float32)


def _regression(sparse: Rows, rows: Sequence[Row], steps: int) -> Any:
    """Minimise the penalised log loss; return the weights, the constant last."""
    labels = np.array([one.label for one in rows])
    counts = np.array([one.weight for one in rows])

    def loss(flat: Any) -> tuple[float, Any]:
        scores = sparse.times(flat[:-1, None])[:, 0] + flat[-1]
        odds = 1 / (1 + np.exp(-scores))
        wrong = (counts * (odds - labels)).astype(np.float32)
        slope = np.append(sparse.turned_times(wrong[:, None])[:, 0], wrong.sum())
        slope[:-1] += flat[:-1] / CONSTRAINT
        penalty = float((flat[:-1].astype(np.float64) ** 2).sum()) / (2 * CONSTRAINT)
        logs = counts * (np.logaddexp(0, scores) - labels * scores)
        return penalty + float(logs.sum(dtype=np.float64)), slope.astype(np.float32)

    return minimum(loss, np.zeros(sparse.buckets + 1, np.float32), steps)


def main() -> int:
    """Fit and write the weights."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=DATA, help="folder of labelled texts")
    options.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights go")
    options.add_argument("--steps", type=int, default=STEPS, help="of the fit")
    options.add_argument("--paragraphs", type=int, default=PARAGRAPHS, help="of packages")
    chosen = options.parse_args()
    ordinary = ordinary_paragraphs(chosen.paragraphs)
    progress(f"{len(ordinary)} ordinary paragraphs")
    save_weights(fit(labelled(chosen.data), ordinary, chosen.steps), chosen.out)
    print(f"{chosen.out.name}: {chosen.out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
