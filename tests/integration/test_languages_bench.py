"""A small run of the benchmark of search in several languages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_multilingual_model_finds_what_the_english_one_does_not() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "languages.py"), "--number", "3"]
    command += ["--embedders", "none", "multilingual", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    figures = json.loads(done.stdout)["figures"]
    by_words, found = (
        float(figures[name]["all, question in its language"]["value"].split(" / ")[1])
        for name in ("none", "multilingual")
    )
    assert by_words < 0.5 < found
    wrong = figures["multilingual"]["all, everyday question in its language, finds something"]
    assert float(wrong["value"]) <= 0.12, wrong
