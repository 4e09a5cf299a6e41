"""Compare one edit of a block with the same edit on LangGraph's store."""

from __future__ import annotations

import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring.report import Report, parser, quantile
from memoranda import Memoranda, NewBlock
from memoranda.config import load_settings

LABEL, LIMIT = "board", 20_000
INSTALL = "not installed: pip install langgraph==1.2.22 langgraph-checkpoint-sqlite==3.1.2"


def value_of(size: int, seed: int) -> str:
    """Return a numbered text of about ``size`` characters."""
    dice = random.Random(seed)
    words = ["alpha", "beta", "gamma", "delta", "stage", "build", "green", "later"]
    lines, length = list[str](), 0
    while length < size:
        lines.append(f"item {len(lines):05d} {' '.join(dice.choices(words, k=6))}")
        length += len(lines[-1]) + 1
    return "\n".join(lines)


def ours(folder: Path, value: str) -> tuple[Callable[[int], object], Callable[[], object]]:
    """Return the edit of a Memoranda block, and a function that closes it."""
    settings = load_settings({"data_dir": folder / "memoranda", "embedder": "none"})
    memory = Memoranda.open(settings=settings, workspace="edits")
    memory.blocks.create(NewBlock(LABEL, value, limit=LIMIT))
    return lambda n: memory.blocks.replace(LABEL, old(n), new(n)), memory.close


def langgraph(folder: Path, value: str) -> tuple[Callable[[int], object], Callable[[], object]]:
    """Return the edit of LangGraph's SQLite store, and its connection.

    The edit gets the value, changes it and puts it back; there is no history.
    """
    from langgraph.store.sqlite import SqliteStore  # type: ignore[import-not-found]

    connection = sqlite3.connect(folder / "langgraph.db", isolation_level=None)
    store: Any = SqliteStore(connection)
    store.setup()
    store.put(("blocks",), LABEL, {"value": value})

    def edit(n: int) -> None:
        stored = store.get(("blocks",), LABEL).value["value"]
        if stored.count(old(n)) != 1:
            raise SystemExit("the text to replace is not there once")
        store.put(("blocks",), LABEL, {"value": stored.replace(old(n), new(n))})

    return edit, connection.close


def old(n: int) -> str:
    """Return the text that the edit with a number replaces."""
    return f"item {n:05d}"


def new(n: int) -> str:
    """Return the text that the edit with a number inserts."""
    return f"done {n:05d}"


def main() -> int:
    """Make the same edits on both stores in turn."""
    options = parser(__doc__)
    options.add_argument("--edits", type=int, default=150)
    options.add_argument("--size", type=int, default=10_000, help="characters of the value")
    chosen = options.parse_args()
    report = Report("edits", vars(chosen))
    value = value_of(chosen.size, chosen.seed)
    with tempfile.TemporaryDirectory(prefix="memoranda-edits-") as folder:
        subjects = {"Memoranda": ours(Path(folder), value)}
        try:
            subjects["LangGraph, SQLite"] = langgraph(Path(folder), value)
        except ImportError:
            report.add("LangGraph, SQLite", INSTALL, 0)
        times: dict[str, list[float]] = {name: [] for name in subjects}
        for number in range(chosen.edits):
            for name, (edit, _) in subjects.items():
                began = time.perf_counter()
                edit(number)
                times[name].append((time.perf_counter() - began) * 1_000)
        for name, (_, end) in subjects.items():
            end()
            tail = f"p95 {quantile(times[name], 0.95):.2f}"
            report.add("one edit", name, round(quantile(times[name], 0.5), 2), "ms p50", tail)
        if len(times) > 1:
            first, second = (quantile(found, 0.95) for found in times.values())
            report.add("one edit", "Memoranda over LangGraph", round(first / second, 2), "p95")
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
