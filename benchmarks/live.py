"""Measure live mode: tokens saved, facts kept, hook cost, context size."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, cycle, islice
from math import log
from pathlib import Path

import convert_runs
import hook
from measuring.burst import settle
from measuring.page import Plot, page
from measuring.plots import Line, lines
from measuring.processes import Command, Timing, interleaved
from measuring.report import Report, parser, progress
from memoranda.hook_output import READERS, ROOM, excerpt, shortened
from memoranda.models.tokens import ToktokCounter

FILES = {
    "SWE-agent": "sweagent_traj_a.jsonl.xz",
    "tau-bench": "taubench_airline_gpt4o_a.json.xz",
}
SIZES = (10_000, 100_000, 1_000_000)
CPU_MS = 30.0
"""Limit of the hook at 100 kB: milliseconds of the fastest run."""
SMALLEST = 2_000
"""The lowest configurable limit, in bytes."""
NOTE = "memoranda observation show 0123456789ab --full"
SHOWS_FILES = READERS | {"open", "goto", "scroll_up", "scroll_down", "edit", "create"}
"""SWE-agent commands that show a file; live mode leaves them whole."""
STEPS = (25, 50, 100, 200, 400)
MOST_A_STEP = 3_000
"""Tokens; a limit of 6,000 bytes shows two thirds of that."""
LONG_EVERY = 4
"""One step of the session in so many has a local command's output."""
LIBRARY = str(Path(json.__file__).parent)
FAILING = """
import unittest
class Totals(unittest.TestCase):
    pass
for n in range(120):
    def test(self, n=n):
        self.assertEqual(n % 40 == 7, n == 7, f"order {n}")
    setattr(Totals, f"test_{n:03}", test)
unittest.main(argv=["orders", "-v"])
"""
"""Output of 120 tests of which two fail."""
COMMANDS = {
    "git log --stat": ("git", "log", "--stat", "-60"),
    "grep -rn": ("grep", "-rn", "--include=*.py", "def ", LIBRARY),
    "find": ("find", "src", "tests", "docs", "-type", "f"),
    "python -v": (sys.executable, "-v", "-c", "import json.nonesuch"),
    "unittest -v": (sys.executable, "-m", "unittest", "-v", "test.test_json", "nonesuch"),
    "unittest failing": (sys.executable, "-c", FAILING),
}
"""Commands with long outputs that an agent might run in this repository."""

SEARCHES = ("grep", "search", "find")
"""Commands that print file content, where error words are no errors."""

_TROUBLE = re.compile(
    r"\b(?:\w*error|\w*exception|fail(?:ed|ure)?|fatal|traceback|denied|not found|cannot)\b", re.I
)
_NUMBER = re.compile(r"\d[\d.,:]*")


@dataclass(frozen=True, slots=True)
class Output:
    """Output of one tool call."""

    name: str
    text: str
    shows_file: bool = False


@dataclass(slots=True)
class Kept:
    """Salient facts of outputs, and how many their short forms keep."""

    facts: int = 0
    kept: int = 0

    def count(self, facts: Sequence[str], short: str) -> None:
        """Count the facts of one output."""
        self.facts += len(facts)
        self.kept += sum(fact in short for fact in facts)

    @property
    def share(self) -> float:
        """The share that is kept; 1 if there are no facts."""
        return self.kept / self.facts if self.facts else 1.0


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    made = parser(__doc__)
    made.add_argument("--data", type=Path, required=True, help="folder with the public runs")
    made.add_argument("--rounds", type=int, default=40, help="runs of the hook for each size")
    made.add_argument("--plot", type=Path, help="write the curves to this HTML file")
    options = made.parse_args(arguments)
    report = Report("live", vars(options))
    public = {name: list(outputs(options.data / file)) for name, file in FILES.items()}
    own = list(machine_outputs())
    for limit in (6_000, SMALLEST):
        for name, found in (*public.items(), ("commands", own)):
            _saved(report, f"{name}, over {limit:,} bytes", found, limit)
    _each(report, own)
    _session(report, list(chain(*public.values())), own, options.plot)
    with tempfile.TemporaryDirectory(prefix="live-") as folder:
        _cost(report, Path(folder), options)
    return report.finish(as_json=options.json)


def outputs(path: Path) -> Iterator[Output]:
    """Yield the tool outputs of public runs, in order."""
    for source in convert_runs.load(path):
        for record in convert_runs.convert(source).records:
            text = record.get("output")
            if record["kind"] != "tool_result" or not isinstance(text, str):
                continue
            name = record["tool"]
            if name == "shell":
                name = record["input"]["command"].split()[0]
            yield Output(name, text, shows_file=name in SHOWS_FILES)


def machine_outputs() -> Iterator[Output]:
    """Run commands in this repository and yield what they print."""
    for name, words in COMMANDS.items():
        progress(name)
        done = subprocess.run(
            words,
            capture_output=True,
            check=False,
            cwd=Path(__file__).parents[1],
            env={**os.environ, "GIT_PAGER": "cat"},
        )
        yield Output(name, (done.stdout + done.stderr).decode("utf-8", "replace"))
    progress("")


def shown(output: Output, limit: int) -> str:
    """Return the form of an output that an agent sees in live mode."""
    if output.shows_file:
        return output.text
    short = shortened(output.text, limit, NOTE)
    return output.text if short is None else str(short)


def troubles(text: str) -> list[str]:
    """Return error lines, one of each group that differs only in numbers."""
    first: dict[str, str] = {}
    for line in text.splitlines():
        if _TROUBLE.search(line):
            first.setdefault(_NUMBER.sub("#", line), line.strip()[:200])
    return list(first.values())


def _saved(report: Report, section: str, found: Sequence[Output], limit: int) -> None:
    count = ToktokCounter().count_many
    short = [shown(output, limit) for output in found]
    whole_tokens = count([output.text for output in found])
    short_tokens = count(short)
    cut = [place for place, output in enumerate(found) if output.text != short[place]]
    before = sum(whole_tokens[place] for place in cut)
    after = sum(short_tokens[place] for place in cut)
    saved = 1 - sum(short_tokens) / sum(whole_tokens)
    report.add(section, "outputs shortened", len(cut), "", f"of {len(found):,}")
    report.add(section, "tokens saved of all", saved * 100, "%", f"of {sum(whole_tokens):,}")
    if not cut:
        return
    report.add(section, "tokens of those, before and after", f"{before:,} → {after:,}")
    edges, lines_kept, numbers = Kept(), Kept(), Kept()
    for place in cut:
        text = found[place].text
        rows = [row.strip() for row in text.splitlines() if row.strip()]
        edges.count([row[:200] for row in (*rows[:3], *rows[-3:])], short[place])
        trouble = [] if found[place].name.startswith(SEARCHES) else troubles(text)
        lines_kept.count(trouble, short[place])
        numbers.count([n for line in trouble for n in _NUMBER.findall(line)], short[place])
    for name, kept in (
        ("first and last three lines kept", edges),
        ("lines of trouble kept", lines_kept),
        ("numbers on them kept", numbers),
    ):
        report.add(section, name, kept.share * 100, "%", f"{kept.kept:,} of {kept.facts:,}")
    if limit > SMALLEST:
        report.claim(f"{section}: the first and last lines stay", edges.share == 1.0)
        if lines_kept.facts:
            report.claim(f"{section}: lines of trouble stay", lines_kept.share >= 0.95)


def _each(report: Report, found: Sequence[Output]) -> None:
    for output in found:
        size = len(output.text.encode())
        short = excerpt(output.text, int(6_000 * ROOM))
        trouble, kept = troubles(output.text), Kept()
        kept.count(trouble, short)
        note = f"{kept.kept:,} of {kept.facts:,} lines of trouble"
        report.add("commands, bytes shown", output.name, f"{size:,} → {len(short):,}", "", note)


def _session(
    report: Report, public: Sequence[Output], own: Sequence[Output], plot: Path | None
) -> None:
    """Simulate a session in which every step resends all earlier outputs."""
    steps = list(islice(_steps(public, own), max(STEPS)))
    count = ToktokCounter().count_many
    curves = {
        "as it is": count([step.text for step in steps]),
        "live": count([shown(step, 6_000) for step in steps]),
    }
    drawn, section = [], f"a session: public runs, every {LONG_EVERY}th step a command"
    for name, tokens in curves.items():
        context = list(accumulate(tokens))
        sent = list(accumulate(context))
        drawn.append(Line(name, [(n, sent[n - 1] / 1e6) for n in STEPS]))
        for number in (STEPS[1], STEPS[-1]):
            text, total = context[number - 1], sent[number - 1]
            report.add(section, f"{name}: context after {number} steps", text, "tokens")
            report.add(section, f"{name}: sent in {number} steps", total, "tokens")
        report.add(section, f"{name}: most that a step adds", max(tokens), "tokens")
        growth, sent_growth = _exponent(context), _exponent(sent)
        note = f"what is sent in all: {sent_growth:.2f}"
        report.add(section, f"{name}: context grows with steps to the power", growth, "", note)
    report.claim("live: the context grows linearly with steps", growth <= 1.1)
    report.claim(f"live: no step adds more than {MOST_A_STEP:,} tokens", max(tokens) <= MOST_A_STEP)
    if plot:
        figure = lines(drawn, [*curves], "steps", "million tokens sent")
        plot.write_text(page([Plot("Tokens sent over a session", figure)]), "utf-8")


def _steps(public: Sequence[Output], own: Sequence[Output]) -> Iterator[Output]:
    short, long = cycle(public), cycle(own)
    for number in range(1, sys.maxsize):
        yield next(short) if number % LONG_EVERY else next(long)


def _exponent(curve: Sequence[int]) -> float:
    first, last = STEPS[1], STEPS[-1]
    return log(curve[last - 1] / curve[first - 1]) / log(last / first)


def _cost(report: Report, home: Path, options: argparse.Namespace) -> None:
    data_dir = home / "data"
    (data_dir / "spool").mkdir(parents=True)
    words = (*hook.command("live"), "claude-code", "6000")
    plain = hook.command("spool")
    commands: dict[str, tuple[Command, Path | None]] = {
        "bare": ((sys.executable, "-I", "-S", "-c", "pass"), None)
    }
    for size in SIZES:
        event = home / f"{size}.json"
        event.write_text(json.dumps(hook.payload(f"live{size}", size)), "utf-8")
        commands[f"spool, {size // 1000} kB"] = (plain, event)
        commands[f"live, {size // 1000} kB"] = (words, event)
    settle(data_dir)
    environ = {"PATH": os.environ.get("PATH", ""), "MEMORANDA_DATA_DIR": str(data_dir)}
    costs = interleaved(commands, environ, options.rounds)
    for name, found in costs.items():
        timing = Timing.of(found)
        note = f"median {timing.middle:.2f}; wall {timing.wall_middle:.1f} ms"
        report.add(
            f"cost, {options.rounds} runs in turn", f"{name}, cpu min", timing.least, "ms", note
        )
    least = Timing.of(costs["live, 100 kB"]).least
    report.claim(f"a short form of 100 kB: at most {CPU_MS:.0f} ms cpu", least <= CPU_MS)


if __name__ == "__main__":
    sys.exit(main())
