"""Run many processes on one store: a writer, readers, the command line."""

from __future__ import annotations

import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

from measuring.ledger import Findings, check_store
from measuring.work import AREAS, NOUNS, VERBS, Desk
from memoranda.config import load_settings
from memoranda.memory import Memoranda
from memoranda.store.sqlite.engine import SqliteDatabase

READERS = 8
LOOPS = 4
PAUSE = 0.01
"""Seconds between two reads of a reader, like an agent's turn."""


@dataclass(slots=True)
class CrowdFindings:
    """Results of the calls of all processes."""

    calls: dict[str, int] = field(default_factory=dict)
    errors: int = 0
    messages: list[str] = field(default_factory=list)
    store: Findings = field(default_factory=Findings)
    slowest: dict[str, float] = field(default_factory=dict)
    """Seconds of the slowest call of each kind."""


@dataclass(slots=True)
class _Tally:
    calls: int = 0
    errors: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def call(self, work: Callable[[], Any]) -> None:
        started = time.perf_counter()
        try:
            work()
        except Exception as error:  # any error that a caller sees is counted
            self.errors.append(repr(error)[:300])
        self.calls += 1
        self.slowest = max(self.slowest, time.perf_counter() - started)


def run(home: Path, seed: int, minutes: float) -> CrowdFindings:
    """Run all processes on one store for ``minutes``, then check it."""
    store = home / "crowd"
    with Memoranda.open(store) as memory:
        memory.capture.take([Desk(f"first-{seed}").event("session", "first")], workspace="bench")
    context = multiprocessing.get_context("spawn")
    results: Queue[tuple[str, _Tally]] = context.Queue()
    until = time.time() + minutes * 60
    kinds = ["writer", *["reader"] * READERS, *["command line"] * LOOPS]
    crowd = [
        context.Process(target=_member, args=(kind, store, f"{seed}-{at}", until, results))
        for at, kind in enumerate(kinds)
    ]
    for process in crowd:
        process.start()
    found = CrowdFindings()
    for _ in crowd:
        _add(found, *results.get(timeout=minutes * 60 + 120))
    for process in crowd:
        process.join(30)
    database = SqliteDatabase(load_settings({"data_dir": store}).database_path)
    check_store(database, found.store)
    database.close()
    return found


def _add(found: CrowdFindings, kind: str, tally: _Tally) -> None:
    found.calls[kind] = found.calls.get(kind, 0) + tally.calls
    found.slowest[kind] = max(found.slowest.get(kind, 0.0), tally.slowest)
    found.errors += len(tally.errors)
    found.messages += tally.errors[: 20 - len(found.messages)]


def _member(
    kind: str, store: Path, seed: str, until: float, results: Queue[tuple[str, _Tally]]
) -> None:
    tally = _Tally()
    works = {"writer": _write, "reader": _read, "command line": _command}
    try:
        works[kind](store, seed, until, tally)
    except Exception as error:  # a process that cannot even open the store is an error as well
        tally.errors.append(repr(error)[:300])
    results.put((kind, tally))


def _write(store: Path, seed: str, until: float, tally: _Tally) -> None:
    desk = Desk(seed)
    with Memoranda.open(store) as memory:
        for number in count():
            if time.time() >= until:
                return
            event = desk.event(f"session-{number % 7}", f"{seed}-{number}")
            tally.call(partial(memory.capture.take, [event], workspace="bench"))


def _read(store: Path, seed: str, until: float, tally: _Tally) -> None:
    chance = random.Random(seed)
    with Memoranda.open(store) as memory:
        reads: list[Callable[[], Any]] = [
            lambda: memory.search(_query(chance)),
            lambda: memory.context(workspace="bench"),
            lambda: memory.observations.index(workspace="bench", limit=20),
        ]
        while time.time() < until:
            tally.call(chance.choice(reads))
            time.sleep(PAUSE)


def _command(store: Path, seed: str, until: float, tally: _Tally) -> None:
    chance = random.Random(seed)
    for number in count():
        if time.time() >= until:
            return
        commands = (
            ("search", _query(chance)),
            ("context", "--workspace", "bench"),
            ("observe", f"note {seed}-{number}: {_query(chance)}", "--task", "notes"),
            ("stats",),
        )
        tally.call(partial(_run, commands[number % len(commands)], store))


def _run(arguments: tuple[str, ...], store: Path) -> None:
    """Run one command; an exit code or output on stderr is an error."""
    ended = subprocess.run(
        [sys.executable, "-m", "memoranda", *arguments, "--data-dir", str(store)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "MEMORANDA_DISABLED": "1"},
    )
    complaint = [line for line in ended.stderr.splitlines() if "tokens" not in line and line]
    if ended.returncode or complaint or "locked" in ended.stderr:
        raise RuntimeError(f"{arguments[0]}: exit {ended.returncode}: {ended.stderr[-250:]}")


def _query(chance: random.Random) -> str:
    return " ".join((chance.choice(VERBS), chance.choice(NOUNS), chance.choice(AREAS)))
