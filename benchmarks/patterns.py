"""Evaluate error patterns on generated logs with a known truth.

Also measures time, signatures and kinds of errors.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from measuring.report import Report, parser, progress
from memoranda.capture.analysis.failures import failure_in
from memoranda.errors.model import ErrorPattern, PatternKind
from memoranda.errors.occurrence import Occurrence
from memoranda.errors.patterns import patterns
from memoranda.errors.signature import signature

LOGS, NOISE_LOGS = 20, 30
RESAMPLES = 1000
TIMED = 10_000
"""Errors whose patterns are timed."""
CONTEXTS = {
    "tool": ("edit", "bash", "search", "test", "web"),
    "language": ("python", "typescript", "go", "rust"),
    "stage": ("planning", "execution", "verification"),
}
Truth = dict[PatternKind, set[tuple[str, ...]]]
Counts = Mapping[PatternKind, tuple[int, int, int]]
"""(correct, false, missed) patterns of a log, by kind."""
Rates = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Shape:
    """Parameters of a generated log."""

    tasks: int = 60
    steps: int = 40
    noise: float = 0.06
    """The share of steps that fail at random."""
    noise_kinds: int = 40
    """Number of kinds of random failures, with decreasing frequency."""
    planted: int = 4
    """Patterns of each kind."""
    again: float = 0.0
    """Probability of a repetition at the next step, at most three times."""
    later: float = 0.0
    """Probability of a repetition later in the task, at most three times."""
    one_language: bool = False
    """Whether all errors of a task are in the same language."""


OTHERS = {
    "20 tasks": Shape(tasks=20),
    "200 tasks": Shape(tasks=200),
    "noise at every fifth step": Shape(noise=0.2),
    "10 kinds of noise": Shape(noise_kinds=10),
    "errors come again at the next steps": Shape(again=0.5),
    "errors come again in their task": Shape(later=0.5),
    "the same, one language a task": Shape(later=0.5, one_language=True),
}
"""Logs of other shapes, which show the limits."""


@dataclass(slots=True)
class Generated:
    """A log whose recurring patterns are known."""

    shape: Shape
    dice: random.Random
    errors: list[Occurrence] = field(default_factory=list)
    truth: Truth = field(default_factory=lambda: {kind: set() for kind in PatternKind})

    def add(self, task: int, step: int, cause: str, context: tuple[str, str] | None = None) -> None:
        """Add an error and its repetitions."""
        places = {name: self.dice.choice(values) for name, values in CONTEXTS.items()}
        if self.shape.one_language:
            places["language"] = CONTEXTS["language"][task * 7 % 4]
        places |= dict([context]) if context else {}
        self._put(task, step, cause, places)
        for repeat in range(1, 4):
            if self.dice.random() >= self.shape.again + self.shape.later:
                break
            somewhere = self.dice.randrange(self.shape.steps) if self.shape.later else step + repeat
            self._put(task, somewhere, cause, places)

    def _put(self, task: int, step: int, cause: str, places: dict[str, str]) -> None:
        moment, ref = (task * 1_000 + step) * 1_000_000, f"{task}#{len(self.errors)}"
        self.errors.append(Occurrence(f"{task:05}", step, cause, places, ref, moment))


def generated(seed: int, shape: Shape) -> Generated:
    """Generate a log with random failures in every task, and patterns."""
    log = Generated(shape, random.Random(seed))
    weights = [1 / (rank + 2) ** 0.5 for rank in range(shape.noise_kinds)]
    causes = [f"noise {rank}" for rank in range(shape.noise_kinds)]
    places = [_place(log.dice) for _ in range(shape.planted)]
    for task in range(shape.tasks):
        for step in range(shape.steps):
            if log.dice.random() < shape.noise:
                log.add(task, step, log.dice.choices(causes, weights)[0])
        for number, place in enumerate(places):
            _plant_frequency(log, task, f"frequent {number}")
            _plant_sequence(log, task, f"first {number}", f"then {number}")
            _plant_context(log, task, f"local {number}", place)
    return log


def _place(dice: random.Random) -> tuple[str, str]:
    name = dice.choice(sorted(CONTEXTS))
    return name, dice.choice(CONTEXTS[name])


def _plant_frequency(log: Generated, task: int, cause: str) -> None:
    """Plant an error in half of the tasks."""
    log.truth[PatternKind.FREQUENCY].add((cause,))
    if log.dice.random() < 0.5:
        log.add(task, log.dice.randrange(log.shape.steps), cause)


def _plant_sequence(log: Generated, task: int, first: str, then: str) -> None:
    """Plant an error in 40 % of the tasks, followed by another in 70 %.

    The second error also occurs in some other tasks.
    """
    log.truth[PatternKind.SEQUENCE].add((first, then))
    if log.dice.random() < 0.4:
        step = log.dice.randrange(log.shape.steps - 5)
        log.add(task, step, first)
        if log.dice.random() < 0.7:
            log.add(task, step + log.dice.randint(1, 4), then)
    elif log.dice.random() < 0.1:
        log.add(task, log.dice.randrange(log.shape.steps), then)


def _plant_context(log: Generated, task: int, cause: str, place: tuple[str, str]) -> None:
    """Plant an error in a quarter of the tasks, mostly in one context."""
    log.truth[PatternKind.CONTEXT].add((cause, *place))
    if log.dice.random() < 0.25:
        at = log.dice.randrange(log.shape.steps)
        log.add(task, at, cause, place if log.dice.random() < 0.85 else None)


# --- patterns found -------------------------------------------------------------------------


def judged(log: Generated) -> Counts:
    """Compare the patterns found with the truth.

    Frequency patterns of errors that are part of a sequence or context are ignored: they recur as
    well.
    """
    found: Truth = {kind: set() for kind in PatternKind}
    for one in patterns(log.errors, limit=sys.maxsize):
        if one.significant and not _open(one):
            found[one.kind].add(_name(one))
    return {
        kind: (len(found[kind] & truth), len(found[kind] - truth), len(truth - found[kind]))
        for kind, truth in log.truth.items()
    }


def _open(one: ErrorPattern) -> bool:
    is_frequency = one.kind is PatternKind.FREQUENCY
    return is_frequency and not one.signature.startswith(("noise", "frequent"))


def _name(one: ErrorPattern) -> tuple[str, ...]:
    return tuple(part for part in (one.signature, one.then, one.context, one.value) if part)


def rates(counts: Sequence[Counts], kinds: Collection[PatternKind] = tuple(PatternKind)) -> Rates:
    """Return precision, recall and F1 over logs."""
    right, false, missed = (
        sum(one[kind][at] for one in counts for kind in kinds) for at in range(3)
    )
    return _rates(right, false, missed)


def _rates(right: int, false: int, missed: int) -> Rates:
    both = 2 * right + false + missed
    return (
        right / max(1, right + false),
        right / max(1, right + missed),
        2 * right / both if both else 0.0,
    )


def shown(found: Rates) -> str:
    """Format precision and recall as a note."""
    return f"precision {found[0]:.3f}, recall {found[1]:.3f}"


def interval(items: Sequence[Counts], measure: Callable[[Sequence[Counts]], float]) -> str:
    """Return the 95% bootstrap interval over whole logs."""
    dice = random.Random(1)
    drawn = sorted(measure(dice.choices(items, k=len(items))) for _ in range(RESAMPLES))
    return f"[{drawn[int(0.025 * RESAMPLES)]:.3f}, {drawn[int(0.975 * RESAMPLES)]:.3f}]"


def measure_planted(report: Report, seed: int) -> None:
    """Report patterns found in logs with patterns, and in noise alone."""
    counts = []
    for number in range(LOGS):
        progress(f"log {number + 1} of {LOGS}")
        counts.append(judged(generated(seed + number, Shape())))
    section = f"{LOGS} generated logs"
    for kind in PatternKind:
        found = rates(counts, [kind])
        report.add(section, f"F1 {kind}", f"{found[2]:.3f}", note=shown(found))
    found = rates(counts)
    report.add(section, "F1", f"{found[2]:.3f}", note=interval(counts, lambda some: rates(some)[2]))
    false = 1 - found[0]
    shares = interval(counts, lambda some: 1 - rates(some)[0])
    report.add(section, "false share", f"{false:.3f}", note=shares)
    report.claim("F1 of patterns at least .95", found[2] >= 0.95)
    report.claim("less than 5% of the patterns are false", false < 0.05)


def measure_noise(report: Report, seed: int) -> None:
    """Report false patterns found in logs of noise without planted ones."""
    logs = [generated(seed + 100 + number, Shape(planted=0)) for number in range(NOISE_LOGS)]
    counts = [judged(log) for log in logs]
    for kind in PatternKind:
        false = sum(one[kind][1] for one in counts)
        note = "noise that is truly more frequent" if kind is PatternKind.FREQUENCY else ""
        report.add(f"{NOISE_LOGS} logs of noise alone", f"found, {kind}", false, note=note)


def measure_others(report: Report, seed: int) -> None:
    """Report patterns found in logs of other shapes."""
    for name, shape in OTHERS.items():
        progress(name)
        counts = [judged(generated(seed + number, shape)) for number in range(10)]
        for kind in PatternKind:
            found = rates(counts, [kind])
            report.add(f"10 logs, {name}", f"F1 {kind}", f"{found[2]:.3f}", note=shown(found))


def measure_time(report: Report, seed: int) -> None:
    """Report the time to find the patterns of ten thousand errors."""
    errors = generated(seed, Shape(tasks=1500, noise=0.1)).errors[:TIMED]
    crowd = [
        Occurrence(
            str(number % 7), number % 5, f"cause {number % 997}", {"tool": f"{number}"}, "", 0
        )
        for number in range(TIMED)
    ]
    for name, log in (("generated", errors), ("in five steps, every context new", crowd)):
        spent = []
        for _ in range(3):
            started = time.process_time()
            patterns(log)
            spent.append(1e3 * (time.process_time() - started))
        report.add(f"time of {len(log):,} errors", name, min(spent), "ms CPU")
        report.claim(f"{len(log):,} errors, {name}: less than 500 ms", min(spent) < 500)


# --- signatures -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """The output of a failed tool, and the label of its cause."""

    cause: str
    text: str

    @property
    def signature(self) -> str:
        """Return the signature of the failure as capture computes it."""
        found = failure_in(self.text, "Bash", True, None)
        if found is None:
            raise ValueError(f"no failure is seen in {self.text!r}")
        return signature(found.kind, f"{found.type or ''}: {found.message}")


def messages(file: Path) -> Iterator[Message]:
    """Read JSON lines with cause and text."""
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        yield Message(row["cause"], row["text"])


def measure_signatures(report: Report, file: Path, *, verbose: bool) -> None:
    """Report how well equal signatures predict equal causes, over all pairs."""
    read = [(one.cause, one.signature) for one in messages(file)]
    pairs = [(a[0] == b[0], a[1] == b[1]) for a, b in combinations(read, 2)]
    right, false, missed = (
        pairs.count(kind) for kind in ((True, True), (False, True), (True, False))
    )
    found = _rates(right, false, missed)
    section = f"signatures of {len(read)} messages, {len({cause for cause, _ in read})} causes"
    report.add(section, "F1 of pairs", f"{found[2]:.3f}", note=shown(found))
    report.claim("F1 of pairs with equal signatures at least .97", found[2] >= 0.97)
    if verbose:
        causes = defaultdict(set)
        for cause, name in read:
            causes[cause].add(name)
        for cause, names in causes.items():
            print(f"{cause}: {' | '.join(sorted(names))}")


def options() -> argparse.Namespace:
    """Read the command line."""
    made = parser(__doc__)
    made.add_argument("--messages", type=Path, help="JSON lines: cause, text of a failed call")
    made.add_argument(
        "--outputs", type=Path, help="JSON lines: text, tool, code, is_error, kinds accepted"
    )
    made.add_argument("--verbose", action="store_true", help="print the signatures of each cause")
    return made.parse_args()


# --- kinds ----------------------------------------------------------------------------------


def measure_kinds(report: Report, file: Path) -> None:
    """Report the share of failed outputs whose kind their author accepts."""
    right: list[bool] = []
    failures: Counter[tuple[bool, bool]] = Counter()
    for line in file.read_text().splitlines():
        one = json.loads(line)
        failed = bool(one.get("is_error") or one.get("code"))
        head = f"Exit code {one['code']}\n" if one.get("code") else ""  # as hosts report it
        found = failure_in(head + one["text"], one["tool"], failed, None)
        failures[bool(one["kinds"]), found is not None] += 1
        if one["kinds"]:
            right.append(found is not None and found.kind in one["kinds"])
    section = f"{failures.total()} outputs, {len(right)} of them failures"
    share = sum(right) / len(right)
    report.add(section, "kind accepted", f"{share:.3f}", note=f"{sum(right)} of {len(right)}")
    report.add(section, "failures not seen", failures[True, False])
    report.add(section, "failures seen that are none", failures[False, True])
    report.claim("kinds of failure right in at least .94", share >= 0.94)


def main() -> int:
    """Measure patterns, and signatures if messages are passed."""
    chosen = options()
    report = Report("patterns", {key: str(value) for key, value in vars(chosen).items()})
    measure_planted(report, chosen.seed)
    measure_noise(report, chosen.seed)
    measure_others(report, chosen.seed)
    measure_time(report, chosen.seed)
    if chosen.messages:
        measure_signatures(report, chosen.messages, verbose=chosen.verbose)
    if chosen.outputs:
        measure_kinds(report, chosen.outputs)
    progress("")
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
