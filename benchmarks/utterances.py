"""Cross-validate the utterance classifier over files of messages."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fit_utterances import DATA, STEPS, Message, Seen, fit, messages, seen
from measuring.report import Report, parser, progress
from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.utterances import LABELS, LASTING, UtteranceClassifier, UtterancePart
from memoranda.utterances.model import WEIGHTS, UtteranceModel

NOW = frozenset({"order", "question", "none"})
"""Labels of parts that apply only for the moment."""
SURE = 0.5
"""The confidence above which such a part counts as falsely lasting."""
LIMIT_MS, LIMIT_PLAIN_MS, LIMIT_BYTES = 10.0, 3.0, 400_000


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


def measure(
    report: Report, rows: Sequence[Message], model: UtteranceModel, way: str
) -> list[tuple[Message, list[Judged]]]:
    """Classify messages with a model; report the time per message."""
    embedder = LocalEmbedder() if way == "with the network" else None
    classifier = UtteranceClassifier(embedder, model)
    classifier.parts("warm", "up")
    started = time.process_time(), time.perf_counter()
    read = [classifier.parts(row.text, row.before) for row in rows]
    spent = [
        1e3 * (now - then) / len(rows)
        for now, then in zip((time.process_time(), time.perf_counter()), started, strict=True)
    ]
    section = f"{rows[0].file}, {way}"
    report.add(section, "a message", spent[1], "ms", f"{spent[0]:.1f} of processors")
    return [(row, list(judged(row, found))) for row, found in zip(rows, read, strict=True)]


def files_of(rows: Iterable[Message]) -> dict[str, list[Message]]:
    """Group the messages by file."""
    found: dict[str, list[Message]] = defaultdict(list)
    for row in rows:
        found[row.file].append(row)
    return found


def main() -> int:
    """Fit without each file in turn, and evaluate on it."""
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=DATA, help="folder of labelled messages")
    options.add_argument("--only", nargs="*", help="files that are left out in turn: u1 u2 …")
    options.add_argument("--steps", type=int, default=STEPS, help="of the fit")
    chosen = options.parse_args()
    report = Report("utterances", vars(chosen))
    files = files_of(messages(sorted(chosen.data.glob("*.jsonl"))))
    progress("states")
    read = {name: [seen(row) for row in rows] for name, rows in files.items()}
    for way, sets in _left_out(report, read, chosen.only or list(files), chosen.steps):
        for section, found in sorted(sets.items()):
            print_section(report, f"{section}, {way}", found)
    report.add("weights", "size", WEIGHTS.stat().st_size, "bytes")
    report.claim("the weights take at most 400 kB", WEIGHTS.stat().st_size <= LIMIT_BYTES)
    return report.finish(as_json=chosen.json)


def _left_out(
    report: Report, files: dict[str, list[Seen]], names: Sequence[str], steps: int
) -> Iterable[tuple[str, dict[str, list[Judged]]]]:
    """Return the predictions by way of reading, for each file and language."""
    sets: dict[str, dict[str, list[Judged]]] = defaultdict(lambda: defaultdict(list))
    for name in names:
        progress(f"without {name}")
        others = [one for other, rows in files.items() if other != name for one in rows]
        model = fit(others, steps)
        rows = [one.message for one in files[name]]
        for way in ("with the network", "without"):
            for row, found in measure(report, rows, model, way):
                sets[way][name] += found
                sets[way][f"language {row.language}"] += found
    return sets.items()


if __name__ == "__main__":
    sys.exit(main())
