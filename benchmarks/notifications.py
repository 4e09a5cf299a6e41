"""Test concurrent approvals, and notifications read by two processes."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from measuring.report import Report, parser, progress, quantile
from memoranda import Memoranda
from memoranda.config import Settings, load_settings
from memoranda.memories.model import MemoryStatus
from memoranda.proposals.model import ProposalStatus
from postgres_stores import EmptyStores
from servers import PostgresServer

CHANNELS = ("cli", "page")

APPROVE = """
import sys, time
from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.exceptions import Conflict
given = {"data_dir": sys.argv[1], "database_url": sys.argv[2], "embedder": "none"}
settings = load_settings({name: value for name, value in given.items() if value}, {})
with Memoranda.open(settings=settings) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.perf_counter()
    try:
        memory.proposals.approve(sys.argv[3], sys.argv[4])
        outcome = "approved"
    except Conflict:
        outcome = "conflict"
    print(outcome, (time.perf_counter() - began) * 1e3, flush=True)
"""

READ = """
import json, signal, sys, time
from memoranda import Memoranda
from memoranda.config import load_settings
stopping = []
signal.signal(signal.SIGTERM, lambda *_: stopping.append(1))
given = {"data_dir": sys.argv[1], "database_url": sys.argv[2], "embedder": "none"}
settings = load_settings({name: value for name, value in given.items() if value}, {})
with Memoranda.open(settings=settings) as memory:
    last = False
    while not last:
        last = bool(stopping)
        found = memory.proposals.notifications(sys.argv[3])
        print(json.dumps([one.id for one in found]), flush=True)
        time.sleep(0 if last else 0.01)
"""


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a store."""

    name: str
    settings: Settings

    def words(self) -> tuple[str, str]:
        """Return the arguments with which a child process opens it."""
        return str(self.settings.data_dir), self.settings.database_url or ""


def started(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a Python process that runs the code."""
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=plain,
    )


def agent(place: Place) -> Memoranda:
    """Open a store as an agent."""
    return Memoranda.open(settings=place.settings, agent="bob", workspace="shop")


def approvals(report: Report, place: Place, processes: int, rounds: int) -> None:
    """Approve one proposal from many processes at once."""
    took, outcomes, entries, versions = list[float](), Counter[str](), 0, 0
    for turn in range(rounds):
        progress(f"{place.name}: approvals, round {turn + 1} of {rounds}")
        with agent(place) as bob:
            bob.remember(f"Round {turn}: the gateway listens on port {8000 + turn}.")
        with Memoranda.open(settings=place.settings) as person:
            (waits,) = person.proposals.list().items
        children = [
            started(APPROVE, *place.words(), waits.id, waits.hash) for _ in range(processes)
        ]
        for child in children:
            assert child.stdout is not None
            child.stdout.readline()
        for child in children:
            assert child.stdin is not None
            child.stdin.write("\n")
            child.stdin.flush()
        for child in children:
            outcome, milliseconds = child.communicate()[0].split()
            outcomes[outcome] += 1
            took.append(float(milliseconds))
        with Memoranda.open(settings=place.settings) as person:
            decided = [one for one in person.journal.list(limit=1_000) if one.subject == waits.id]
            entries += sum(one.operation == "proposal approved" for one in decided)
            memory = person.memories.evidence(waits.memory).memory
            versions += len(person.memories.history(waits.memory).items)
            assert memory.status is MemoryStatus.APPROVED
    section = f"{place.name}: {processes} processes approve one proposal, {rounds} rounds"
    report.add(section, "approved", outcomes["approved"], "", f"of {sum(outcomes.values())}")
    report.add(section, "journal rows", entries)
    report.add(
        section, "an answer, p50", quantile(took, 0.5), "ms", f"p95 {quantile(took, 0.95):.0f}"
    )
    once = outcomes["approved"] == entries == versions == rounds
    report.claim(f"{place.name}: applied once, one journal row", once)


def notifications(report: Report, place: Place, count: int) -> None:
    """Send notifications while two processes per channel read them.

    One of the two is killed and restarted repeatedly.
    """
    with Memoranda.open(settings=place.settings) as person:
        for channel in CHANNELS:
            while person.proposals.notifications(channel):
                pass
        before = _told_of(person)
    began = time.perf_counter()
    readers = {
        channel: [started(READ, *place.words(), channel) for _ in range(2)] for channel in CHANNELS
    }
    result = {channel: list[str]() for channel in CHANNELS}
    with agent(place) as bob:
        for number in range(count // 2):
            bob.remember(f"Lamp {number} of the yard is on.")
            if number % 100 == 50:
                progress(f"{place.name}: {2 * number:,} of {count:,} notifications")
                _restart(place, readers, result)
    with Memoranda.open(settings=place.settings) as person:
        waiting = person.proposals.list(limit=1_000).items
        for one in waiting:
            person.proposals.approve(one.id, one.hash)
        made = _told_of(person) - before
        assert len(person.proposals.list(status=ProposalStatus.PENDING).items) == 0
    for channel, children in readers.items():
        for child in children:
            result[channel] += _ids(child)
    seconds = time.perf_counter() - began
    section = f"{place.name}: {count:,} notifications, two channels, two processes each"
    report.add(section, "made", len(made))
    report.add(section, "made, decided and told", seconds, "s", "readers stopped ten times")
    for channel in CHANNELS:
        twice = len(result[channel]) - len(set(result[channel]))
        lost = len(made - set(result[channel]))
        report.add(
            section, f"{channel}: told", len(result[channel]), "", f"{twice} twice, {lost} lost"
        )
        report.claim(
            f"{place.name}, {channel}: every one delivered, none twice", not (twice or lost)
        )


def _restart(
    place: Place, readers: dict[str, list[subprocess.Popen[str]]], response: dict[str, list[str]]
) -> None:
    """Stop one reader of each channel and start another."""
    for channel, children in readers.items():
        child = children.pop(0)
        response[channel] += _ids(child)
        children.append(started(READ, *place.words(), channel))


def _ids(child: subprocess.Popen[str]) -> list[str]:
    """Stop a reader; return the ids that it received."""
    child.send_signal(signal.SIGTERM)
    return [id for line in child.communicate()[0].splitlines() for id in json.loads(line)]


def _told_of(person: Memoranda) -> set[str]:
    """Return the ids of all notifications."""
    rows = person._database.read(lambda tx: tx.fetch("select id from notification", {}))
    return {row[0] for row in rows}


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("notifications", vars(options))
    with tempfile.TemporaryDirectory(prefix="notifications-") as folder:
        for place in _places(Path(folder)):
            approvals(report, place, options.processes, options.rounds)
            notifications(report, place, options.count)
    return report.finish(as_json=options.json)


def _places(folder: Path) -> Iterator[Place]:
    arguments: dict[str, Any] = {"data_dir": folder / "file", "embedder": "none"}
    yield Place("SQLite", load_settings(arguments, {}))
    with _server() as server:
        arguments = {"data_dir": folder / "server", "embedder": "none"}
        url = EmptyStores(server).url
        yield Place("PostgreSQL", load_settings(arguments | {"database_url": url}, {}))


@contextmanager
def _server() -> Iterator[PostgresServer]:
    server = PostgresServer(settings=("fsync=on",))
    try:
        yield server
    finally:
        server.close()


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--count", type=int, default=1_000, help="notifications")
    made.add_argument("--processes", type=int, default=16, help="that approve at once")
    made.add_argument("--rounds", type=int, default=5)
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
