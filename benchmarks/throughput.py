"""Durable observations a second, against bare inserts of the same bytes on the same disk."""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring.bare import BareTable
from measuring.report import Report, parser, quantile
from measuring.work import Desk
from memoranda.memoranda import Memoranda
from memoranda.values.content import tool_content
from memoranda.values.event import Event

THREADS = 8
BATCH = 256
WARM_UP = 20
SECRETS = 0.02
"""Share of the outputs that hold a key, which must be taken out."""
OVER_SYNC_MS = 10.0
BATCHED_RATE = 2_000.0


@dataclass(slots=True)
class Bench:
    """A memory and a bare table on the same disk, and the events that both are given."""

    home: Path
    report: Report
    seed: int

    def events(self, name: str, count: int) -> list[Event]:
        """Return events of one session, made beforehand."""
        desk = Desk(f"{self.seed}-{name}", secrets=SECRETS)
        return [desk.event(name, f"{name}-{number}") for number in range(count)]

    def single(self, count: int) -> None:
        """One observation a call, in turn with one bare insert."""
        events = self.events("single", WARM_UP + count)
        ours, floor = [], []
        with Memoranda.open(self.home / "single") as memory:
            bare = BareTable(self.home / "single.db")
            for event in events:
                floor.append(_seconds(lambda event=event: bare.insert([_body(event)])))
                ours.append(_seconds(lambda event=event: memory.take([event], workspace="bench")))
            bare.close()
        self._latencies(ours[WARM_UP:], floor[WARM_UP:])

    def _latencies(self, ours: list[float], floor: list[float]) -> None:
        section = "one at a time"
        for share in (0.5, 0.95):
            mine, sync = quantile(ours, share) * 1e3, quantile(floor, share) * 1e3
            name = f"p{share * 100:.0f}"
            note = f"the disk's own sync {sync:.2f} ms, so {mine - sync:.2f} ms over it"
            self.report.add(section, name, mine, "ms", note)
        self._rate(section, len(ours) / sum(ours), len(floor) / sum(floor))
        over = (quantile(ours, 0.95) - quantile(floor, 0.95)) * 1e3
        self.report.claim(
            f"one at a time: p95 less than {OVER_SYNC_MS:.0f} ms over the disk's own sync",
            over < OVER_SYNC_MS,
        )

    def threads(self, count: int) -> None:
        """Several threads, one observation a call: writes that wait share a commit."""
        works = [self.events(f"thread-{at}", count // THREADS) for at in range(THREADS)]
        bodies = [_body(event) for work in works for event in work]
        waits: list[float] = []
        with Memoranda.open(self.home / "threads") as memory:
            memory.take(self.events("warm", WARM_UP), workspace="bench")

            def write(work: list[Event]) -> None:
                waits.extend(
                    _seconds(lambda event=event: memory.take([event], workspace="bench"))
                    for event in work
                )

            crowd = [threading.Thread(target=write, args=(work,)) for work in works]
            began = time.perf_counter()
            for thread in crowd:
                thread.start()
            for thread in crowd:
                thread.join()
            seconds = time.perf_counter() - began
        floor = self._floor("threads", bodies, THREADS)
        section = f"{THREADS} threads"
        self.report.add(section, "p95", quantile(waits, 0.95) * 1e3, "ms", "waiting included")
        self._rate(section, len(bodies) / seconds, len(bodies) / floor)

    def batched(self, count: int) -> None:
        """Many observations a call, in turn with bare inserts of as many."""
        events = self.events("batched", BATCH + count)
        ours = floor = 0.0
        with Memoranda.open(self.home / "batched") as memory:
            bare = BareTable(self.home / "batched.db")
            memory.take(events[:BATCH], workspace="bench")
            taken = 0
            for at in range(BATCH, len(events), BATCH):
                batch = events[at : at + BATCH]
                bodies = [_body(event) for event in batch]
                floor += _seconds(lambda bodies=bodies: bare.insert(bodies))
                began = time.perf_counter()
                report = memory.take(batch, workspace="bench")
                ours += time.perf_counter() - began
                taken += report.observations
            bare.close()
            stats = memory.stats()
        section = f"batches of {BATCH}"
        self._rate(section, taken / ours, taken / floor)
        removed = sum(stats.redactions.values())
        self.report.add(section, "secrets taken out", removed, "", "the redactor was at work")
        self.report.add(section, "folded repeats", stats.folded)
        held = taken / ours >= BATCHED_RATE
        self.report.claim(f"batched: at least {BATCHED_RATE:,.0f} a second", held)

    def _floor(self, name: str, bodies: Sequence[str], size: int) -> float:
        bare = BareTable(self.home / f"{name}.db")
        try:
            began = time.perf_counter()
            for at in range(0, len(bodies), size):
                bare.insert(bodies[at : at + size])
            return time.perf_counter() - began
        finally:
            bare.close()

    def _rate(self, section: str, ours: float, floor: float) -> None:
        note = f"bare inserts {floor:,.0f}; {floor / ours:.1f} x slower than bare"
        self.report.add(section, "observations a second", ours, "", note)


def main(arguments: list[str] | None = None) -> int:
    """Measure; 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("throughput", vars(options))
    sizes = [len(_body(event)) for event in Bench(Path(), report, options.seed).events("size", 200)]
    report.add("outputs", "characters, mean", sum(sizes) / len(sizes))
    with tempfile.TemporaryDirectory(prefix="throughput-", dir=options.dir) as folder:
        bench = Bench(Path(folder), report, options.seed)
        profile = cProfile.Profile() if options.profile else None
        if profile:
            profile.enable()
        bench.batched(options.batched)
        if profile:
            profile.disable()
        bench.single(options.single)
        bench.threads(options.threads)
    if profile:
        _show(profile)
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--single", type=int, default=1000, help="observations one at a time")
    made.add_argument("--threads", type=int, default=2000, help="observations from 8 threads")
    made.add_argument("--batched", type=int, default=8192, help="observations in batches")
    made.add_argument("--profile", action="store_true", help="profile the batched part")
    made.add_argument("--dir", type=Path, help="where the stores lie; default: temporary files")
    return made.parse_args(arguments)


def _body(event: Event) -> str:
    return tool_content(event.tool, event.input, event.output)


def _seconds(work: object) -> float:
    began = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - began


def _show(profile: cProfile.Profile) -> None:
    stats = pstats.Stats(profile, stream=sys.stderr).strip_dirs()
    stats.sort_stats("cumulative").print_stats(45)
    stats.sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    sys.exit(main())
