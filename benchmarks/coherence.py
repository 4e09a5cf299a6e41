"""Check contexts at many moments and budgets for contradictions."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring.coherence_checks import KINDS, ReportedText, Violation, violations
from measuring.moments import Moment, Recording, project, recording
from measuring.report import Report, parser, progress
from memoranda import Memoranda, NewBlock
from memoranda.config import load_settings
from memoranda.exceptions import MemorandaError
from memoranda.models.tokens import ToktokCounter

ROOT = Path(__file__).parents[1]
EXAMPLE = sorted((ROOT / "examples" / "session").glob("*.jsonl"))
PROJECTS = sorted((ROOT / "benchmarks" / "data" / "sessions").glob("*.json"))
BLOCKS = {
    "persona": "Answers in short sentences and names the file it speaks of.",
    "learned": "The nightly copy of the ledger takes the lock for two minutes.",
}
"""Blocks of every workspace, stored before the recording."""
LONGEST = 160
"""Maximum characters of a message that is used as a query."""


@dataclass(frozen=True, slots=True)
class Found:
    """A violation, and where it was found."""

    where: str
    what: Violation


class Bench:
    """Builds contexts of recordings and checks each."""

    def __init__(self, budgets: Sequence[int], each: int) -> None:
        self._budgets = budgets
        self._each = each
        self._counter = ToktokCounter()
        self.contexts = 0

    def run(self, one: Recording, folder: Path) -> Iterator[Found]:
        """Yield the violations found in contexts of a recording."""
        settings = load_settings({"data_dir": folder / "data", "embedder": "none"}, {})
        with Memoranda.open(settings=settings) as memory:
            for label, value in BLOCKS.items():
                memory.blocks.create(NewBlock(label, value), workspace="work")
            for moment in one.moments(self._each):
                for path, text in moment.files.items():
                    path.write_text(text, "utf-8")
                    memory.capture.import_transcript(path, workspace="work")
                memory.capture.drain()
                yield from self._query_moment(memory, moment)

    def _query_moment(self, memory: Memoranda, moment: Moment) -> Iterator[Found]:
        count = self._counter.count
        parts = [f"{one.arguments}\n{one.text}" for one in moment.steps]
        source = count("\n".join([*parts, *BLOCKS.values()]))
        texts = [one.text for one in moment.steps if one.kind == "user" and one.text.strip()]
        queries = [None, " ".join(texts[-1].split())[:LONGEST]] if texts else [None]
        for query in queries:
            for budget in self._budgets:
                progress(f"{moment.source} {moment.place} {budget}")
                try:
                    brief = memory.context(
                        workspace="work", query=query, budget=budget, at_start=query is None
                    )
                except MemorandaError as error:
                    if error.code != "budget_too_small":
                        raise
                    continue
                self.contexts += 1
                text = ReportedText(
                    brief.text,
                    count(brief.text),
                    budget,
                    moment,
                    list(BLOCKS.values()),
                    source,
                    count,
                )
                where = f"{moment.source}, {moment.place}, {budget:,} tokens"
                where += ", with a query" if query else ""
                for one in violations(text):
                    yield Found(where, one)


def main() -> int:
    """Check the example, a small project, and the command line's paths."""
    options = parser(__doc__)
    options.add_argument(
        "paths", nargs="*", type=Path, help="transcripts, projects, folders of transcripts"
    )
    options.add_argument("--budgets", default="200,500,1000,2000,4000", help="in tokens")
    options.add_argument("--moments", type=int, default=3, help="of each session")
    options.add_argument("--only", help="recordings whose name contains it")
    chosen = options.parse_args()
    report = Report("coherence", vars(chosen))
    bench = Bench([int(one) for one in chosen.budgets.split(",")], chosen.moments)
    found: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="memoranda-coherence-") as folder:
        for number, one in enumerate(_recordings(chosen.paths, Path(folder))):
            if not chosen.only or chosen.only in one.name:
                found += bench.run(one, Path(folder, str(number)))
    counts = Counter(one.what.kind for one in found)
    report.add("contexts", "built", bench.contexts)
    for kind in KINDS:
        report.add("contexts", kind, counts[kind])
        report.claim(f"no context: {kind}", counts[kind] == 0)
    lines: dict[Violation, list[str]] = defaultdict(list)
    for one in found:
        lines[one.what].append(one.where)
    ordered = sorted(lines.items(), key=lambda pair: (KINDS.index(pair[0].kind), -len(pair[1])))
    for number, (what, places) in enumerate(ordered, 1):
        note = f"{places[0]}: {what.line}"
        report.add("violations", f"{number}. {what.kind}", len(places), "contexts", note)
    return report.finish(as_json=chosen.json)


def _recordings(paths: Sequence[Path], folder: Path) -> Iterator[Recording]:
    """Yield the example, then the recordings that the paths name.

    A JSON file is a project, a file of JSON lines a transcript.
    """
    yield recording("example", EXAMPLE, folder / "example")
    for path in [*PROJECTS, *_files(paths)]:
        below = folder / f"{path.parent.name}-{path.stem}"
        if path.suffix == ".json":
            yield project(path, below)
        else:
            yield recording(path.stem, [path], below)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        yield from sorted(path.glob("*.jsonl")) if path.is_dir() else (path,)


if __name__ == "__main__":
    sys.exit(main())
