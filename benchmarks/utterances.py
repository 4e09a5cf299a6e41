"""Evaluate the utterance classifier of the package on files that it was not fitted to."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from labelled_messages import DATA, MEASURED, Message, messages
from measuring.report import Report, parser
from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.utterances.classifier import UtteranceClassifier
from memoranda.utterances.fitted_model import WEIGHTS
from memoranda.utterances.labels import LABELS, LASTING, UtterancePart
from memoranda.utterances.network_weights import NETWORK

NOW = frozenset({"order", "question", "none"})
"""Labels of parts that apply only for the moment."""
SURE = 0.5
"""The confidence above which such a part counts as falsely lasting."""
LIMIT_BYTES, LIMIT_NETWORK_BYTES = 400_000, 6_000_000


@dataclass(frozen=True, slots=True)
class Judged:
    """The author's label of a part, and the predicted label."""

    gold: str
    label: str
    confidence: float


def judged(row: Message, found: Sequence[UtterancePart]) -> Iterable[Judged]:
    """Yield each part of the author with the predicted label of most of it."""
    for (start, end), number in zip(row.spans, row.labels, strict=True):
        best = max(found, key=lambda part: min(part.end, end) - max(part.start, start))
        covers = min(best.end, end) > max(best.start, start)
        label, confidence = (str(best.label), best.confidence) if covers else ("none", 0.0)
        yield Judged(str(LABELS[number]), label, confidence)


def macro(found: Sequence[Judged]) -> float:
    """Return the mean F1 of the labels that occur."""
    scores = []
    for label in LABELS:
        both = sum((one.gold == label) + (one.label == label) for one in found)
        right = sum(one.gold == one.label == label for one in found)
        if any(one.gold == label for one in found):
            scores.append(2 * right / both)
    return sum(scores) / len(scores)


def lasting(found: Sequence[Judged]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of lasting parts, of any label."""
    right = sum(one.gold in LASTING and one.label in LASTING for one in found)
    read = sum(one.label in LASTING for one in found)
    there = sum(one.gold in LASTING for one in found)
    return right / max(1, read), right / max(1, there), 2 * right / max(1, read + there)


def falsely_lasting(found: Sequence[Judged]) -> float:
    """Return the share of momentary parts confidently read as lasting."""
    now = [one for one in found if one.gold in NOW]
    false = sum(one.label in LASTING and one.confidence > SURE for one in now)
    return false / max(1, len(now))


def calibration(found: Sequence[Judged]) -> float:
    """Return the expected calibration error over ten bins."""
    tenths: dict[int, list[Judged]] = defaultdict(list)
    for one in found:
        tenths[min(9, int(10 * one.confidence))].append(one)
    gaps = (
        abs(sum((one.gold == one.label) - one.confidence for one in tenth))
        for tenth in tenths.values()
    )
    return sum(gaps) / len(found)


def print_section(report: Report, section: str, found: Sequence[Judged]) -> None:
    """Add the figures of a set."""
    precision, recall, both = lasting(found)
    report.add(section, "macro-F1", f"{macro(found):.3f}", note=f"{len(found)} parts")
    report.add(section, "lasting", f"{both:.3f}", note=f"P {precision:.3f}, R {recall:.3f}")
    report.add(section, "false lasting", f"{falsely_lasting(found):.3f}")
    report.add(section, "error of confidence", f"{calibration(found):.3f}")


def measure(report: Report, rows: Sequence[Message], way: str) -> dict[str, list[Judged]]:
    """Classify messages; report the time per message, return the parts by file and language."""
    classifier = UtteranceClassifier(LocalEmbedder() if way == "with the network" else None)
    classifier.parts("warm", "up")
    started = time.process_time(), time.perf_counter()
    read = [classifier.parts(row.text, row.before) for row in rows]
    spent = [
        1e3 * (now - then) / len(rows)
        for now, then in zip((time.process_time(), time.perf_counter()), started, strict=True)
    ]
    report.add(way, "a message", spent[1], "ms", f"{spent[0]:.1f} of processors")
    sets: dict[str, list[Judged]] = defaultdict(list)
    for row, parts in zip(rows, read, strict=True):
        for name in (row.file, f"language {row.language}"):
            sets[name] += judged(row, parts)
    return sets


def main() -> int:
    """Evaluate on each file, and on each language."""
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=DATA, help="folder of labelled messages")
    options.add_argument("--only", nargs="*", default=MEASURED, help="files: u1 u2 …")
    chosen = options.parse_args()
    report = Report("utterances", vars(chosen))
    rows = messages(chosen.data / f"{name}.jsonl" for name in chosen.only)
    for way in ("with the network", "without"):
        for section, parts in sorted(measure(report, rows, way).items()):
            print_section(report, f"{section}, {way}", parts)
    for name, file, limit in (
        ("weights", WEIGHTS, LIMIT_BYTES),
        ("network", NETWORK, LIMIT_NETWORK_BYTES),
    ):
        report.add(name, "size", file.stat().st_size, "bytes")
        report.claim(f"the {name} takes at most {limit:,} bytes", file.stat().st_size <= limit)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
