"""Stores that a run makes once, and copies: to import the example session takes seconds."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memoranda import Memoranda
from memoranda.config import load_settings

TRANSCRIPT = Path(__file__).parents[1] / "examples" / "session" / "parcel-quotes.jsonl"


def made_once(folders: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a data directory which the first of the workers to come here makes; do not change it.

    It may be read by a copy alone: even to open a store writes beside it.
    """
    shared = folders.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    kept = shared / f"{name}-once"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            begun = shared / f"{name}-begun"
            shutil.rmtree(begun, ignore_errors=True)  # of a worker in which it failed
            make(begun)
            begun.rename(kept)
    return kept


def copied(store: Path, folder: Path) -> Path:
    """Return a copy of a data directory that a test may change."""
    return shutil.copytree(store, folder)


def import_example(folder: Path) -> None:
    """Make a data directory with the example session in a workspace, and nothing else."""
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as memory:
        memory.capture.import_transcript(TRANSCRIPT, workspace="parcel")
