"""Compare search with and without the stage of work, on public runs.

Questions are about what a run did in one of its stages. Correct are the observations of that stage,
by two labels: Memoranda's own detection, with which a filter by stage agrees by construction, and
labels that follow from the structure of the runs (measuring/silver.py), which only calls have.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import convert_runs
from measuring import silver
from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.capture.event import EventSource
from memoranda.capture.hosts.generic.payload import record_event, record_frame
from memoranda.config import load_settings
from memoranda.observations.model import Observation
from memoranda.observations.table import ObservationFilter
from memoranda.search.filters import EVERYTHING, SearchFilter
from memoranda.search.model import UNKNOWN, Hit, HitKind, TaskContext
from quality import interval

FILES = {
    "SWE-agent": "sweagent_traj_a.jsonl.xz",
    "tau-bench": "taubench_airline_gpt4o_a.json.xz",
}
QUESTIONS: Mapping[str, Sequence[str]] = {
    "planning": ("what was planned", "what was looked at before anything was changed"),
    "execution": ("what was changed", "which updates were made"),
    "reflection": ("what went wrong and was tried again", "which mistakes were corrected"),
    "verification": ("which tests failed", "what did running it show"),
}
FLAT, ARGUMENT, FILTER = "flat", "stage given as the work at hand", "filter by stage"
FIRST, ROOM = 5, 1_000
"""Number of hits that count, and tokens of their contents."""
MOST = 50
AIM = 0.10
ALL = ObservationFilter(with_repeats=True)


@dataclass(frozen=True, slots=True)
class StageQuery:
    """A question about a stage of a run, with the correct observations."""

    task: str
    stage: str
    question: str
    right: frozenset[str]
    judged: frozenset[str]
    """Observations that have a label; others are ignored."""


@dataclass(slots=True)
class Scores:
    """Scores of each question, by way of searching."""

    first: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    room: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def stored(memory: Memoranda, run: convert_runs.Run) -> list[Observation]:
    """Store a run with derived data; return its observations in order."""
    events = []
    for number, record in enumerate(run.records):
        frame = record_frame(record, run.name, EventSource.TRANSCRIPT, (number + 1) * 1_000_000)
        event = record_event(record, frame, f"record-{number}")
        events += [event] if event else []
    report = memory.capture.take(events, workspace=run.name)
    memory.capture.drain(wait=True)
    found = memory.observations.list(task=next(iter(report.tasks)), where=ALL, limit=1_000)
    return sorted(found, key=lambda one: one.sequence)


def by_detection(seen: Sequence[Observation]) -> dict[str, str]:
    """Return the stage of each observation as Memoranda detects it."""
    return {one.id: one.stage for one in seen if one.stage}


def by_structure(seen: Sequence[Observation], run: convert_runs.Run) -> dict[str, str]:
    """Return the stage of each call by the structure of the run."""
    calls = [one for one in seen if one.tool]
    labels = silver.labels(run.records)
    if len(calls) != len(labels):
        raise ValueError(f"a run has {len(labels)} calls, and {len(calls)} are stored")
    pairs = zip(calls, labels, strict=True)
    return {call.id: label for call, label in pairs if label}


def queries_of(task: str, stages: Mapping[str, str]) -> Iterator[StageQuery]:
    """Yield questions about the stages that are a part of a run."""
    judged = frozenset(stages)
    for stage, questions in QUESTIONS.items():
        right = frozenset(id for id, result in stages.items() if result == stage)
        if right and right != judged:
            for question in questions:
                yield StageQuery(task, stage, question, right, judged)


def ask(memory: Memoranda, one: StageQuery, scores: Scores) -> None:
    """Search in every way."""
    kinds = (HitKind.OBSERVATION,)
    ways: dict[str, tuple[TaskContext, SearchFilter]] = {
        FLAT: (UNKNOWN, EVERYTHING),
        ARGUMENT: (TaskContext(one.stage), EVERYTHING),
        FILTER: (UNKNOWN, SearchFilter(kinds=kinds, stages=(one.stage,))),
    }
    for name, (work, where) in ways.items():
        found = memory.search(one.question, task=one.task, where=where, work=work, limit=MOST)
        hits = [hit for hit in found.hits if hit.id in one.judged]
        right = sum(hit.id in one.right for hit in hits[:FIRST])
        scores.first[name].append(right / min(FIRST, len(one.right)))
        scores.room[name].append(_within(hits, one.right))


def _within(hits: Sequence[Hit], right: frozenset[str]) -> float:
    """Return the share of correct observations in hits within the budget."""
    room, found = ROOM, 0
    for hit in hits:
        if hit.tokens <= room:
            room -= hit.tokens
            found += hit.id in right
    return found / len(right)


def print_section(report: Report, section: str, scores: Scores, seed: int) -> None:
    """Add the figures of one set of labels; check the required gain."""
    for title, found in (
        (f"recall at {FIRST}", scores.first),
        (f"recall in {ROOM:,} tokens", scores.room),
    ):
        flat = _mean(found[FLAT])
        for name, values in found.items():
            low, high = interval(values, seed)
            note = f"[{low:.3f}, {high:.3f}]"
            if name != FLAT and flat:
                note += f" {_mean(values) / flat - 1:+.0%}"
            report.add(f"{section}, {title}", name, f"{_mean(values):.3f}", note=note)
        for name in (ARGUMENT, FILTER):
            expected_state = _mean(found[name]) >= (1 + AIM) * flat
            report.claim(
                f"{section}: {title}, {name}: at least 10 % better than flat", expected_state
            )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def measure(report: Report, name: str, runs: Sequence[convert_runs.Run], embedder: str) -> None:
    """Ask about every run of a set, each in a workspace of its own."""
    own, structural = Scores(), Scores()
    with tempfile.TemporaryDirectory(prefix="staged-") as folder:
        settings = load_settings({"data_dir": folder, "embedder": embedder})
        with Memoranda.open(settings=settings) as memory:
            for number, run in enumerate(runs):
                progress(f"{name}: {number} of {len(runs)} runs")
                seen = stored(memory, run)
                task = seen[0].task
                for one in queries_of(task, by_detection(seen)):
                    ask(memory, one, own)
                for one in queries_of(task, by_structure(seen, run)):
                    ask(memory, one, structural)
    progress("")
    for labels, scores in (("own detection", own), ("silver labels", structural)):
        section = f"{name}, {labels}"
        report.add(section, "questions", len(scores.first[FLAT]), note=f"embedder {embedder}")
        if scores.first[FLAT]:
            print_section(report, section, scores, report.arguments["seed"])


def main(arguments: list[str] | None = None) -> int:
    """Measure every available set."""
    made = parser(__doc__)
    made.add_argument("--data", type=Path, required=True, help="folder with the public runs")
    made.add_argument("--runs", type=int, default=40, help="of each set")
    made.add_argument("--embedder", default="local", help="what makes vectors, or none")
    made.add_argument("--report", action="store_true", help="exit 0 though a claim is broken")
    chosen = made.parse_args(arguments)
    report = Report("staged", vars(chosen))
    for name, file in FILES.items():
        sources = convert_runs.load(chosen.data / file)[: chosen.runs]
        runs = [convert_runs.convert(source) for source in sources]
        convert_runs.name_apart(runs)
        measure(report, name, runs, chosen.embedder)
    code = report.finish(as_json=chosen.json)
    return 0 if chosen.report else code


if __name__ == "__main__":
    sys.exit(main())
