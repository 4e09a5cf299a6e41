"""Small runs of the scripts that fit and evaluate the utterance models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
DATA = BENCHMARKS / "data" / "utterances"


@pytest.fixture(scope="module", autouse=True)
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what JAX compiles, which takes most of a fit, for the next process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAX_COMPILATION_CACHE_DIR", str(tmp_path_factory.mktemp("jax")))
        patch.setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
        yield


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return some messages of three files."""
    folder = tmp_path_factory.mktemp("utterances")
    for file in ("u1.jsonl", "u9.jsonl", "u19.jsonl"):
        lines = (DATA / file).read_text("utf-8").splitlines(keepends=True)
        (folder / file).write_text("".join(lines[:15]), "utf-8")
    return folder


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """Return the shortest messages of three files, for which few lengths are compiled."""
    folder = tmp_path / "short"
    folder.mkdir()
    for file in ("u1.jsonl", "u9.jsonl", "u19.jsonl"):
        lines = (DATA / file).read_text("utf-8").splitlines(keepends=True)[:40]
        (folder / file).write_text("".join(sorted(lines, key=len)[:12]), "utf-8")
    return folder


def ran(script: str, *arguments: str) -> str:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(BENCHMARKS / script), *arguments]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True, timeout=280
    ).stdout


def test_fitted_twice_the_weights_are_the_same_bytes(short: Path, tmp_path: Path) -> None:
    contents = []
    for name in ("first", "second"):
        files = tmp_path / f"{name}.npz", tmp_path / f"{name}-network.npz"
        ran(
            *("fit_utterances.py", "--data", str(short), "--out", str(files[0])),
            *("--network", str(files[1]), "--steps", "3", "--epochs", "1"),
        )
        contents.append([file.read_bytes() for file in files])
    assert contents[0] == contents[1]


def test_the_benchmark_reports_figures_of_a_held_out_file(few: Path) -> None:
    found = json.loads(ran("utterances.py", "--data", str(few), "--only", "u1", "--json"))
    figures = found["figures"]
    for way in ("with the network", "without"):
        assert 0 < float(figures[f"u1, {way}"]["macro-F1"]["value"]) < 1
        assert 0 <= float(figures[f"language en, {way}"]["false lasting"]["value"]) < 1
    assert not any(section.startswith("u9") for section in figures)
    assert all(found["claims"].values())


def test_the_reader_for_graders_agrees_with_the_classifier() -> None:
    program = (
        "import json, utterance_reader as reader\n"
        "print(json.dumps([reader.read('', 'run it'), reader.read_plain('', 'run it')]))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], cwd=BENCHMARKS, check=True, capture_output=True, text=True
    ).stdout
    for found in json.loads(shown):
        assert [(start, end, label) for start, end, label, _ in found] == [(0, 6, "order")]
