"""The floor of searches in work is where few everyday questions find something."""

from __future__ import annotations

import random
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from measuring.score_fit import FOUND, WORK_NAMES, fit_work_floor  # noqa: E402

sys.path.remove(str(BENCHMARKS))  # the tests have modules of the same names


def test_the_floor_lets_few_everyday_questions_pass() -> None:
    rng = random.Random(5)

    def row(category: str, near: float) -> dict[str, object]:
        values = {name: rng.uniform(0, 1) for name in WORK_NAMES} | {"near": near + rng.gauss(0, 1)}
        return {"category": category, "label": [category == "own"], "work": values}

    rows = [row("own", 3.0) for _ in range(300)] + [row("ordinary", 0.0) for _ in range(300)]
    floor = fit_work_floor(rows)
    assert floor == fit_work_floor(rows)
    sums = {
        name: [
            sum(floor.odds[key] * value for key, value in one["work"].items()) >= floor.floor  # type: ignore[attr-defined]
            for one in rows
            if one["category"] == name
        ]
        for name in ("own", "ordinary")
    }
    assert sum(sums["ordinary"]) / 300 <= FOUND + 0.01
    assert sum(sums["own"]) / 300 > 0.7
