"""Measure retrieval quality on public question sets, with 95 % intervals.

The harness is a Python file with ``load(path)``, which returns conversations, and
``run(conversations, adapter)``, which returns the scores of every question.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

from measuring.report import Report, parser, progress, quantile

OURS = "retrieval_adapter:Adapter"
LEFT_OUT = frozenset({"adversarial"})
"""Categories of questions without an answer in the conversation."""
RESAMPLES = 2_000
SHARE = 0.95


def harness(path: Path) -> Any:
    """Load a Python file as a module."""
    spec = spec_from_file_location("harness", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"this is no Python file: {path}")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look up their own module here
    spec.loader.exec_module(module)
    return module


def interval(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Return the bootstrap interval of the mean over the questions."""
    drawn = np.random.default_rng(seed).integers(0, len(values), (RESAMPLES, len(values)))
    means = np.sort(np.asarray(values)[drawn].mean(axis=1))
    outside = round(RESAMPLES * (1 - SHARE) / 2)
    return float(means[outside]), float(means[-outside - 1])


def measure(report: Report, module: Any, path: Path, adapter: str, limit: int) -> None:
    """Run one adapter over one set of questions."""
    section = f"{path.name} · {adapter}"
    progress(section)
    cases = module.load(str(path))
    try:
        found = module.run(cases[:limit] if limit else cases, adapter)
    except Exception as error:  # a harness adapter that cannot run does not stop the others
        report.add(section, "failed", f"{type(error).__name__}: {error}")
        return
    section = f"{path.name} · {found['label']}"
    rows = [scores for query, scores in found["rows"] if query.category not in LEFT_OUT]
    report.add(section, "questions", len(rows), "", f"{len(found['rows'])} with those left out")
    report.add(section, "items", found["items"])
    show(report, section, rows)
    p95 = f"p95 {quantile(found['lat'], 0.95):.1f}"
    report.add(section, "search", quantile(found["lat"], 0.5), "ms p50", p95)


def show(report: Report, section: str, rows: Sequence[Mapping[str, float]]) -> None:
    """Report the mean of every metric, and its interval."""
    seed = report.arguments["seed"]
    for metric in rows[0] if rows else ():
        values = [row[metric] for row in rows]
        low, high = interval(values, seed)
        mean = sum(values) / len(values)
        digits = 3 if mean <= 1 else 1
        note = f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
        report.add(section, metric, mean, "", note)


def main(arguments: list[str] | None = None) -> int:
    """Run every adapter over every set."""
    options = _options(arguments)
    report = Report("quality", vars(options))
    module = harness(options.harness)
    for path in options.data:
        for adapter in options.adapters:
            measure(report, module, path, adapter, options.limit)
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--harness", type=Path, required=True, help="its Python file")
    made.add_argument("--data", type=Path, nargs="+", required=True, help="sets of questions")
    made.add_argument("--adapters", nargs="+", default=[OURS], help="module:Class, or its names")
    made.add_argument("--limit", type=int, default=0, help="conversations of each set")
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
