"""A small run of the benchmark of recorded projects."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "benchmarks" / "sessions.py"


def test_a_small_project_is_included_completely_without_resolved_problems(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCH), "--budgets", "1000", "--json"]
    command += ["--plot", str(tmp_path / "told.svg")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    figure = json.loads(done.stdout)["figures"]["kiln"]["memoranda, 1,000 tokens"]
    assert figure["value"] == "1.00"
    assert figure["note"] == "told10 1.00, stale 0.00, one-off 0.00, still 0.00"
    assert (tmp_path / "told.svg").read_text("utf-8").startswith("<svg")
