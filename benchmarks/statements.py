"""Measure detected conflicts of statements on SICK and labelled pairs."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring.report import Report, parser, progress
from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.statements.conflict_result import StatementConflict
from memoranda.statements.conflicts import conflict
from memoranda.statements.statement import Statement

RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Case:
    """Two statements, and whether a person labelled them as a conflict."""

    old: str
    new: str
    conflicts: bool
    part: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case, the result, and the cosine of its texts."""

    case: Case
    found: StatementConflict | None
    cosine: float


def sick(file: Path) -> list[Case]:
    """Read the tab-separated pairs of SICK.

    Thresholds were chosen on the even rows.
    """
    rows = [line.split("\t") for line in file.read_text("utf-8").splitlines()[1:]]
    return [
        Case(row[1], row[2], row[4] == "CONTRADICTION", "odd rows" if number % 2 else "even rows")
        for number, row in enumerate(rows)
    ]


def updates(file: Path) -> list[Case]:
    """Read JSON lines with old, new, conflict and split."""
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
    return [Case(row["old"], row["new"], row["conflict"], row["split"]) for row in rows]


def cosines(cases: Sequence[Case]) -> Callable[[str, str], float]:
    """Return the cosines of the texts of cases."""
    texts = sorted({text for case in cases for text in (case.old, case.new)})
    embedder, places = LocalEmbedder(), {text: at for at, text in enumerate(texts)}
    rows = []
    for start in range(0, len(texts), 256):
        progress(f"{start:,} of {len(texts):,} vectors")
        rows.extend(embedder.embed(texts[start : start + 256]))
    return lambda one, other: float(rows[places[one]] @ rows[places[other]])


def judged(case: Case, cosine: Callable[[str, str], float]) -> Outcome:
    """Compare the statements of a case."""
    near = cosine(case.old, case.new)
    return Outcome(case, conflict(Statement.of(case.old), Statement.of(case.new), near), near)


def figures(outcomes: Sequence[Outcome]) -> tuple[float, float, float]:
    """Return precision, recall and F1."""
    right = sum(bool(outcome.found) and outcome.case.conflicts for outcome in outcomes)
    found = sum(bool(outcome.found) for outcome in outcomes)
    there = sum(outcome.case.conflicts for outcome in outcomes)
    both = found + there
    return right / max(1, found), right / max(1, there), 2 * right / both if both else 0.0


def interval(outcomes: Sequence[Outcome], seed: int) -> str:
    """Return the 95% bootstrap interval of F1."""
    dice = random.Random(seed)
    drawn = sorted(figures(dice.choices(outcomes, k=len(outcomes)))[2] for _ in range(RESAMPLES))
    return f"[{drawn[int(0.025 * RESAMPLES)]:.3f}, {drawn[int(0.975 * RESAMPLES)]:.3f}]"


def print_section(report: Report, section: str, outcomes: Sequence[Outcome], seed: int) -> None:
    """Add the figures of some outcomes to a report."""
    precision, recall, harmonic = figures(outcomes)
    report.add(section, "pairs", len(outcomes))
    report.add(section, "precision", f"{precision:.3f}")
    report.add(section, "recall", f"{recall:.3f}")
    report.add(section, "F1", f"{harmonic:.3f}", note=interval(outcomes, seed))
    wrong = [outcome for outcome in outcomes if outcome.found and not outcome.case.conflicts]
    certain = sum(outcome.found.certain for outcome in outcomes if outcome.found)
    false = sum(outcome.found.certain for outcome in wrong if outcome.found)
    report.add(
        section, "false", len(wrong), note=f"of {sum(not o.case.conflicts for o in outcomes)}"
    )
    report.add(section, "false and certain", false, note=f"of {certain} certain ones")


def tell_errors(name: str, outcomes: Sequence[Outcome]) -> None:
    """Print the pairs that were classified wrongly."""
    for outcome in outcomes:
        if bool(outcome.found) != outcome.case.conflicts:
            reason = f"false {outcome.found.reason}" if outcome.found else "missed"
            print(
                f"{name}: {reason}, {outcome.cosine:.2f}: {outcome.case.old} | {outcome.case.new}"
            )


def measure(
    report: Report, name: str, cases: Sequence[Case], chosen: argparse.Namespace
) -> dict[str, list[Outcome]]:
    """Classify all cases; return the outcomes by part."""
    cosine = cosines(cases)
    found: dict[str, list[Outcome]] = {}
    for case in cases:
        found.setdefault(case.part, []).append(judged(case, cosine))
    for part, outcomes in found.items():
        print_section(report, f"{name}, {part}", outcomes, chosen.seed)
        if chosen.verbose:
            tell_errors(f"{name}, {part}", outcomes)
    return found


def speed(report: Report, cases: Sequence[Case]) -> None:
    """Time the reading of a statement, and comparisons without common words."""
    texts = [case.old for case in cases[:200]]
    start = time.process_time()
    read = [Statement.of(text) for text in texts]
    reading = (time.process_time() - start) / len(texts)
    start = time.process_time()
    for old in read:
        for new in read:
            conflict(old, new, 0.3)
    comparing = (time.process_time() - start) / len(read) ** 2
    report.add("time", "reading a statement", 1e6 * reading, "µs")
    report.add("time", "comparing any two", 1e6 * comparing, "µs")


def main() -> int:
    """Classify the pairs of the files of the command line."""
    options = parser(__doc__)
    options.add_argument("--sick", type=Path, help="tab-separated pairs of SICK")
    options.add_argument("--updates", type=Path, help="JSON lines: old, new, conflict, split")
    options.add_argument("--verbose", action="store_true", help="print what was judged wrongly")
    chosen = options.parse_args()
    if not chosen.sick and not chosen.updates:
        options.error("give --sick, --updates or both")
    report = Report("statements", vars(chosen))
    if chosen.sick:
        cases = sick(chosen.sick)
        found = measure(report, "SICK", cases, chosen)
        precision, _, harmonic = figures(found["odd rows"])
        passed = harmonic >= 0.887 and precision >= 0.9
        report.claim("SICK, odd rows: F1 at least .887, precision at least .9", passed)
    if chosen.updates:
        cases = updates(chosen.updates)
        found = measure(report, "updates", cases, chosen)
        every = [outcome for outcomes in found.values() for outcome in outcomes]
        false = any(o.found and not o.case.conflicts for o in every)
        report.claim("updates: nothing false among unrelated statements", not false)
    speed(report, cases)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
