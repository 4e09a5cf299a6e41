"""Copy a store from SQLite to PostgreSQL and back; compare digests."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from engines import BATCH, Filled
from measuring.report import Report, parser, progress
from memoranda.archive.store_copy import TableCopy, copy
from memoranda.store.database import Database, TextQuery, Transaction
from memoranda.store.sqlite.engine import SqliteDatabase
from postgres_stores import EmptyStores
from servers import PostgresServer


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("copies", vars(options))
    server = PostgresServer(settings=("fsync=on", "shared_buffers=256MB", "max_wal_size=4GB"))
    try:
        with (
            tempfile.TemporaryDirectory(prefix="copies-") as folder,
            EmptyStores(server).opened() as served,
        ):
            source = SqliteDatabase(Path(folder) / "source.db")
            filled = Filled("source", source, 1, options.observations, options.seed)
            _remember(filled, options.memories)
            back = SqliteDatabase(Path(folder) / "back.db")
            there = _copied(report, "SQLite to PostgreSQL", source, served)
            again = _copied(report, "the same again", source, served)
            home = _copied(report, "PostgreSQL to SQLite", served, back)
            digests = [[each.digest for each in found] for found in (there, again, home)]
            report.claim(
                "every table has one digest in all three", len({*map(tuple, digests)}) == 1
            )
            report.claim("a second copy writes nothing", not sum(each.written for each in again))
            for word in ("halyard", "gnomon"):
                passed = _hits(source, word) == _hits(served, word) == _hits(back, word)
                report.claim(f"{word!r} finds the same observations in all three", passed)
            for database in (source, back):
                database.close()
    finally:
        server.close()
    return report.finish(as_json=options.json)


def _remember(filled: Filled, count: int) -> None:
    place, records = filled.tasks[0].workspace, filled.records

    def work(tx: Transaction, numbers: range) -> None:
        for number in numbers:
            records.plant_memory(tx, records.memory(place, f"rule {number}: keep it exact"))

    for at in range(0, count, BATCH):
        progress(f"memories: {at:,} of {count:,}")
        filled.database.write(partial(work, numbers=range(at, min(at + BATCH, count))))


def _copied(report: Report, name: str, source: Database, target: Database) -> list[TableCopy]:
    began = time.perf_counter()
    found = copy(source, target, "local", lambda table, rows: progress(f"{name}: {table} {rows:,}"))
    seconds = time.perf_counter() - began
    rows = sum(each.rows for each in found)
    report.add(name, "rows", rows, "", f"{sum(each.written for each in found):,} written")
    report.add(name, "seconds", seconds, "s", "comparison of every row included")
    report.add(name, "rows a second", rows / seconds)
    return found


def _hits(database: Database, word: str) -> set[str]:
    query = TextQuery("local", [word], limit=1_000_000)
    hits = database.read(lambda tx: tx.text("observation").search(query))
    return {hit.id for hit in hits}


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--observations", type=int, default=100_000)
    made.add_argument("--memories", type=int, default=100_000)
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
