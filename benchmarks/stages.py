"""Compare detected stages of public agent runs with structural labels."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import convert_runs
from measuring import silver
from measuring.report import Report, parser, progress
from memoranda.capture.event import Event, EventSource
from memoranda.capture.hosts.generic.payload import record_event, record_frame
from memoranda.config import Settings, load_settings
from memoranda.memory import Memoranda
from memoranda.observations.table import ObservationFilter
from memoranda.stages.detector import StageTracker
from memoranda.stages.model import StageName
from memoranda.stages.observed_steps import step_of
from memoranda.stages.state import StageState, StepContext
from memoranda.stages.step import Step
from memoranda.stages.step_signals import marked_stage, read

FILES = {
    "SWE-agent": "sweagent_traj_a.jsonl.xz",
    "tau-bench": "taubench_airline_gpt4o_a.json.xz",
}
EVERYTHING = ObservationFilter(with_repeats=True)
RESAMPLES = 400
TOLERANCE = 1
"""Steps that a boundary may be off."""
LETTERS = {"P": "planning", "E": "execution", "R": "reflection", "V": "verification"}

MARKS = ("Stage: {}", "Phase: {}", "**Stage:** {}", "Current stage: {}", "stage = {}",
         "Entering {} phase", "Starting {}", "<stage>{}</stage>", "[{}] the next route",
         "## {}\nAs agreed.", "Done so far.\n\nStage: {}\n\nNow the next route.")  # fmt: skip
TRAPS = ("The {} committee met.", "{} of the address failed.", "I am {} the stage lights.",
         "{} time was 3 s.", "It reflects the current stage of {}.", "Starting {} the new lights.",
         "```\nStage: {}\n```", "{} shows a 3% gain.", "## Planning\n## {} notes\n## Testing",
         "## Execution\nthen\n## Reflection\n{}")  # fmt: skip

Pair = tuple[str, str]


@dataclass(slots=True)
class Call:
    """A call of a run: its label, and its detected stages."""

    label: str | None
    hand: str | None
    words: str
    told: str = ""
    stage: str = ""
    spoken: str = ""
    """The stage by words alone."""


@dataclass(slots=True)
class Timing:
    """Time to read steps."""

    steps: int = 0
    seconds: float = 0.0
    """Processor seconds."""


@dataclass(slots=True)
class Runs:
    """The runs of one set."""

    name: str
    calls: list[list[Call]] = field(default_factory=list)


def load(name: str, path: Path, hand: dict[str, str], timing: Timing) -> Runs:
    """Store the runs of a file and detect their stages."""
    sources = [convert_runs.convert(run) for run in convert_runs.load(path)]
    convert_runs.name_apart(sources)
    runs = Runs(name)
    with (
        tempfile.TemporaryDirectory(prefix="stages-") as folder,
        Memoranda.open(workspace="bench", settings=quiet(Path(folder))) as memory,
    ):
        for number, source in enumerate(sources):
            progress(f"{name}: {number} of {len(sources)} runs")
            steps = stored(memory, source)
            runs.calls.append(followed(steps, source.records, hand.get(str(number), ""), timing))
    progress("")
    return runs


def quiet(folder: Path) -> Settings:
    """Return settings for a separate store that derives no vectors."""
    return replace(load_settings({"data_dir": folder}, {}), embedder="none")


def stored(memory: Memoranda, source: convert_runs.Run) -> list[Step]:
    """Store a run as a host would report it; return its stored steps."""
    events: list[Event] = []
    for number, record in enumerate(source.records):
        frame = record_frame(record, source.name, EventSource.TRANSCRIPT, (number + 1) * 1_000_000)
        event = record_event(record, frame, f"record-{number}")
        events += [event] if event else []
    report = memory.capture.take(events, workspace="bench")
    steps: list[Step] = []
    cursor: str | None = None
    while True:
        page = memory.observations.list(
            task=next(iter(report.tasks)), where=EVERYTHING, limit=200, cursor=cursor
        )
        steps += [step_of(found, memory.observations.show(found.id).content) for found in page]
        cursor = page.cursor
        if cursor is None:
            return steps


def followed(
    steps: Sequence[Step], records: Sequence[dict[str, Any]], hand: str, timing: Timing
) -> list[Call]:
    """Detect the stages of a run's steps; return its calls with labels."""
    gold = silver.labels(records)
    by_hand: Sequence[str | None] = [LETTERS.get(letter) for letter in hand] or [None] * len(gold)
    calls: list[Call] = []
    tracker, state, text = StageTracker(), StageState(), ""
    begun: list[tuple[int, StageName]] = []
    places: list[int] = []
    started = time.process_time()
    for step in steps:
        done = tracker.take(state, step)
        state = done.state
        if done.transition:
            begun.append((done.transition.starts_at_sequence, done.transition.stage))
        if step.tool is None:
            text = step.words if step.speaker == "agent" else ""
            continue
        words = f"{text} {step.words}".strip()
        label = gold[len(calls)]
        calls.append(Call(label, by_hand[len(calls)], words, _evidence_text(done.evidence)))
        places.append(step.sequence)
        text = ""
    timing.seconds += time.process_time() - started
    timing.steps += len(steps)
    if len(calls) != len(gold):
        raise ValueError(f"a run has {len(gold)} calls, and {len(calls)} are stored")
    for call, place in zip(calls, places, strict=True):
        call.stage = next((str(name) for at, name in reversed(begun) if at <= place), "planning")
        call.spoken = _evidence_text(
            read(Step(sequence=1, created_at=1, words=call.words), StepContext())
        )
    return calls


def _evidence_text(evidence: Any) -> str:
    """Return the detected stage; planning, the commonest, if there is none."""
    return str(evidence.stage) if evidence else "planning"


# --- figures --------------------------------------------------------------------------------


def f1_by_class(pairs: Sequence[Pair]) -> dict[str, float]:
    """Return the F1 of each class that the labels have."""
    found = {}
    for label in silver.LABELS:
        there = sum(gold == label for gold, _ in pairs)
        values = sum(result == label for _, result in pairs)
        right = sum(gold == result == label for gold, result in pairs)
        if there:
            found[label] = 2 * right / (there + values)
    return found


def macro(pairs: Sequence[Pair]) -> float:
    """Return the mean F1 of the classes that the labels have."""
    scores = f1_by_class(pairs)
    return sum(scores.values()) / max(1, len(scores))


def interval(runs: Sequence[Sequence[Pair]], seed: int) -> str:
    """Return the 95% bootstrap interval of macro-F1 over whole runs."""
    dice = random.Random(seed)
    drawn = sorted(
        macro([pair for run in dice.choices(runs, k=len(runs)) for pair in run])
        for _ in range(RESAMPLES)
    )
    return f"[{drawn[int(0.025 * RESAMPLES)]:.3f}, {drawn[int(0.975 * RESAMPLES)]:.3f}]"


def print_section(report: Report, section: str, runs: Sequence[Sequence[Pair]], seed: int) -> float:
    """Add the figures of labelled steps; return macro-F1."""
    pairs = [pair for run in runs for pair in run]
    if not pairs:
        return 0.0
    found = macro(pairs)
    report.add(section, "macro-F1", f"{found:.3f}", note=interval(runs, seed))
    right = sum(gold == result for gold, result in pairs)
    report.add(section, "accuracy", f"{right / len(pairs):.3f}", note=f"of {len(pairs):,} steps")
    for label, score in f1_by_class(pairs).items():
        count = sum(gold == label for gold, _ in pairs)
        report.add(section, f"F1 {label}", f"{score:.3f}", note=f"{count} steps")
    return found


def boundaries(runs: Sequence[tuple[list[str | None], list[str]]]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of the starts of stages."""
    right = number = there = 0
    for gold, result in runs:
        expected, found = _begins(_filled(gold)), _begins(result)
        free = set(expected)
        for place in found:
            near = min(free, key=lambda at: abs(at - place), default=None)
            if near is not None and abs(near - place) <= TOLERANCE:
                free.discard(near)
                right += 1
        number, there = number + len(found), there + len(expected)
    return right / max(1, number), right / max(1, there), 2 * right / max(1, number + there)


def _filled(labels: Sequence[str | None]) -> list[str]:
    last = next((label for label in labels if label), "planning")
    filled = []
    for label in labels:
        last = label or last
        filled.append(last)
    return filled


def _begins(stages: Sequence[str]) -> list[int]:
    return [at for at, (one, other) in enumerate(pairwise(stages), 1) if one != other]


def measure(report: Report, runs: Runs, seed: int) -> float:
    """Report the detection on one set; return macro-F1 with actions seen."""
    found = _measure(report, f"{runs.name}, silver", runs.calls, lambda call: call.label, seed)
    if any(call.hand for run in runs.calls for call in run):
        judged = [run for run in runs.calls if any(call.hand for call in run)]
        _measure(report, f"{runs.name}, by hand", judged, lambda call: call.hand, seed)
    return found


def _measure(
    report: Report,
    name: str,
    runs: Sequence[Sequence[Call]],
    label: Callable[[Call], str | None],
    seed: int,
) -> float:
    def pairs(function: Callable[[Call], str], *, spoken: bool = False) -> list[list[Pair]]:
        return [
            [(gold, function(c)) for c in run if (gold := label(c)) and (c.words or not spoken)]
            for run in runs
        ]

    found = print_section(report, f"{name}, actions seen", pairs(lambda call: call.told), seed)
    print_section(report, f"{name}, words only", pairs(lambda call: call.spoken, spoken=True), seed)
    for way in ("told", "stage"):
        ends = [([label(c) for c in run], [str(getattr(c, way)) for c in run]) for run in runs]
        precision, recall, both = boundaries(ends)
        report.add(
            f"{name}, boundaries ±{TOLERANCE}",
            "F1 of steps" if way == "told" else "F1 of stages",
            f"{both:.3f}",
            note=f"precision {precision:.3f}, recall {recall:.3f}",
        )
    return found


def markers(report: Report) -> bool:
    """Report markers found and traps avoided; return whether all were."""
    named = [word for name in StageName for word in (str(name), str(name).title())]
    read_right = sum(
        marked_stage(mark.format(word)) == word.lower() for mark in MARKS for word in named
    )
    avoided = sum(marked_stage(trap.format(word)) is None for trap in TRAPS for word in named)
    report.add("markers", "read", read_right, note=f"of {len(MARKS) * len(named)}")
    report.add("markers", "traps avoided", avoided, note=f"of {len(TRAPS) * len(named)}")
    return read_right + avoided == (len(MARKS) + len(TRAPS)) * len(named)


def options() -> argparse.Namespace:
    """Read the command line."""
    made = parser(__doc__)
    made.add_argument("--data", type=Path, required=True, help="folder of the public runs")
    made.add_argument("--hand", type=Path, help="JSON: set, run, letters P E R V - for each call")
    made.add_argument("--verbose", action="store_true", help="print where silver labels differ")
    return made.parse_args()


def show(runs: Runs) -> None:
    """Print the calls whose stage differs from the label."""
    for number, run in enumerate(runs.calls):
        for at, call in enumerate(run):
            if call.label and call.label != call.told:
                excerpt = call.words[:150].replace("\n", " ")
                print(f"{runs.name} {number}.{at}: {call.label}, told {call.told}: {excerpt}")


def main() -> int:
    """Measure every available set."""
    chosen = options()
    report = Report("stages", {key: str(value) for key, value in vars(chosen).items()})
    hand = json.loads(chosen.hand.read_text("utf-8")) if chosen.hand else {}
    timing = Timing()
    for name, file in FILES.items():
        runs = load(name, chosen.data / file, hand.get(name, {}), timing)
        found = measure(report, runs, chosen.seed)
        report.claim(f"{name}: macro-F1 at least .90 with the actions seen", found >= 0.9)
        if chosen.verbose:
            show(runs)
    report.claim("every mark is read, every trap avoided", markers(report))
    report.add("time", "a step", 1e6 * timing.seconds / max(1, timing.steps), "µs")
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
