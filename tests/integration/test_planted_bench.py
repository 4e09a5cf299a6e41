"""A small run of the benchmark of planted sentences."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_planted_sentences_are_kept_and_nothing_is_longer_than_its_source(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "session" / "parcel-rates.jsonl", tmp_path)
    command = [sys.executable, str(ROOT / "benchmarks" / "planted.py"), "--sessions", str(tmp_path)]
    command += ["--set", "held-out", "--ratios", "4", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    found = json.loads(done.stdout)
    stages = found["figures"]["stages 4:1"]
    assert float(stages["person"]["value"]) == 1.0
    assert float(stages["agent"]["value"]) >= 0.9
    assert float(stages["tool"]["value"]) >= 0.8
    assert stages["longer than their source"]["value"] == 0
