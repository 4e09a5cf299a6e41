"""Compare durable observations per second with bare inserts.

Both write the same bytes to the same disk.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from measuring.bare import BareTable
from measuring.report import Report, parser, quantile
from measuring.work import Desk
from memoranda.capture.event import Event
from memoranda.memory import Memoranda
from memoranda.observations.content import tool_content

THREADS = 8
BATCH = 256
WARM_UP = 20
SECRETS = 0.02
"""Share of the outputs with a key, which must be redacted."""
OVER_SYNC_MS = 10.0
BATCHED_RATE = 2_000.0


@dataclass(slots=True)
class Bench:
    """A memory and a bare table on the same disk, and their events."""

    home: Path
    report: Report
    seed: int
    characters: int

    def events(self, name: str, count: int) -> list[Event]:
        """Return tool calls of one session, generated in advance."""
        desk = Desk(f"{self.seed}-{name}", secrets=SECRETS)
        made = (desk.event(name, f"{name}-{number}") for number in range(count))
        return [_cut(event, self.characters) for event in made]

    def sizes(self, count: int) -> Iterator[tuple[str, list[Event]]]:
        """Return named observations of each size in the batches."""
        desk = Desk(f"{self.seed}-sizes", secrets=SECRETS)
        yield "words, 250 characters", [desk.said("said", str(at)) for at in range(count)]
        calls = [desk.event("short", str(at)) for at in range(count)]
        yield "tool calls, 250 characters", [_cut(event, 250) for event in calls]
        yield "tool calls as they are", self.events("batched", count)

    def single(self, count: int) -> None:
        """Write one observation per call, in turn with one bare insert."""
        events = self.events("single", WARM_UP + count)
        ours, floor, cpu = [], [], []
        with Memoranda.open(self.home / "single") as memory:
            bare = BareTable(self.home / "single.db")
            for event in events:
                floor.append(_seconds(partial(bare.insert, [_body(event)])))
                before = time.process_time()
                ours.append(_seconds(partial(memory.capture.take, [event], workspace="bench")))
                cpu.append(time.process_time() - before)
            bare.close()
        self._latencies("one at a time", ours[WARM_UP:], floor[WARM_UP:])
        self._rates("one at a time", len(ours) / sum(ours), len(floor) / sum(floor), cpu)

    def threads(self, count: int) -> None:
        """Write from several threads; waiting writes share a commit."""
        works = [self.events(f"thread-{at}", count // THREADS) for at in range(THREADS)]
        bodies = [_body(event) for work in works for event in work]
        waits: list[float] = []
        with Memoranda.open(self.home / "threads") as memory:
            memory.capture.take(self.events("warm", WARM_UP), workspace="bench")

            def write(work: list[Event]) -> None:
                takes = (partial(memory.capture.take, [event], workspace="bench") for event in work)
                waits.extend(map(_seconds, takes))

            crowd = [threading.Thread(target=write, args=(work,)) for work in works]
            before = time.process_time()
            seconds = _seconds(partial(_run_all, crowd))
            cpu = time.process_time() - before
        bare = BareTable(self.home / "threads.db")
        floor = sum(
            _seconds(partial(bare.insert, bodies[at : at + THREADS]))
            for at in range(0, len(bodies), THREADS)
        )
        bare.close()
        section = f"{THREADS} threads, one at a time each"
        for share in (0.5, 0.95):
            found = quantile(waits, share) * 1e3
            self.report.add(section, f"p{share * 100:.0f}", found, "ms", "waiting included")
        rates = len(bodies) / seconds, len(bodies) / floor
        self._rates(section, *rates, [cpu / len(bodies)] * len(bodies))

    def batched(self, name: str, events: list[Event], *, aimed: bool) -> None:
        """Write many observations per call, in turn with as many bare inserts."""
        ours, floor, cpu, taken = 0.0, 0.0, [], 0
        with Memoranda.open(self.home / name) as memory:
            bare = BareTable(self.home / f"{name}.db")
            memory.capture.take(events[:BATCH], workspace="bench")
            for at in range(BATCH, len(events), BATCH):
                batch = events[at : at + BATCH]
                floor += _seconds(partial(bare.insert, [_body(event) for event in batch]))
                before, began = time.process_time(), time.perf_counter()
                taken += memory.capture.take(batch, workspace="bench").observations
                ours += time.perf_counter() - began
                cpu.append((time.process_time() - before) / len(batch))
            bare.close()
            stats = memory.store.stats()
        section = f"batches of {BATCH}: {name}"
        self._rates(section, taken / ours, taken / floor, cpu)
        removed = sum(stats.redactions.values())
        self.report.add(section, "secrets taken out", removed, "", "the redactor was at work")
        if aimed:
            passed = taken / ours >= BATCHED_RATE
            self.report.claim(f"{name}, batched: at least {BATCHED_RATE:,.0f} a second", passed)

    def stream(self, count: int) -> None:
        """Write all in one call, as an import does.

        One batch is written while the next is prepared.
        """
        events = self.events("stream", BATCH + count)
        with Memoranda.open(self.home / "stream") as memory:
            memory.capture.take(events[:BATCH], workspace="bench")
            before = time.process_time()
            ours = _seconds(partial(memory.capture.take, events[BATCH:], workspace="bench"))
            cpu = time.process_time() - before
        bodies = [_body(event) for event in events[BATCH:]]
        bare = BareTable(self.home / "stream.db")
        floor = sum(
            _seconds(partial(bare.insert, bodies[at : at + BATCH]))
            for at in range(0, len(bodies), BATCH)
        )
        bare.close()
        self._rates(f"one call of {count:,}", count / ours, count / floor, [cpu / count])

    def _latencies(self, section: str, ours: list[float], floor: list[float]) -> None:
        for share in (0.5, 0.95):
            mine, sync = quantile(ours, share) * 1e3, quantile(floor, share) * 1e3
            note = f"the disk's own sync {sync:.2f} ms, so {mine - sync:.2f} ms over it"
            self.report.add(section, f"p{share * 100:.0f}", mine, "ms", note)
        over = (quantile(ours, 0.95) - quantile(floor, 0.95)) * 1e3
        self.report.claim(
            f"one at a time: p95 less than {OVER_SYNC_MS:.0f} ms over the disk's own sync",
            over < OVER_SYNC_MS,
        )

    def _rates(self, section: str, ours: float, floor: float, cpu: Sequence[float]) -> None:
        note = f"bare inserts of the same bytes {floor:,.0f}: {floor / ours:.1f} x ours"
        self.report.add(section, "observations a second", ours, "", note)
        middle, least = quantile(cpu, 0.5) * 1e3, min(cpu) * 1e3
        note = f"least {least:.2f}; all threads of the process"
        self.report.add(section, "cpu of one, median", middle, "ms", note)


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("throughput", vars(options))
    with tempfile.TemporaryDirectory(prefix="throughput-", dir=options.dir) as folder:
        bench = Bench(Path(folder), report, options.seed, options.characters)
        sizes = [len(_body(event)) for event in bench.events("size", 200)]
        report.add("tool outputs", "characters, mean", sum(sizes) / len(sizes))
        with _profiled(options.profile):
            for name, events in bench.sizes(BATCH + options.batched):
                bench.batched(name, events, aimed=name.startswith("words"))
        bench.stream(options.batched)
        bench.single(options.single)
        bench.threads(options.threads)
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--single", type=int, default=1000, help="observations one at a time")
    made.add_argument("--threads", type=int, default=2000, help="observations from 8 threads")
    made.add_argument("--batched", type=int, default=8192, help="observations in batches")
    made.add_argument("--characters", type=int, default=0, help="cut outputs; 0: as they are")
    made.add_argument("--profile", action="store_true", help="profile the batched part")
    made.add_argument("--dir", type=Path, help="where the stores lie; default: temporary files")
    return made.parse_args(arguments)


def _cut(event: Event, characters: int) -> Event:
    return replace(event, output=str(event.output)[:characters]) if characters else event


def _body(event: Event) -> str:
    return event.text or tool_content(event.tool, event.input, event.output)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _run_all(crowd: Sequence[threading.Thread]) -> None:
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()


@contextmanager
def _profiled(wanted: bool) -> Iterator[None]:
    """Profile a part; it is slower while it is profiled."""
    if not wanted:
        yield
        return
    profile = cProfile.Profile()
    profile.enable()
    yield
    profile.disable()
    stats = pstats.Stats(profile, stream=sys.stderr).strip_dirs()
    stats.sort_stats("cumulative").print_stats(45)
    stats.sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    sys.exit(main())
