"""Replay recorded runs: recall of the next action's values, tokens sent.

Whether an agent with such contexts solves its tasks takes a model and is not measured.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import convert_runs
from measuring.page import Plot, page
from measuring.plots import Line, lines
from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.capture.event import EventSource
from memoranda.capture.hosts.generic.payload import record_event, record_frame
from memoranda.config import load_settings
from memoranda.models.tokens import ToktokCounter
from quality import interval

FILES = {
    "tau-bench": "taubench_airline_gpt4o_a.json.xz",
    "SWE-agent": "sweagent_traj_a.jsonl.xz",
}
SHARE = 0.30
"""Maximum tokens of context and last steps, as a share of the history."""
LAST = 2
"""Last steps that are sent unchanged."""
LEAST = 150
"""Minimum tokens of a useful context."""
AIM, AHEAD = 0.95, 0.10
MARKS = (10, 25, 50, 100, 200, 400)
"""Steps of the long session at which the plot has points."""
BUDGET = 2_000
"""Tokens of a context in the long session, as in the default settings."""

_ATOM = re.compile(r"[\w./@:-]*[\d_/.][\w./@:-]*")
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """An agent's message and calls with their outputs, or another message."""

    records: Sequence[Record]
    text: str
    """The text that is sent again with every later step."""
    tokens: int

    @property
    def wanted(self) -> set[str]:
        """The values in its call's arguments."""
        call = self.records[-1]
        return set(_values(call["input"])) if call["kind"] == "tool_result" else set()


@dataclass(slots=True)
class Found:
    """For each value that an action needs: found 1 or 0; and tokens sent."""

    ours: list[float] = field(default_factory=list)
    window: list[float] = field(default_factory=list)
    sent: int = 0
    history: int = 0
    steps: int = 0
    with_room: int = 0
    passed_over: int = 0
    """Steps whose last two alone exceed the share."""


def _values(value: Any) -> Iterator[str]:
    """Yield names and numbers in a call's arguments, also inside long texts."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _values(one)
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, str) and (" " in value or "\n" in value):
        yield from (v for v in (m.strip(".,/-:") for m in _ATOM.findall(value)) if len(v) > 2)
    elif len(str(value)) > 2:
        yield str(value)


def has(text: str, value: str) -> bool:
    """Return whether a text has a value that is not part of another one."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def steps(run: convert_runs.Run, counter: ToktokCounter) -> list[Step]:
    """Split a run into steps, without the system prompt.

    The prompt is sent either way.
    """
    parts: list[list[Record]] = []
    for record in run.records:
        if record["kind"] not in ("message", "tool_result") or record.get("origin") == "generated":
            continue
        does = record["kind"] == "tool_result"
        if does and parts and parts[-1][-1].get("origin") == "agent":
            parts[-1].append(record)
        else:
            parts.append([record])
    texts = ["\n".join(map(_raw, part)) for part in parts]
    counts = counter.count_many(texts)
    return [Step(*one) for one in zip(parts, texts, counts, strict=True)]


def _raw(record: Record) -> str:
    if record["kind"] == "message":
        return f"{record['origin']}: {record['text']}"
    values = json.dumps(record["input"], ensure_ascii=False)
    return f"{record['tool']} {values}\n{record.get('output') or ''}"


class Replay:
    """Stores the steps of a run, and builds the contexts of the next ones."""

    def __init__(self, memory: Memoranda, name: str) -> None:
        self._memory = memory
        self._name = name
        self._fed = 0
        self._task = ""

    def feed(self, done: Sequence[Step]) -> None:
        """Store steps as a host would report them, with all derived data."""
        events = []
        for record in chain.from_iterable(step.records for step in done):
            self._fed += 1
            frame = record_frame(record, self._name, EventSource.TRANSCRIPT, self._fed * 1_000_000)
            event = record_event(record, frame, f"record-{self._fed}")
            events += [event] if event else []
        report = self._memory.capture.take(events, workspace=self._name)
        self._memory.capture.drain(wait=True)
        self._task = next(iter(report.tasks), self._task)

    def context(self, budget: int, in_view: int) -> str:
        """Return the context of the run so far without its newest records."""
        brief = self._memory.context(
            task=self._task, budget=budget, in_view=in_view, allow_overflow=True
        )
        return unescape(brief.text)


def replay(memory: Memoranda, name: str, run: Sequence[Step], every: int, found: Found) -> None:
    """Replay a run and examine one in ``every`` of its calls."""
    counter, replaying = ToktokCounter(), Replay(memory, name)
    fed = 0
    for at in range(LAST + 1, len(run)):
        history = "\n".join(step.text for step in run[:at])
        needed = [value for value in sorted(run[at].wanted) if has(history, value)]
        if not needed:
            continue
        whole = sum(step.tokens for step in run[:at])
        room = int(whole * SHARE) - sum(step.tokens for step in run[at - LAST : at])
        if room < LEAST:
            found.passed_over += 1
            continue
        found.with_room += 1
        if found.with_room % every:
            continue
        replaying.feed(run[fed:at])
        fed = at
        last = "\n".join(step.text for step in run[at - LAST : at])
        in_view = sum(len(step.records) for step in run[at - LAST : at])
        text = f"{replaying.context(room, in_view)}\n{last}"
        _compare(found, needed, history, text, counter)
        found.history += whole


def _compare(
    found: Found, needed: Sequence[str], history: str, text: str, counter: ToktokCounter
) -> None:
    tokens = counter.count(text)
    window = _end(history, tokens, counter)
    found.steps += 1
    found.sent += tokens
    found.ours += [float(has(text, value)) for value in needed]
    found.window += [float(has(window, value)) for value in needed]


def _end(text: str, tokens: int, counter: ToktokCounter) -> str:
    """Return the end of a text with at least ``tokens`` tokens."""
    low, high = 0, len(text)
    while high - low > 20:
        middle = (low + high) // 2
        low, high = (middle, high) if counter.count(text[middle:]) > tokens else (low, middle)
    return text[low:]


def recall(report: Report, name: str, runs: Sequence[Sequence[Step]], every: int) -> None:
    """Report the recall of action arguments in a set."""
    found = Found()
    with store() as memory:
        for number, run in enumerate(runs):
            progress(f"{name}: {number} of {len(runs)} runs")
            replay(memory, f"{name}-{number}", run, every, found)
    progress("")
    section = f"{name}: values of the next action that stood in the history"
    passed = (
        f"of {found.with_room:,}; at {found.passed_over:,} others the last {LAST} steps leave no "
        f"{LEAST} tokens of {SHARE:.0%}"
    )
    report.add(section, "steps looked at", found.steps, note=passed)
    if not found.steps:
        return
    seed = report.arguments["seed"]
    gaps = [one - other for one, other in zip(found.ours, found.window, strict=True)]
    report.add(section, "full history", "1.000", note=f"{len(found.ours)} values")
    for title, values in (
        (f"context and the last {LAST} steps", found.ours),
        ("sliding window of equal tokens", found.window),
        ("difference", gaps),
    ):
        low, high = interval(values, seed)
        report.add(section, title, f"{_mean(values):.3f}", note=f"[{low:.3f}, {high:.3f}]")
    share = found.sent / found.history
    report.add(section, "tokens, of the full history", f"{share:.1%}", note=f"{found.history:,}")
    report.claim(f"{name}: at least .95 of the full history's recall", _mean(found.ours) >= AIM)
    report.claim(f"{name}: at most 30 % of its tokens", share <= SHARE)
    report.claim(f"{name}: at least 10 points over the window", _mean(gaps) >= AHEAD)


def session(report: Report, runs: Sequence[Sequence[Step]], plot: Path | None) -> None:
    """Join runs into one long session; count tokens with and without memory.

    The contexts are built at the marks; each counts for the steps since the mark before.
    """
    long = list(chain.from_iterable(runs))
    marks = [mark for mark in MARKS if mark <= len(long)]
    whole = list(accumulate(step.tokens for step in long))
    without = list(accumulate(whole))
    counter, total, before = ToktokCounter(), 0, 0
    curves: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with store() as memory:
        replaying = Replay(memory, "session")
        for mark in marks:
            progress(f"session: {mark} steps")
            replaying.feed(long[before:mark])
            in_view = sum(len(step.records) for step in long[mark - LAST : mark])
            context = counter.count(replaying.context(BUDGET, in_view))
            pairs = [sum(s.tokens for s in long[max(0, n - LAST) : n]) for n in range(before, mark)]
            totals = [whole[n - 1] if n else 0 for n in range(before, mark)]
            total += sum(min(context + p, h) for p, h in zip(pairs, totals, strict=True))
            sent = without[mark - 2] if mark > 1 else 0
            curves["whole history"].append((mark, sent / 1e6))
            curves["context and last steps"].append((mark, total / 1e6))
            saved = 1 - total / max(1, sent)
            text = f"{total:,} in place of {sent:,}; context {context:,}"
            report.add("one session of many runs", f"sent in {mark} steps, less", f"{saved:.1%}",
                       note=text)  # fmt: skip
            before = mark
    progress("")
    report.claim("one long session: at least 70 % fewer tokens", saved >= 0.7)
    if plot:
        drawn = [Line(name, points) for name, points in curves.items()]
        figure = lines(drawn, list(curves), "steps", "million tokens sent")
        plot.write_text(page([Plot("Tokens sent over a session", figure)]), "utf-8")


@contextmanager
def store() -> Iterator[Memoranda]:
    """Yield a temporary store that derives no vectors."""
    with tempfile.TemporaryDirectory(prefix="replays-") as folder:
        settings = load_settings({"data_dir": folder, "embedder": "none"})
        with Memoranda.open(settings=settings) as memory:
            yield memory


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def main(arguments: list[str] | None = None) -> int:
    """Measure every set that is there."""
    made = parser(__doc__)
    made.add_argument("--data", type=Path, required=True, help="folder with the public runs")
    made.add_argument("--runs", type=int, default=0, help="of each set; all if not given")
    made.add_argument("--every", type=int, default=2, help="look at every so many calls")
    made.add_argument("--plot", type=Path, help="write the curves to this HTML file")
    made.add_argument("--report", action="store_true", help="exit 0 though a claim is broken")
    chosen: argparse.Namespace = made.parse_args(arguments)
    report, counter = Report("replays", vars(chosen)), ToktokCounter()
    sets: dict[str, list[list[Step]]] = {}
    for name, file in FILES.items():
        sources = convert_runs.load(chosen.data / file)[: chosen.runs or None]
        sets[name] = [steps(convert_runs.convert(source), counter) for source in sources]
        recall(report, name, sets[name], chosen.every)
    session(report, list(chain.from_iterable(sets.values())), chosen.plot)
    report.add("success of the agent at its tasks", "with and without", "not measured")
    code = report.finish(as_json=chosen.json)
    return 0 if chosen.report else code


if __name__ == "__main__":
    sys.exit(main())
