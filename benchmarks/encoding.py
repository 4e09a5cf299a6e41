"""Compare extracted names and their types with their labels."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measuring.report import Report, parser, quantile
from memoranda.memories.extraction.encoder import encode, prose
from memoranda.memories.extraction.entities import entities
from memoranda.memories.extraction_model import EntityType

RESAMPLES = 1000
READ = 30
"""First texts of the set, which were read while the rules were written."""
CHARACTERS = 500
LEAST = {"entities, name and type": 0.85}

Labels = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Case:
    """A text, its expected labels, and the labels found."""

    gold: Labels
    found: Labels


def rows(folder: Path, name: str) -> list[tuple[str, dict[str, Any]]]:
    """Read the texts of a set with their labels."""
    files = [folder / f"mempalace_{name}_{part}.jsonl" for part in ("dataset", "labels")]
    texts, labels = ([json.loads(line) for line in file.open("rb")] for file in files)
    return [(text["text"], label) for text, label in zip(texts, labels, strict=True)]


def typed_names(text: str, label: dict[str, Any], known: Sequence[str] = ()) -> Case:
    """Compare names and types, without technologies, which have no label."""
    found = entities(prose(text), known)
    return Case(
        Counter((one["name"], one["type"]) for one in label["entities"]),
        Counter(
            (one.name, str(one.type)) for one in found if one.type is not EntityType.TECHNOLOGY
        ),
    )


def bare(case: Case) -> Case:
    """Return a case with names only, without their types."""
    gold, found = (Counter({(name,) for name, _ in side}) for side in (case.gold, case.found))
    return Case(gold, found)


def capitals(text: str, label: dict[str, Any]) -> Case:
    """Label runs of capitals as persons: the baseline for the rules."""
    words, found, run = text.split(), [], []
    for word in [*words, "."]:
        if word[:1].isupper():
            run.append(word.strip(".,;:()"))
        elif run:
            found.append((" ".join(run), "person"))
            run = []
    return Case(
        Counter((one["name"], one["type"]) for one in label["entities"]), Counter(set(found))
    )


def figures(cases: Sequence[Case]) -> tuple[float, float, float]:
    """Return precision, recall and F1 over all labels."""
    right = sum((case.gold & case.found).total() for case in cases)
    found = sum(case.found.total() for case in cases)
    there = sum(case.gold.total() for case in cases)
    return right / max(1, found), right / max(1, there), 2 * right / max(1, found + there)


def interval(cases: Sequence[Case], seed: int) -> str:
    """Return the 95% bootstrap interval of F1 over whole texts."""
    dice = random.Random(seed)
    drawn = [figures(dice.choices(cases, k=len(cases)))[2] for _ in range(RESAMPLES)]
    return f"[{quantile(drawn, 0.025):.3f}, {quantile(drawn, 0.975):.3f}]"


def print_section(report: Report, name: str, cases: Sequence[Case], read: int, seed: int) -> float:
    """Report the figures of seen, unseen and all texts; return unseen F1."""
    parts = {"read": cases[:read], "not read": cases[read:], "all": cases}
    for part, chosen in parts.items():
        precision, recall, both = figures(chosen)
        note = f"{interval(chosen, seed)} P {precision:.3f} R {recall:.3f}, {len(chosen)} texts"
        report.add(f"{name}, micro-F1", part, f"{both:.3f}", note=note)
    return figures(parts["not read"])[2]


def successive(texts: Sequence[tuple[str, dict[str, Any]]]) -> list[Case]:
    """Compare names where each text knows the names found before it."""
    known: dict[str, None] = {}
    cases = []
    for text, label in texts:
        case = typed_names(text, label, tuple(known))
        known |= dict.fromkeys(name for name, _ in case.found)
        cases.append(case)
    return cases


def seconds_a_text(texts: Sequence[str]) -> list[float]:
    """Return processor time of texts of 500 characters, each best of nine."""
    joined = " ".join(texts)
    cut = [joined[at : at + CHARACTERS] for at in range(0, len(joined), CHARACTERS)]
    return [min(_seconds(text) for _ in range(9)) for text in cut]


def _seconds(text: str) -> float:
    started = time.process_time()
    encode(text)
    return time.process_time() - started


def options() -> argparse.Namespace:
    """Read the command line."""
    made = parser(__doc__)
    made.add_argument("--data", type=Path, required=True, help="folder of the labelled texts")
    made.add_argument("--verbose", action="store_true", help="print what was wrong in read texts")
    return made.parse_args()


def show(cases: Sequence[Case]) -> None:
    """Print where cases differ from their labels."""
    for number, case in enumerate(cases, 1):
        missed, extra = case.gold - case.found, case.found - case.gold
        if missed or extra:
            print(f"{number}: missed {list(missed.elements())}, extra {list(extra.elements())}")


def main() -> int:
    """Measure the set."""
    chosen = options()
    report = Report("encoding", {key: str(value) for key, value in vars(chosen).items()})
    named = rows(chosen.data, "entity_extraction")
    typed = [typed_names(*row) for row in named]
    measured = {
        "entities, runs of capitals": [capitals(*row) for row in named],
        "entities, name": [bare(case) for case in typed],
        "entities, name and type": typed,
        "entities, name and type, names before known": successive(named),
    }
    for name, cases in measured.items():
        found = print_section(report, name, cases, READ, chosen.seed)
        if name in LEAST:
            report.claim(
                f"{name}: F1 at least {LEAST[name]} on texts not read", found >= LEAST[name]
            )
            if chosen.verbose:
                show(cases[:READ])
    took = seconds_a_text([text for text, _ in named])
    report.add("time", "500 characters, median", 1e3 * quantile(took, 0.5), "ms")
    report.add("time", "500 characters, p95", 1e3 * quantile(took, 0.95), "ms")
    report.claim("500 characters take less than 1 ms", quantile(took, 0.95) < 1e-3)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
