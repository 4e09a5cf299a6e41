"""Import public runs and transcripts, and check them against the source.

    python benchmarks/imports.py FILE ...

A file is a collection of public runs (see convert_runs.py) or a transcript, detected from its
content. A context is built for each.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measuring.report import Report, parser, progress
from memoranda.context.renderer import escape
from memoranda.exceptions import BudgetTooSmall, InvalidInput
from memoranda.memories.memory_service import NewMemory
from memoranda.memory import Memoranda
from memoranda.models.tokens import ToktokCounter
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.observations.table import ObservationFilter

CRITICAL_MEMORY = "Every figure that is published names the commit it was measured on."
KEPT_KINDS = frozenset({"message", "tool_result", "error", "checkpoint", "agent_end"})
"""Generic records that become observations; others only change a task."""
EVERYTHING = ObservationFilter(with_repeats=True)


@dataclass(slots=True)
class Outcome:
    """Results of importing a set of files."""

    files: int = 0
    source: Counter[str] = field(default_factory=Counter)
    """Counted in the files themselves, without Memoranda's readers."""
    stored: Counter[str] = field(default_factory=Counter)
    added_again: int = 0
    contexts: int = 0
    over_budget: int = 0
    refused: int = 0
    """Contexts refused because critical facts alone exceed the budget."""
    constraints: int = 0
    missing: int = 0
    """Critical facts missing from a context."""
    tokens: list[int] = field(default_factory=list)


def main(arguments: list[str] | None = None) -> int:
    """Import everything; return 1 on a failed claim, 2 on an unusable file."""
    options = _options(arguments)
    report = Report("imports", {**vars(options), "files": [path.name for path in options.files]})
    try:
        for path in options.files:
            _one_source(report, path, options)
    except _Unusable as error:
        print(error, file=sys.stderr)
        return 2
    return report.finish(as_json=options.json)


class _Unusable(Exception):
    """A file that cannot be measured, and the reason."""


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("files", nargs="+", type=Path, help="public runs or transcripts")
    made.add_argument("--budget", type=int, default=2_000, help="tokens of a context")
    made.add_argument("--limit", type=int, help="at most this many runs of a file")
    return made.parse_args(arguments)


def _one_source(report: Report, path: Path, options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="imports-") as folder:
        transcripts = _transcripts(path, Path(folder), options.limit)
        with Memoranda.open(Path(folder) / "store", workspace="bench") as memory:
            memory.remember(NewMemory(CRITICAL_MEMORY, critical=True), workspace="bench")
            outcome = Outcome()
            for number, transcript in enumerate(transcripts, 1):
                _import(memory, transcript, outcome, options.budget)
                progress(f"{path.name}: {number} of {len(transcripts)}")
            progress("")
            sound = memory.journal.verify().intact
            sound = sound and not any(f.verdict == "failure" for f in memory.store.doctor())
    _show(report, path.name, outcome, options.budget, sound=sound)


def _transcripts(path: Path, folder: Path, limit: int | None) -> list[Path]:
    """Return the file itself, or its runs converted to generic events."""
    if not path.is_file():
        raise _Unusable(f"no file {path}")
    if not _holds_runs(path):
        return [path]
    try:
        import convert_runs
    except ImportError as error:
        raise _Unusable(
            f"{path} holds public runs, and convert_runs.py, which reads them, is not there"
        ) from error
    runs = [convert_runs.convert(run) for run in convert_runs.load(path)[:limit]]
    convert_runs.name_apart(runs)
    made = []
    for run in runs:
        target = folder / f"{run.name}.jsonl"
        target.write_text(run.text(), encoding="utf-8")
        made.append(target)
    return made


def _holds_runs(path: Path) -> bool:
    raw = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    head = raw.lstrip()
    if head.startswith(b"["):
        return True
    try:
        first = json.loads(head.split(b"\n", 1)[0])
    except ValueError:
        return False
    return isinstance(first, dict) and ("trajectory" in first or "traj" in first)


def _import(memory: Memoranda, path: Path, outcome: Outcome, budget: int) -> None:
    outcome.files += 1
    outcome.source += counted(path)
    try:
        report = memory.capture.import_transcript(path, workspace="bench")
    except InvalidInput as error:
        raise _Unusable(f"{path.name}: {error}") from error
    for task in report.intake.tasks:
        observations = _all(memory, task)
        outcome.stored["observations"] += len(observations)
        outcome.stored["tool calls"] += sum(found.tool is not None for found in observations)
        outcome.stored["errors"] += sum(o.type is ObservationType.ERROR for o in observations)
        outcome.stored["fixes"] += sum(o.type is ObservationType.FIX for o in observations)
        outcome.stored["folded"] += sum(found.repeats is not None for found in observations)
        _brief(memory, task, observations, outcome, budget)
    for again in (False, True):
        second = memory.capture.import_transcript(path, workspace="bench", again=again)
        outcome.added_again += second.intake.observations


def counted(path: Path) -> Counter[str]:
    """Count the records of a transcript by reading its JSON alone.

    For generic records, all kept ones; for a coding agent's transcript, tool calls by id.
    """
    found: Counter[str] = Counter()
    calls: set[str] = set()
    for line in path.read_text("utf-8", "replace").split("\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        if isinstance(record.get("kind"), str):
            kept = record["kind"] in KEPT_KINDS and (record.get("tool") or record.get("text"))
            found["observations"] += bool(kept)
            found["tool calls"] += bool(kept) and record["kind"] == "tool_result"
        calls |= _call_ids(record)
    found["tool calls"] += len(calls)
    return found


def _call_ids(record: dict[str, Any]) -> set[str]:
    message = record.get("message")
    blocks = message.get("content") if isinstance(message, dict) else None
    if not isinstance(blocks, list):
        blocks = [record.get("payload")]
    uses = [block for block in blocks if isinstance(block, dict)]
    claude = {str(use.get("id")) for use in uses if use.get("type") == "tool_use"}
    codex = {str(use["call_id"]) for use in uses if str(use.get("type")).endswith("_call")}
    return claude | codex


def _all(memory: Memoranda, task: str) -> list[Observation]:
    found: list[Observation] = []
    cursor = None
    while True:
        page = memory.observations.list(task=task, where=EVERYTHING, cursor=cursor, limit=1000)
        found += page
        cursor = page.cursor
        if cursor is None:
            return found


def _brief(
    memory: Memoranda, task: str, observations: list[Observation], outcome: Outcome, budget: int
) -> None:
    """Build a context of one run; look for each critical fact in its text."""
    stated = [
        sentence
        for found in observations
        if found.origin is Origin.HUMAN
        for sentence in found.constraints
    ]
    outcome.contexts += 1
    outcome.constraints += len(stated)
    try:
        brief = memory.context(budget=budget, workspace="bench", task=task)
    except BudgetTooSmall as error:
        outcome.refused += 1
        print(f"task {task}: critical facts of {error.needed} tokens", file=sys.stderr)
        return
    outcome.tokens.append(brief.tokens)
    true_count = ToktokCounter(memory.settings.tokenizer).count(brief.text)
    outcome.over_budget += max(brief.tokens, true_count) > budget
    for fact in (CRITICAL_MEMORY, *stated):
        if escape(fact) not in brief.text:
            outcome.missing += 1
            print(f"task {task}: not in its context: {fact!r}", file=sys.stderr)


def _show(report: Report, name: str, outcome: Outcome, budget: int, *, sound: bool) -> None:
    for label, count in outcome.stored.items():
        source = outcome.source.get(label)
        note = "" if source is None else f"{source:,} in the source"
        report.add(name, label, count, "", note)
    report.add(name, "runs or transcripts", outcome.files)
    report.add(name, "added by importing again", outcome.added_again, "", "on, and from the start")
    report.add(name, "constraints of people", outcome.constraints)
    if outcome.tokens:
        note = f"mean {sum(outcome.tokens) / len(outcome.tokens):,.0f}, budget {budget:,}"
        report.add(name, "largest context", max(outcome.tokens), "tokens", note)
    report.add(name, "contexts refused", outcome.refused, "", "critical facts alone need more")
    same = all(outcome.stored[label] == count for label, count in outcome.source.items())
    report.claim(f"{name}: everything in the source is stored, once", same)
    report.claim(f"{name}: importing again adds nothing", outcome.added_again == 0)
    fits = outcome.over_budget == 0 and outcome.refused == 0
    report.claim(f"{name}: {outcome.contexts} contexts within {budget:,} tokens", fits)
    report.claim(f"{name}: every critical fact is in its context", outcome.missing == 0)
    report.claim(f"{name}: the store is whole", sound)


if __name__ == "__main__":
    sys.exit(main())
