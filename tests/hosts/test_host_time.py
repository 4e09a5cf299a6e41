"""The benchmark of hook time runs with a real host."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "benchmarks" / "host_time.py"


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("programs")
def test_time_of_a_host_is_measured_without_and_with_hooks() -> None:
    command = [sys.executable, str(BENCH), "--hosts", "codex", "--rounds", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=550, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (figures,) = json.loads(done.stdout)["figures"].values()
    assert figures["hook calls in a session"]["value"] == 9
    bare, hooked = (figures[f"{kind} hooks, median"]["value"] for kind in ("without", "with"))
    assert figures["with / without"]["value"] == pytest.approx(hooked / bare)
