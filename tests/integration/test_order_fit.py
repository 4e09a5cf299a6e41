"""Small runs of the scripts that fit and evaluate the order classifier."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def ran(script: str, *arguments: str) -> str:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(BENCHMARKS / script), *arguments]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True, timeout=300
    ).stdout


def test_fitted_twice_the_weights_are_the_same_bytes(tmp_path: Path) -> None:
    files = [tmp_path / "first.npz", tmp_path / "second.npz"]
    for file in files:
        ran("fit_orders.py", "--paragraphs", "60", "--steps", "4", "--out", str(file))
    first, second = (file.read_bytes() for file in files)
    assert first == second


def test_the_benchmark_reports_the_shares_of_a_set_that_is_left_out() -> None:
    found = json.loads(
        ran("orders.py", "--only", "g", "--paragraphs", "300", "--steps", "15", "--json")
    )
    figures = found["figures"]["set g"]
    by_signs, with_model = (
        float(figures[f"orders quarantined {judge}"]["value"])
        for judge in ("by the signs", "with the model")
    )
    assert 0 < by_signs < 0.8 < with_model <= 1
    assert float(figures["ordinary texts quarantined with the model"]["value"]) < 0.5
