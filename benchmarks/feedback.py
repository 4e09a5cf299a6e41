"""Measure reading of feedback, spoken commands and repeated suggestions.

The reference is a person's labels.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput
from memoranda.feedback.command_parser import command
from memoranda.feedback.cue_classifier import read_feedback
from memoranda.feedback.cue_weights import score_turn
from memoranda.feedback.model import CommandKind, CommandOutcome, FeedbackType, ParsedFeedback
from memoranda.feedback.suggestion_comparison import same_suggestion
from memoranda.feedback.turn import turn_of
from memoranda.feedback.vector_classifier import read_with_vectors
from memoranda.memories.model import MemoryStatus
from memoranda.models.embedding.minilm import LocalEmbedder

RESAMPLES = 400
LABELS = (*map(str, FeedbackType), "none")
LOW = 2.0
"""Mean of the raters' marks (1 to 5) up to which a turn is dissatisfied."""

Judged = tuple[str, str, bool]
"""(label, prediction, whether the prediction was certain)."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A turn: its score of dissatisfaction, and whether raters saw any."""

    score: float
    low: bool


def lines(file: Path) -> list[dict[str, Any]]:
    """Read JSON lines."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def macro(judged: Sequence[Judged]) -> float:
    """Return the mean F1 of the six classes."""
    return sum(f1(judged, label) for label in LABELS) / len(LABELS)


def f1(judged: Sequence[Judged], label: str) -> float:
    """Return F1 of one class."""
    right = sum(gold == result == label for gold, result, _ in judged)
    both = sum((gold == label) + (result == label) for gold, result, _ in judged)
    return 2 * right / both if both else 0.0


def interval(items: Sequence[Any], figure: Callable[[Sequence[Any]], float], seed: int) -> str:
    """Return the 95% bootstrap interval of a figure over the items."""
    dice = random.Random(seed)
    drawn = sorted(figure(dice.choices(items, k=len(items))) for _ in range(RESAMPLES))
    return f"[{drawn[int(0.025 * RESAMPLES)]:.3f}, {drawn[int(0.975 * RESAMPLES)]:.3f}]"


# --- feedback -------------------------------------------------------------------------------


def turns(report: Report, file: Path, chosen: argparse.Namespace) -> None:
    """Measure each part of the labelled turns, by cues alone and with vectors."""
    embedder = LocalEmbedder()
    ways: dict[str, Callable[[str, str | None], ParsedFeedback]] = {
        "cues alone": read_feedback,
        "cues and model": lambda turn, before: read_with_vectors(turn, before, embedder),
    }
    rows, found = lines(file), {}
    for part in sorted({row["split"] for row in rows}):
        progress(f"turns: {part}")
        for way, read in ways.items():
            judged = [_judge(row, read) for row in rows if row["split"] == part]
            found[part, way] = tell_turns(report, f"turns, {part}, {way}", judged, chosen.seed)
    ordinary, without = (
        found[chosen.ordinary, "cues and model"],
        found[chosen.without, "cues and model"],
    )
    report.claim("ordinary wording: macro-F1 at least .95", ordinary >= 0.95)
    report.claim("wording without cues: macro-F1 at least .70", without >= 0.7)
    started = time.process_time()
    for row in rows:
        read_feedback(row["user"], row["assistant"] or None)
    spent = (time.process_time() - started) / len(rows)
    report.add("time", "reading a turn by cues", 1e6 * spent, "µs")
    report.claim("a turn is read by cues in less than 1 ms", spent < 0.001)


def _judge(row: dict[str, Any], read: Callable[[str, str | None], ParsedFeedback]) -> Judged:
    reading = read(row["user"], row["assistant"] or None)
    return row["label"], str(reading.type) if reading.type else "none", reading.sure


def tell_turns(report: Report, section: str, judged: Sequence[Judged], seed: int) -> float:
    """Add the figures of labelled turns; return macro-F1."""
    found = macro(judged)
    report.add(section, "macro-F1", f"{found:.3f}", note=interval(judged, macro, seed))
    right = sum(gold == result for gold, result, _ in judged)
    report.add(section, "accuracy", f"{right / len(judged):.3f}", note=f"of {len(judged)} turns")
    each = ", ".join(f"{label} {f1(judged, label):.2f}" for label in LABELS)
    report.add(section, "F1", "each", note=each)
    sure = [gold == result for gold, result, certain in judged if certain]
    share = sum(sure) / len(sure) if sure else 0.0
    report.add(section, "sure", len(sure), note=f"{share:.3f} of them right")
    return found


# --- commands and suggestions ---------------------------------------------------------------


def commands(report: Report, file: Path) -> None:
    """Measure commands and traps."""
    rows = lines(file)
    right = traps = 0
    for row in rows:
        detected = command(row["text"])
        result = (str(detected.kind), detected.argument) if detected else ("none", "")
        matches = result == (row["command"], row["argument"])
        right += matches
        traps += matches and row["command"] == "none"
    trapped = sum(row["command"] == "none" for row in rows)
    report.add("commands", "right, with their argument", right, note=f"of {len(rows)}")
    report.add("commands", "traps avoided", traps, note=f"of {trapped}")
    report.claim("every command and every trap is read rightly", right == len(rows))


WANTED = {
    CommandKind.REMEMBER: CommandOutcome.REMEMBERED,
    CommandKind.RULE: CommandOutcome.REMEMBERED,
    CommandKind.FORGET: CommandOutcome.ARCHIVED,
    CommandKind.KNOW: CommandOutcome.TOLD,
    CommandKind.OPTIMIZE: CommandOutcome.OPTIMIZED,
}


def wired(report: Report, file: Path) -> None:
    """Send each command and trap to a memory of its own; check the effect."""
    rows, right = lines(file), 0
    with TemporaryDirectory() as folder:
        settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
        with Memoranda.open(settings=settings) as memory:
            for number, row in enumerate(rows):
                right += _obeyed(memory, f"place-{number}", row)
    report.add("commands", "carried out, traps refused", right, note=f"of {len(rows)}")
    report.claim("every command is carried out, no trap is", right == len(rows))


def _obeyed(memory: Memoranda, place: str, row: dict[str, Any]) -> bool:
    """Return whether a command had its intended effect and no other."""
    kept = memory.remember(row["argument"] or "prices are net", workspace=place)
    try:
        done = memory.say(row["text"], workspace=place)
    except InvalidInput:
        return row["command"] == "none" and memory.memories.evidence(kept.id).memory == kept
    if row["command"] == "none" or done.outcome is not WANTED[CommandKind(row["command"])]:
        return False
    left = memory.memories.list(workspace=place, status=MemoryStatus.APPROVED).items
    return len(left) == (0 if done.outcome is CommandOutcome.ARCHIVED else 1)


def suggestions(report: Report, file: Path, seed: int) -> None:
    """Measure pairs of suggestions, with and without vectors."""
    rows = lines(file)
    texts = sorted({row[side] for row in rows for side in "ab"})
    vectors = dict(zip(texts, LocalEmbedder().embed(texts), strict=True))
    half = len(rows) // 2
    for way, near in (("with vectors", True), ("without vectors", False)):
        judged = []
        for row in rows:
            cosine = float(vectors[row["a"]] @ vectors[row["b"]]) if near else None
            judged.append((row["same"], same_suggestion(row["a"], row["b"], cosine)))
        for part, pairs in (("first half", judged[:half]), ("second half", judged[half:])):
            precision, recall, both = pair_figures(pairs)
            section = f"suggestions, {way}, {part}"
            drawn = interval(pairs, lambda some: pair_figures(some)[2], seed)
            report.add(section, "F1", f"{both:.3f}", note=drawn)
            report.add(section, "precision", f"{precision:.3f}", note=f"{len(pairs)} pairs")
            report.add(section, "recall", f"{recall:.3f}")
        if near:
            precision, recall, _ = pair_figures(judged)
            passed = precision >= 0.9 and recall >= 0.85
            report.claim("suggestions: precision at least .90, recall at least .85", passed)


def pair_figures(pairs: Sequence[tuple[bool, bool]]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of pairs of label and answer."""
    right = sum(gold and result for gold, result in pairs)
    result, there = sum(result for _, result in pairs), sum(gold for gold, _ in pairs)
    return right / max(1, result), right / max(1, there), 2 * right / max(1, result + there)


# --- dissatisfied turns ---------------------------------------------------------------------


def dialogues(file: Path) -> list[list[Marked]]:
    """Read dialogues of tab-separated speaker, text, action and marks.

    An empty line ends a dialogue.
    """
    found: list[list[Marked]] = [[]]
    before = ""
    for line in file.read_text("utf-8").splitlines():
        if not line.strip():
            found.append([])
            before = ""
            continue
        who, text, *rest = [*line.split("\t"), ""]
        if who == "SYSTEM":
            before = text
        elif text != "OVERALL" and (
            marks := [
                int(mark)
                for part in rest[-2:]
                for mark in part.split(",")
                if mark.strip().isdigit()
            ]
        ):
            found[-1].append(Marked(dissatisfied(text, before), sum(marks) / len(marks) <= LOW))
    return [turns for turns in found if turns]


def dissatisfied(turn: str, before: str) -> float:
    """Return the score of correction or rejection minus that of approval."""
    scores = score_turn(turn_of(turn, before or None)).scores
    against = scores[FeedbackType.CORRECTION] + scores[FeedbackType.REJECTION]
    return against - scores[FeedbackType.APPROVAL]


def area(turns: Sequence[Marked]) -> float:
    """Return the area under the ROC curve of low turns against the others."""
    ordered = sorted(turns, key=lambda turn: turn.score)
    low = sum(turn.low for turn in ordered)
    if not low or low == len(ordered):
        return 0.5
    ranks, at = 0.0, 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end].score == ordered[at].score:
            end += 1
        ranks += sum(turn.low for turn in ordered[at:end]) * (at + 1 + end) / 2
        at = end
    return (ranks - low * (low + 1) / 2) / (low * (len(ordered) - low))


def satisfaction(report: Report, file: Path, seed: int) -> None:
    """Measure the ranking of dissatisfied turns; bootstrap over dialogues."""
    progress(f"dialogues: {file.name}")
    read = dialogues(file)
    turns = [turn for dialogue in read for turn in dialogue]
    drawn = interval(read, lambda some: area([turn for one in some for turn in one]), seed)
    low = sum(turn.low for turn in turns)
    report.add("dissatisfied turns", file.stem, f"{area(turns):.3f}",
               note=f"{drawn}, {low} of {len(turns):,} turns")  # fmt: skip


def options() -> argparse.Namespace:
    """Read the command line."""
    made = parser(__doc__)
    made.add_argument("--turns", type=Path, help="JSON lines: label, assistant, user, split")
    made.add_argument("--ordinary", default="test", help="the split of ordinary wording")
    made.add_argument("--without", default="late", help="the split of wording without cues")
    made.add_argument("--commands", type=Path, help="JSON lines: command, text, argument")
    made.add_argument("--suggestions", type=Path, help="JSON lines: a, b, same")
    made.add_argument("--data", type=Path, help="a folder with rated dialogues, uss_*.txt")
    made.add_argument("--dialogues", type=Path, nargs="*", default=(), help="rated dialogues")
    return made.parse_args()


def main() -> int:
    """Measure on the sets of the command line."""
    chosen = options()
    report = Report("feedback", {key: str(value) for key, value in vars(chosen).items()})
    if chosen.turns:
        turns(report, chosen.turns, chosen)
    if chosen.commands:
        commands(report, chosen.commands)
        wired(report, chosen.commands)
    if chosen.suggestions:
        suggestions(report, chosen.suggestions, chosen.seed)
    found = sorted(chosen.data.glob("uss_*.txt")) if chosen.data else []
    for file in [*found, *chosen.dialogues]:
        satisfaction(report, file, chosen.seed)
    progress("")
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
