"""Fits the model of orders to labelled texts and to texts of installed packages, and writes it."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from fit_utterances import Rows, minimum
from measuring.report import progress
from memoranda.quarantine.normalization import fold
from memoranda.quarantine.order_model import (
    BUCKETS,
    WEIGHTS,
    OrderWeights,
    save_weights,
    window_features,
    windows,
)
from memoranda.utterances.features import FeatureRow

DATA = Path(__file__).with_name("data") / "orders"
PROSE = ("*.md", "*.rst", "METADATA")
CODE = ("*.py",)
"""Files of installed packages, whose paragraphs are ordinary texts."""
PARAGRAPH = re.compile(r"\n\s*\n")
SHORTEST = 30
MOST_OF_A_FILE = 100
"""Paragraphs that are read of a file, so that many files have a share."""
PROSE_WINDOWS, CODE_WINDOWS = 10_000, 10_000
CONSTRAINT = 1.0
"""The inverse of the L2 penalty on the sum of the losses."""
COPIES_OF_ORDERS, COPIES_OF_ORDINARY = 6, 3
"""How often a labelled text counts; one of a package counts once."""
STEPS = 80


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


def package_windows(patterns: Sequence[str], most: int) -> list[str]:
    """Return folded windows of the installed packages' texts, the same ones each time."""
    root = Path(np.__file__).parents[1]
    paths = {path for pattern in patterns for path in root.rglob(pattern) if path.is_file()}
    mixed = sorted(paths, key=lambda path: crc32(str(path.relative_to(root)).encode()))
    every = (one for path in mixed for one in _paragraphs(path))
    return list(dict.fromkeys(islice(every, most)))


def _paragraphs(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8", errors="replace")
    for one in islice(PARAGRAPH.split(text), MOST_OF_A_FILE):
        if len(one) >= SHORTEST and "inject" not in one:
            yield from (window for window in _folded_windows(one[:3_000]))


def _folded_windows(text: str) -> Iterator[str]:
    folded = fold(text).text
    yield from (folded[start:stop] for start, stop in windows(folded))


def fit(texts: Iterable[LabelledText], ordinary: Sequence[str], steps: int = STEPS) -> OrderWeights:
    """Fit a model to labelled texts and ordinary windows."""
    found: list[tuple[list[int], int]] = []
    for one in texts:
        copies = COPIES_OF_ORDERS if one.is_order else COPIES_OF_ORDINARY
        for window in _folded_windows(one.text):
            found += [(sorted(window_features(window)), int(one.is_order))] * copies
    found += [(sorted(window_features(window)), 0) for window in ordinary]
    found = [(places, label) for places, label in found if places]
    rarity = _rarity([places for places, _ in found])
    rows = [
        FeatureRow(tuple(places), tuple((rarity[places] / sqrt(len(places))).tolist()))
        for places, _ in found
    ]
    weights = _regression(Rows(rows, BUCKETS), np.array([label for _, label in found]), steps)
    return OrderWeights(tuple((weights[:-1] * rarity).tolist()), float(weights[-1]))


def _rarity(rows: Sequence[list[int]]) -> Any:
    """Return the inverse document frequency of each bucket, (buckets,)."""
    counts = np.bincount(np.concatenate(rows), minlength=BUCKETS)
    return (np.log(len(rows) / (1 + counts)) + 1).astype(np.float32)


def _regression(sparse: Rows, labels: Any, steps: int) -> Any:
    """Minimise the penalised log loss; return the weights, the constant last."""

    def loss(flat: Any) -> tuple[float, Any]:
        scores = sparse.times(flat[:-1, None])[:, 0] + flat[-1]
        odds = 1 / (1 + np.exp(-scores))
        wrong = (odds - labels).astype(np.float32)
        slope = np.append(sparse.turned_times(wrong[:, None])[:, 0], wrong.sum())
        slope[:-1] += flat[:-1] / CONSTRAINT
        penalty = float((flat[:-1].astype(np.float64) ** 2).sum()) / (2 * CONSTRAINT)
        logs = np.logaddexp(0, scores) - labels * scores
        return penalty + float(logs.sum(dtype=np.float64)), slope.astype(np.float32)

    return minimum(loss, np.zeros(sparse.buckets + 1, np.float32), steps)


def main() -> int:
    """Fit and write the weights."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, default=DATA, help="folder of labelled texts")
    options.add_argument("--out", type=Path, default=WEIGHTS, help="where the weights go")
    options.add_argument("--steps", type=int, default=STEPS, help="of the fit")
    options.add_argument("--ordinary", type=int, default=PROSE_WINDOWS, help="windows of prose")
    chosen = options.parse_args()
    code = CODE_WINDOWS * chosen.ordinary // PROSE_WINDOWS
    ordinary = package_windows(PROSE, chosen.ordinary) + package_windows(CODE, code)
    progress(f"{len(ordinary)} ordinary windows")
    save_weights(fit(labelled(chosen.data), ordinary, chosen.steps), chosen.out)
    print(f"{chosen.out.name}: {chosen.out.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
