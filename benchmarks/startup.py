"""Compare the processor time of commands with a bare interpreter."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from measuring.processes import Command, Timing, interleaved
from measuring.report import Report, parser
from measuring.work import Desk
from memoranda.memory import Memoranda

BARE = "python -c pass"
VERSION_MS = 100.0
SEARCH_MS = 400.0


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("startup", vars(options))
    with tempfile.TemporaryDirectory(prefix="startup-") as folder:
        store = Path(folder) / "store"
        _fill(store, options.observations, options.seed)
        commands: dict[str, tuple[Command, Path | None]] = {
            name: (command, None) for name, command in _commands(store).items()
        }
        environ = _environ(Path(folder) / "compiled")
        interleaved(commands, environ, 1)  # compiles every module once, as an installation does
        costs = interleaved(commands, environ, options.rounds)
    timings = {name: Timing.of(found) for name, found in costs.items()}
    _show(report, timings, f"{options.rounds} runs in turn, {options.observations:,} observations")
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--rounds", type=int, default=20, help="runs of each command")
    made.add_argument("--observations", type=int, default=1000, help="size of the store")
    return made.parse_args(arguments)


def _environ(compiled: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"MEMORANDA_DISABLED": "1", "PYTHONPYCACHEPREFIX": str(compiled)}


def _fill(store: Path, count: int, seed: int) -> None:
    desk = Desk(str(seed))
    events = [desk.event(f"session-{number % 5}", f"call-{number}") for number in range(count)]
    with Memoranda.open(store) as memory:
        memory.capture.take(events, workspace="bench")


def _commands(store: Path) -> dict[str, Command]:
    memoranda = (sys.executable, "-m", "memoranda")
    where = ("--data-dir", str(store))
    return {
        BARE: (sys.executable, "-c", "pass"),
        "import memoranda": (sys.executable, "-c", "import memoranda"),
        "memoranda --version": (*memoranda, "--version"),
        "memoranda search": (*memoranda, "search", "round invoice", *where),
        "memoranda context": (*memoranda, "context", "--workspace", "bench", *where),
        "memoranda observe": (*memoranda, "observe", "a note of no weight", *where),
    }


def _show(report: Report, timings: dict[str, Timing], section: str) -> None:
    bare = timings[BARE]
    for name, timing in timings.items():
        ratio = timing.middle / bare.middle
        note = f"least {timing.least:.1f}, wall {timing.wall_middle:.0f} ms; {ratio:.1f} x bare"
        report.add(section, name, timing.middle, "ms cpu", note)
    version, search = timings["memoranda --version"], timings["memoranda search"]
    report.claim(f"memoranda --version: at most {VERSION_MS:.0f} ms", version.least <= VERSION_MS)
    report.claim(f"memoranda search: at most {SEARCH_MS:.0f} ms", search.least <= SEARCH_MS)


if __name__ == "__main__":
    sys.exit(main())
