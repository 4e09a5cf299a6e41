"""Time writes and searches with 100,000 records per agent, per engine.

The engines are SQLite and PostgreSQL; searches are full text and filters.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from contract.records import Records
from measuring.report import Report, parser, progress, quantile
from measuring.work import VERBS, WORDS, Desk
from memoranda.capture.analysis.event_subjects import identifiers
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.observations.blob_table import Blob
from memoranda.observations.table import ObservationFilter
from memoranda.store.database import Database, TextEntry, TextQuery, Transaction
from memoranda.store.postgres.engine import PostgresDatabase
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.tasks.model import Task
from postgres_stores import DATABASE, EmptyStores
from servers import PostgresServer

BATCH = 1_000
TAGS = ("test", "git", "build", "lint", "edit", "read", "search", "web")
RARE = ("arn", "becquerel", "caravel", "dogger", "esker", "fathom", "gnomon", "halyard")
"""Words that one record in two hundred contains."""


class Filled:
    """A store with the records of several agents, one task each."""

    def __init__(self, name: str, database: Database, agents: int, records: int, seed: int) -> None:
        """Write all records; ``rate`` is the records written per second."""
        self.name, self.database = name, database
        self.records = Records("local", seed)
        self.tasks = [
            database.write(partial(self.records.plant_task, name=f"agent {n}"))
            for n in range(agents)
        ]
        self._pick, self._sequence = random.Random(seed), 0
        self._desk = Desk(f"{seed}-engines")
        began = time.perf_counter()
        for task in self.tasks:
            for at in range(0, records, BATCH):
                progress(f"{name}: {self._sequence:,} of {records * agents:,}")
                self.database.write(partial(self._write, task=task, count=min(BATCH, records - at)))
        self.rate = records * agents / (time.perf_counter() - began)

    def write_one(self) -> None:
        """Write one record in a transaction of its own."""
        task = self._pick.choice(self.tasks)
        self.database.write(partial(self._write, task=task, count=1))

    def search(self, words: list[str]) -> None:
        """Search the full text of one agent's task."""
        task = self._pick.choice(self.tasks)
        query = TextQuery("local", words, workspace=task.workspace, limit=50)
        self.database.read(lambda tx: tx.text("observation").search(query))

    def search_part(self, part: str) -> None:
        """Search a part of an identifier in one agent's task."""
        task = self._pick.choice(self.tasks)
        query = TextQuery("local", [], [part], workspace=task.workspace, limit=50)
        self.database.read(lambda tx: tx.text("observation").search(query))

    def filter(self) -> None:
        """Return the newest fifty of an agent with a tag, in a time range."""
        task = self._pick.choice(self.tasks)
        where = ObservationFilter(tags=(self._pick.choice(TAGS),), since=task.started_at)
        self.database.read(
            lambda tx: observations.recent(tx, "local", task.workspace, where=where, limit=50)
        )

    def _write(self, tx: Transaction, task: Task, count: int) -> None:
        made = [self._observation(task) for _ in range(count)]
        blobs.insert(tx, "local", [blob for blob, _ in made])
        observations.insert(tx, [new for _, new in made])

    def _observation(self, task: Task) -> tuple[Blob, observations.NewObservation]:
        self._sequence += 1
        words = " ".join(self._pick.choices(WORDS, k=30))
        rare = self._pick.choice(RARE) if self._pick.random() < 1 / 25 else ""
        text = f"{self._sequence} {self._desk.said('s', 'k').text[:120]} {words} {rare}"
        tags = tuple(sorted(self._pick.sample(TAGS, 2)))
        new = self.records.observation(task, self._sequence, text[:200], tags=tags)
        blob = Blob.of(text)
        one = replace(new.observation, content_hash=blob.hash)
        entry = TextEntry("local", one.id, task.workspace, task.id, text, identifiers(text))
        return blob, replace(new, observation=one, text=entry)


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("engines", vars(options))
    with tempfile.TemporaryDirectory(prefix="engines-") as folder, _server() as server:
        stores = EmptyStores(server)
        size = options.agents, options.records, options.seed
        file = SqliteDatabase(Path(folder) / "store.db")
        shielded = PostgresDatabase(stores.url)
        records = [
            Filled("SQLite", file, *size),
            Filled("PostgreSQL, application's role (RLS)", shielded, *size),
        ]
        server.execute("vacuum analyze", DATABASE)
        owner = PostgresDatabase(server.url(DATABASE))  # superuser: row policies do not apply
        bare = Filled("PostgreSQL, superuser (no RLS)", owner, 0, 0, options.seed + 1)
        bare.tasks, bare.rate = records[1].tasks, 0.0
        bare.records, bare._sequence = records[1].records, 10**7
        for each in (*records, bare):
            _measure(report, each, options.times)
        for database in (file, shielded, owner):
            database.close()
    return report.finish(as_json=options.json)


def _measure(report: Report, filled: Filled, times: int) -> None:
    pick = random.Random(7)
    kinds: dict[str, Callable[[], None]] = {
        "write of one record": filled.write_one,
        "full text, a rare word": lambda: filled.search([pick.choice(RARE)]),
        "full text, a rare and two common words": lambda: filled.search(
            [pick.choice(RARE), *pick.sample(WORDS, 2)]
        ),
        "part of an identifier": lambda: filled.search_part(f"{pick.choice(VERBS)}_q"),
        "newest fifty with a tag": filled.filter,
    }
    if filled.rate:
        report.add(filled.name, "filled", filled.rate, "a second", f"in batches of {BATCH:,}")
    for name, work in kinds.items():
        progress(f"{filled.name}: {name}")
        took = [_milliseconds(work) for _ in range(times)][times // 10 :]
        note = f"p95 {quantile(took, 0.95):.2f}"
        report.add(filled.name, name, quantile(took, 0.5), "ms", note)


def _milliseconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


@contextmanager
def _server() -> Iterator[PostgresServer]:
    server = PostgresServer(settings=("fsync=on", "shared_buffers=512MB", "max_wal_size=4GB"))
    try:
        yield server
    finally:
        server.close()


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--agents", type=int, default=3)
    made.add_argument("--records", type=int, default=100_000, help="for each agent")
    made.add_argument("--times", type=int, default=200, help="how often each is measured")
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
