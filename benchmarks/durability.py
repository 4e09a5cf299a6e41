"""Check durability under SIGKILL, power cuts and concurrent processes."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from measuring import crowd
from measuring.cuts import CutFindings, Cutter
from measuring.kills import Killer
from measuring.ledger import Findings
from measuring.report import Report, parser, quantile

NOTHING_LOST = "no acknowledged observation lost"
FAULTS = (
    ("lost", "acknowledged, and not there"),
    ("altered", "there, with another content"),
    ("halved", "batches stored in part"),
    ("misnumbered", "tasks with gaps in their numbers"),
    ("unsound", "integrity, full text against rows, contents, references"),
    ("broken_chains", "journals that do not verify"),
    ("unreadable", "stores that do not open"),
    ("writer_errors", "writers that failed before they were ended"),
)


def main(arguments: list[str] | None = None) -> int:
    """Run the requested parts; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("durability", vars(options))
    with tempfile.TemporaryDirectory(prefix="durability-", dir=options.dir) as folder:
        home = Path(folder)
        if options.kills:
            _kills(report, home, options)
        if options.cuts:
            _cuts(report, home, options)
        if options.minutes:
            _crowd(report, home, options)
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--kills", type=int, default=1000, help="writers to end with SIGKILL")
    made.add_argument("--cuts", type=int, default=200, help="power cuts with synchronous=FULL")
    made.add_argument("--control", type=int, help="power cuts with synchronous=NORMAL")
    made.add_argument("--minutes", type=float, default=3.0, help="how long the crowd works")
    made.add_argument("--dir", type=Path, help="where the stores lie; default: temporary files")
    options = made.parse_args(arguments)
    if options.control is None:
        options.control = options.cuts
    return options


def _kills(report: Report, home: Path, options: argparse.Namespace) -> None:
    section = "kill -9 (4 threads, group commit)"
    found = Killer(home / "kills", options.seed).run(options.kills)
    report.add(section, "kills", found.kills)
    report.add(section, "before the first word", found.speechless, "", "died while opening")
    if found.recoveries:
        slowest = max(found.recoveries) * 1e3
        report.add(section, "open again, p50", quantile(found.recoveries, 0.5) * 1e3, "ms")
        report.add(section, "open again, slowest", slowest, "ms")
    _findings(report, section, found)
    report.claim(f"{found.kills} kills: {NOTHING_LOST}", found.lost == 0)
    report.claim(f"{found.kills} kills: whatever is stored is whole", found.sound)


def _cuts(report: Report, home: Path, options: argparse.Namespace) -> None:
    full = Cutter(home / "cuts", options.seed, synchronous="full").run(options.cuts)
    _cut_findings(report, "power cuts, synchronous=FULL (as shipped)", full)
    report.claim(f"{full.cuts} power cuts: {NOTHING_LOST}", full.lost == 0)
    report.claim(f"{full.cuts} power cuts: whatever is stored is whole", full.sound)
    if not options.control:
        return
    normal = Cutter(home / "cuts", options.seed, synchronous="normal").run(options.control)
    _cut_findings(report, "power cuts, synchronous=NORMAL (control)", normal)
    seen = f"the same {normal.cuts} cuts show losses with synchronous=NORMAL"
    report.claim(seen, normal.lost > 0)


def _cut_findings(report: Report, section: str, found: CutFindings) -> None:
    report.add(section, "cuts", found.cuts, "", f"{found.torn} kept some unsynced sectors")
    report.add(section, "amid a checkpoint", found.amid_checkpoint)
    report.add(section, "syncs before the cuts", found.syncs)
    report.add(section, "cuts with a loss", found.lossy)
    _findings(report, section, found)


def _findings(report: Report, section: str, found: Findings) -> None:
    report.add(section, "acknowledged", found.acknowledged, "", "observations, each looked up")
    report.add(section, "whole stores examined", found.checks)
    for name, meaning in FAULTS:
        report.add(section, name.replace("_", " "), getattr(found, name), "", meaning)
    if "control" not in section:
        for note in found.notes:
            print(f"{section}: {note}", file=sys.stderr)


def _crowd(report: Report, home: Path, options: argparse.Namespace) -> None:
    section = f"one store, {1 + crowd.READERS + crowd.LOOPS} processes, {options.minutes:g} min"
    found = crowd.run(home, options.seed, options.minutes)
    for kind, calls in sorted(found.calls.items()):
        slowest = f"slowest {found.slowest[kind] * 1e3:,.0f} ms"
        report.add(section, f"calls by {kind}", calls, "", slowest)
    report.add(section, "errors", found.errors, "", "exceptions, exits, words on stderr")
    for message in found.messages:
        print(f"{section}: {message}", file=sys.stderr)
    report.claim("no caller of the crowd saw an error", found.errors == 0)
    report.claim("the crowd's store is whole", found.store.sound)


if __name__ == "__main__":
    sys.exit(main())
