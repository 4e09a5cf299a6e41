"""Kill and restart a PostgreSQL server while writers are active.

No acknowledged write may be lost or stored twice.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from measuring.report import Report, parser, progress, quantile
from memoranda.journal import table as journal
from memoranda.journal.table import NewJournalEntry
from memoranda.store.postgres.engine import PostgresDatabase
from postgres_stores import DATABASE, EmptyStores
from servers import PostgresServer

RECOVERED_WITHIN = 10.0
SETTLE = 15
"""Acknowledged writes between two outages."""


class Round:
    """Writers that continue through outages of the server."""

    def __init__(self, database: PostgresDatabase, writers: int) -> None:
        self.acknowledged: list[str] = []
        self.errors: list[str] = []
        self._database = database
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(n,)) for n in range(writers)]
        for thread in self._threads:
            thread.start()

    def wait(self, more: int) -> float:
        """Wait for ``more`` further acknowledgements; return the seconds."""
        began, goal = time.monotonic(), len(self.acknowledged) + more
        while len(self.acknowledged) < goal and any(t.is_alive() for t in self._threads):
            time.sleep(0.005)
        return time.monotonic() - began

    def stop(self) -> None:
        """Let every writer finish its write."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _write(self, number: int) -> None:
        turn = 0
        while not self._over.is_set():
            subject = f"{number}-{turn}"
            note = NewJournalEntry(0, "bench", "observe", subject, {})
            try:
                self._database.write(partial(journal.append, team="local", note=note))
            except Exception as error:
                self.errors.append(f"{type(error).__name__}: {error}")
                return
            self.acknowledged.append(subject)
            turn += 1


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("outages", vars(options))
    server = PostgresServer(settings=("fsync=on",))
    try:
        stores = EmptyStores(server)
        for kind in ("kill -9 of a backend", "stop -m immediate, start"):
            with stores.opened() as database:
                _outages(report, database, server, kind, options)
    finally:
        server.close()
    return report.finish(as_json=options.json)


def _outages(
    report: Report,
    database: PostgresDatabase,
    server: PostgresServer,
    kind: str,
    options: argparse.Namespace,
) -> None:
    writing = Round(database, options.writers)
    waits: list[float] = []
    for number in range(options.rounds):
        progress(f"{kind}: {number + 1} of {options.rounds}")
        writing.wait(SETTLE)
        began = time.monotonic()
        if kind.startswith("kill"):
            server.kill_backends(DATABASE)
        else:
            server.stop("immediate")
            server.start()
        writing.wait(options.writers + 1)
        waits.append(time.monotonic() - began)
    writing.stop()
    stored = _stored(database)
    lost = set(writing.acknowledged) - set(stored)
    doubled = [subject for subject, times in stored.items() if times > 1]
    check = database.read(partial(journal.verify, team="local"))
    section = f"{kind}, {options.writers} writers"
    report.add(section, "outages", options.rounds)
    report.add(section, "acknowledged", len(writing.acknowledged))
    report.add(section, "lost", len(lost))
    report.add(section, "doubled", len(doubled))
    report.add(section, "errors of writers", len(writing.errors), "", "; ".join(writing.errors[:2]))
    report.add(section, "until writes go on, p50", quantile(waits, 0.5), "s")
    report.add(section, "slowest", max(waits), "s")
    report.claim(f"{kind}: no acknowledged write lost", not lost)
    report.claim(f"{kind}: no write stored twice", not doubled and check.intact)
    report.claim(f"{kind}: no writer saw an error", not writing.errors)
    report.claim(f"{kind}: over within {RECOVERED_WITHIN:.0f} s", max(waits) < RECOVERED_WITHIN)


def _stored(database: PostgresDatabase) -> Counter[str]:
    sql = "select subject from journal where team = :team"
    return Counter(row[0] for row in database.read(lambda tx: tx.fetch(sql, {"team": "local"})))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--rounds", type=int, default=100, help="outages of each kind")
    made.add_argument("--writers", type=int, default=8)
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
