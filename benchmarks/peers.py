"""Compare adding and searching records in Memoranda, mem0 and LangGraph.

All use the same embedding model and store on disk; mem0 runs without a language model
(``infer=False``). All get the same batches in turn, and then the same questions in turn, so that
other load affects all of them alike.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from latency import Talk
from measuring.report import Report, parser, progress, quantile
from measuring.subjects import HITS, LangGraph, LangGraphInMemory, Mem0, Ours, SharedModel, Subject

BATCH = 250
WARM_UP = 5
OURS = "Memoranda"
INSTALL = (
    "not installed: pip install mem0ai==2.2.1 faiss-cpu==1.15.1 "
    "langgraph==1.2.22 langgraph-checkpoint-sqlite==3.1.2"
)


Maker = Callable[[Path, SharedModel], Subject]


def makers(store: str) -> dict[str, Maker]:
    """Return the constructor of each subject, by name."""
    loads = hasattr(sqlite3.Connection, "enable_load_extension")
    return {
        OURS: Ours,
        f"mem0, {store}": lambda folder, model: Mem0(folder, model, store),
        "LangGraph, SQLite" if loads else "LangGraph, in memory": (
            LangGraph if loads else LangGraphInMemory
        ),
    }


@contextmanager
def opened(
    wanted: Mapping[str, Maker], folder: Path, model: SharedModel
) -> Iterator[tuple[dict[str, Subject], list[str]]]:
    """Yield the available subjects, each in its own folder, and missing names."""
    made: dict[str, Subject] = {}
    missing = []
    with ExitStack() as stack:
        for name, maker in wanted.items():
            place = folder / name
            place.mkdir(parents=True)
            try:
                made[name] = maker(place, model)
            except ImportError:
                missing.append(name)
            else:
                stack.callback(made[name].close)
        yield made, missing


@dataclass(slots=True)
class Spent:
    """Seconds of one subject."""

    all: float = 0.0
    embedding: float = 0.0


def fill(
    subjects: Mapping[str, Subject], texts: Sequence[str], model: SharedModel
) -> dict[str, Spent]:
    """Add the same batches to all in turn; the first texts are not counted."""
    spent = {name: Spent() for name in subjects}
    for subject in subjects.values():
        subject.add(texts[:WARM_UP])
    for at in range(WARM_UP, len(texts), BATCH):
        for name, subject in subjects.items():
            progress(f"{name}: {at:,} of {len(texts):,}")
            before, began = model.seconds, time.perf_counter()
            subject.add(texts[at : at + BATCH])
            spent[name].all += time.perf_counter() - began
            spent[name].embedding += model.seconds - before
    return spent


def ask(subjects: Mapping[str, Subject], questions: Sequence[str]) -> dict[str, list[float]]:
    """Ask all the same questions in turn; return ms without the first ones."""
    took: dict[str, list[float]] = {name: [] for name in subjects}
    for number, question in enumerate(questions):
        for name, subject in subjects.items():
            began = time.perf_counter()
            found = subject.search(question)
            if number >= WARM_UP:
                took[name].append((time.perf_counter() - began) * 1e3)
            if not found:
                raise SystemExit(f"{name} found nothing at all: {question}")
    return took


def show(report: Report, section: str, found: Mapping[str, float], unit: str) -> None:
    """Report a value of each subject, with its ratio to Memoranda's."""
    for name, value in found.items():
        ratio = value / found[OURS]
        report.add(section, name, value, unit, "" if name == OURS else f"{ratio:.2f} x Memoranda")


def measure(report: Report, options: argparse.Namespace, folder: Path) -> None:
    """Fill and query all subjects; fill them again with cached vectors."""
    talk, model = Talk(options.seed), SharedModel()
    texts = [talk.record()[0] for _ in range(options.records + WARM_UP)]
    questions = [talk.question(texts) for _ in range(options.questions + WARM_UP)]
    wanted = makers(options.mem0_store)
    with opened(wanted, folder / "first", model) as (subjects, missing):
        spent = fill(subjects, texts, model)
        took = ask(subjects, questions)
    rates = {name: options.records / one.all for name, one in spent.items()}
    show(report, "added until found, embedding included", rates, "records/s")
    own = {name: one.embedding * 1e3 / options.records for name, one in spent.items()}
    show(report, "of it embedding", own, "ms each")
    model.remembers = True
    with opened(wanted, folder / "again", model) as (subjects, _):
        spent = fill(subjects, texts, model)
    rates = {name: options.records / (one.all - one.embedding) for name, one in spent.items()}
    show(report, "added until found, vectors known beforehand", rates, "records/s")
    for share in (0.5, 0.95):
        found = {name: quantile(times, share) for name, times in took.items()}
        show(report, f"search for {HITS}, p{share * 100:.0f}, embedding included", found, "ms")
    sizes = {name: bytes_of(folder / "first" / name) / 1e6 for name in subjects}
    show(report, "on disk", sizes, "MB")
    for name in missing:
        report.add("left out", name, INSTALL)


def bytes_of(folder: Path) -> int:
    """Return the size of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main(arguments: list[str] | None = None) -> int:
    """Measure every subject that is installed."""
    options = parser(__doc__)
    options.add_argument("--records", type=int, default=2_000)
    options.add_argument("--questions", type=int, default=100)
    options.add_argument("--mem0-store", choices=("faiss", "qdrant"), default="faiss")
    chosen = options.parse_args(arguments)
    report = Report("peers", vars(chosen))
    with tempfile.TemporaryDirectory(prefix="memoranda-peers-") as folder:
        measure(report, chosen, Path(folder))
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
