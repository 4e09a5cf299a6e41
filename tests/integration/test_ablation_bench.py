"""A small run of the benchmark that switches parts of a context off."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "benchmarks" / "ablation.py"
PROJECT = BENCH.parent / "data" / "sessions" / "kiln.json"


def test_a_context_without_statements_contains_less(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / f"{name}.json").write_bytes(PROJECT.read_bytes())
    command = [sys.executable, str(BENCH), "--projects", str(tmp_path), "--budgets", "1000"]
    done = subprocess.run(
        [*command, "--refit", "--json"], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["figures"]["1,000 tokens, without"]
    assert figures["nothing"]["value"] == 1.0
    assert float(figures["section standing"]["value"].partition(" ")[0]) < 1.0
    assert figures["the project itself in the fit of the weights"]["value"] > 0.5
