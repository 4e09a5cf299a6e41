"""Load a server with a hundred paced callers, a burst, and an overload."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from measuring import callers
from measuring.callers import BROKEN, SHARES, WRITES, Plan, Seen
from measuring.filling import FilledStore, kept
from measuring.report import Report, parser, progress, quantile
from measuring.resident import Scales, processor_seconds
from memoranda.archive.store_copy import copy
from memoranda.store.sqlite.engine import SqliteDatabase
from postgres_stores import DATABASE, EmptyStores
from servers import PostgresServer

OVERLOAD = 10
"""Factor of callers in the overload, who send without pauses."""
TURNED_AWAY = frozenset({429, 503})
READ_P95, WRITE_P99 = 0.1, 0.5
"""Limits in seconds."""
GROWTH = 0.10
FIRST_MINUTE = 60.0


class Running:
    """A real server in its own processes."""

    def __init__(self, data_dir: Path, workers: int, environ: dict[str, str]) -> None:
        """Start, and wait until it is ready."""
        plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
        command = ["memoranda", "serve", "--port", "0", "--format", "json", "--workers"]
        began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", *command, str(workers)],
            env=plain | environ | {"MEMORANDA_DATA_DIR": str(data_dir)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        output = json.loads(self.process.stdout.readline())
        self.seconds = time.monotonic() - began
        self.ready_cpu = processor_seconds(self.process.pid)
        self.port = int(output["url"].rpartition(":")[2])
        self.token = Path(output["token_file"]).read_text("ascii").strip()

    def stop(self) -> int:
        """Stop it as a service manager does; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


class Load:
    """Callers of a running server, and their results."""

    def __init__(self, report: Report, server: Running, stored: FilledStore, where: str) -> None:
        self._report = report
        self._server = server
        self._where = where
        self._plan = Plan(
            server.port, server.token, 0, 0.0, 0.0, stored.texts, stored.ids, stored.workspaces, 0
        )

    def steady(self, count: int, seconds: float, think: float) -> None:
        """Send requests from many callers with pauses between requests."""
        title = f"{count} callers, {think:g} s of thought, {seconds:,.0f} s"
        before = processor_seconds(self._server.process.pid)
        with Scales(self._server.process.pid) as scales:
            seen, generator = self._ask(title, callers=count, seconds=seconds, think=think, seed=1)
        spent = processor_seconds(self._server.process.pid) - before
        section = self._section(title, seen, seconds)
        self._costs(section, seen, spent, generator)
        errors = sum(one.status >= 400 or one.status == BROKEN for one in seen)
        reads = [one.seconds for one in seen if one.operation not in WRITES]
        writes = [one.seconds for one in seen if one.operation in WRITES]
        self._report.claim(f"{section}: no errors", errors == 0)
        self._report.claim(
            f"{section}: read p95 < {READ_P95 * 1e3:.0f} ms", quantile(reads, 0.95) < READ_P95
        )
        self._report.claim(
            f"{section}: write p99 < {WRITE_P99 * 1e3:.0f} ms", quantile(writes, 0.99) < WRITE_P99
        )
        first = min(FIRST_MINUTE, seconds / 3)
        self._growth(section, scales, first)

    def burst(self, count: int) -> None:
        """Send one request from each of many callers at the same moment."""
        title = f"{count} at once"
        seen, _ = self._ask(title, callers=count, seconds=60.0, think=0.0, seed=2, once=True)
        last = max(one.at + one.seconds for one in seen)
        section = self._section(title, seen, last)
        self._report.claim(f"{section}: no errors", all(200 <= one.status < 300 for one in seen))

    def overload(self, count: int, seconds: float) -> None:
        """Send from ten times as many callers without pauses; check recovery."""
        many = OVERLOAD * count
        title = f"{many:,} callers who never think, {seconds:.0f} s"
        seen, _ = self._ask(title, callers=many, seconds=seconds, think=0.0, seed=3)
        section = self._section(title, seen, seconds)
        answered = [one for one in seen if 200 <= one.status < 300]
        self._report.add(section, "carried out", len(answered) / seconds, "a second")
        others = {one.status for one in seen if one not in answered} - TURNED_AWAY
        self._report.claim(f"{section}: only success, 429 and 503", not others and bool(answered))
        seen, _ = self._ask("afterwards", callers=count, seconds=15.0, think=5.0, seed=4)
        section = self._section("afterwards, as before", seen, 15.0)
        self._report.claim(f"{section}: no errors", all(200 <= one.status < 300 for one in seen))

    def _ask(self, title: str, **plan: object) -> tuple[list[Seen], float]:
        """Run a plan in another process; return its results and processor time."""
        progress(f"{self._where}: {title}")
        plan_json = json.dumps(asdict(replace(self._plan, **plan)))  # type: ignore[arg-type]
        program = [sys.executable, callers.__file__]
        done = subprocess.run(
            program, input=plan_json, stdout=subprocess.PIPE, text=True, check=True
        )
        output = json.loads(done.stdout)
        return [Seen(**one) for one in output["seen"]], output["cpu"]

    def _section(self, title: str, seen: Sequence[Seen], seconds: float) -> str:
        section = f"{self._where}: {title}"
        self._report.add(section, "requests", len(seen), "", f"{len(seen) / seconds:.1f} a second")
        statuses = Counter(one.status for one in seen)
        result = ", ".join(f"{one or 'no answer'}: {n:,}" for one, n in sorted(statuses.items()))
        self._report.add(section, "answers", result)
        for name in SHARES:
            times = [one.seconds * 1e3 for one in seen if one.operation == name
                     and 200 <= one.status < 300]  # fmt: skip
            if times:
                shown = f"p95 {quantile(times, 0.95):.0f}, p99 {quantile(times, 0.99):.0f}"
                self._report.add(section, name, quantile(times, 0.5), "ms p50", shown)
        return section

    def _costs(self, section: str, seen: Sequence[Seen], spent: float, generator: float) -> None:
        note = f"generator {generator * 1e3 / len(seen):.1f}"
        each = spent * 1e3 / len(seen)
        self._report.add(section, "processor of server", each, "ms a request", note)
        for name, reported in (("reads", False), ("writes", True)):
            times = [one.seconds * 1e3 for one in seen if (one.operation in WRITES) == reported]
            shown = f"p95 {quantile(times, 0.95):.0f}, p99 {quantile(times, 0.99):.0f}"
            self._report.add(section, name, quantile(times, 0.5), "ms p50", shown)

    def _growth(self, section: str, scales: Scales, first: float) -> None:
        before, after = scales.around(first), scales.weights[-1]
        for name, start, end in (
            ("resident", before.resident, after.resident),
            ("resident, not of files", before.own, after.own),
        ):
            note = f"{start / 1e6:,.0f} after {first:.0f} s, {end / start - 1:+.1%}"
            self._report.add(section, name, end / 1e6, "MB", note)
        grown = after.resident / before.resident - 1
        self._report.claim(f"{section}: RSS grows by < {GROWTH:.0%}", grown < GROWTH)


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("load", vars(options))
    with ExitStack() as stack:
        folder = options.folder
        if folder is None:
            made = stack.enter_context(tempfile.TemporaryDirectory(prefix="load-"))
            folder = Path(made) / "store"
        stored = kept(folder, options.records, options.seed)
        report.add("store", "memories", stored.records, "", f"filled {stored.rate:.0f} a second")
        if options.fill:
            return report.finish(as_json=options.json)
        for engine in options.engine:
            with _served(engine, folder, options.workers) as server:
                _measure(report, server, stored, engine, options)
    return report.finish(as_json=options.json)


def _measure(
    report: Report, server: Running, stored: FilledStore, engine: str, options: argparse.Namespace
) -> None:
    report.add(engine, "ready", server.seconds, "s", f"{server.ready_cpu:.2f} s of processor")
    load = Load(report, server, stored, engine)
    load.steady(options.clients, options.minutes * 60, options.think)
    load.burst(options.clients)
    if options.overload:
        load.overload(options.clients, options.overload)
    report.claim(f"{engine}: stops cleanly", server.stop() == 0)


@contextmanager
def _served(engine: str, folder: Path, workers: int) -> Iterator[Running]:
    """Yield a server on a copy of a store, so that runs start equal."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="load-"))) / "data"
        environ = {}
        if engine == "postgresql":
            place.mkdir()
            environ["MEMORANDA_DATABASE_URL"] = stack.enter_context(on_postgres(folder))
        else:
            shutil.copytree(folder, place)
        server = Running(place, workers, environ)
        stack.callback(server.process.wait)
        stack.callback(server.process.kill)
        yield server


@contextmanager
def on_postgres(folder: Path) -> Iterator[str]:
    """Yield the URL of a store copied to a server, for the programs' role."""
    server = PostgresServer(settings=("fsync=on", "shared_buffers=512MB", "max_wal_size=4GB"))
    try:
        stores = EmptyStores(server)
        source = SqliteDatabase(folder / "memoranda.db")
        with stores.opened() as target:
            copy(source, target, "local", lambda table, rows: progress(f"{table}: {rows:,} copied"))
            source.close()
            server.execute("vacuum analyze", DATABASE)
            yield stores.url
    finally:
        server.close()


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    engines = ("sqlite", "postgresql")
    made.add_argument("--engine", nargs="+", choices=engines, default=list(engines))
    made.add_argument("--records", type=int, default=100_000, help="memories that are there before")
    made.add_argument("--clients", type=int, default=100)
    made.add_argument("--minutes", type=float, default=10)
    made.add_argument("--think", type=float, default=5.0, help="mean seconds between requests")
    made.add_argument("--overload", type=float, default=30.0, help="seconds of it; 0 leaves it out")
    made.add_argument("--workers", type=int, default=1, help="processes of the server")
    made.add_argument("--folder", type=Path, help="where the store is kept for the next run")
    made.add_argument("--fill", action="store_true", help="only fill the store of the folder")
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
