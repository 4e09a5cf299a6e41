"""Kill writers with SIGKILL at random moments and check the store."""

from __future__ import annotations

import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from measuring.ledger import THREADS, Findings, Life, check_life, check_store
from measuring.report import progress
from memoranda.config import load_settings
from memoranda.exceptions import MemorandaError
from memoranda.memory import Memoranda
from memoranda.models.tokens import ToktokCounter
from memoranda.store.sqlite.engine import SqliteDatabase

LONGEST_LIFE = 0.6
"""Seconds; opening takes about 0.05, so some writers die before a write."""
FULL_CHECK_EVERY = 20
LIVES_OF_A_STORE = 60
"""Lives per store, so that creation is killed too and checks stay short."""
TROUBLE = b"E"


@dataclass(slots=True)
class KillFindings(Findings):
    """Results of killing writers."""

    kills: int = 0
    speechless: int = 0
    """Writers that died before they acknowledged anything."""
    recoveries: list[float] = field(default_factory=list)
    """Seconds from opening a store after a kill to the end of the first read."""


@dataclass(slots=True)
class Killer:
    """Kills one writer after another, on one store after another.

    The tokenizer's vocabulary and all modules are loaded before the first fork, so that a life is
    spent on writes. No database is open at a fork.
    """

    home: Path
    seed: int
    found: KillFindings = field(default_factory=KillFindings)
    _unchecked: list[tuple[Life, list[int]]] = field(default_factory=list)

    def run(self, kills: int) -> KillFindings:
        """Kill ``kills`` writers."""
        ToktokCounter().count("warm")
        chance = random.Random(f"kills-{self.seed}")
        for number in range(kills):
            store = self.home / f"store-{number // LIVES_OF_A_STORE}"
            life = Life(self.seed, number)
            self._live(store, life, chance.uniform(0.0, LONGEST_LIFE))
            last = number + 1 == kills or (number + 1) % LIVES_OF_A_STORE == 0
            whole = last or (number + 1) % FULL_CHECK_EVERY == 0
            # Sometimes the next writer, not the check, is the first to open the store after a kill.
            if whole or chance.random() < 0.67:
                self._check(store, whole=whole)
            if last:
                shutil.rmtree(store, ignore_errors=True)
            progress(f"{number + 1} of {kills} kills, {self.found.acknowledged} acknowledged")
        progress("")
        return self.found

    def _live(self, store: Path, life: Life, seconds: float) -> None:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _write_until_killed(store, life, writing)
        os.close(writing)
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        text, trouble, message = _read_all(reading).partition(TROUBLE)
        self.found.kills += 1
        self.found.speechless += not text
        if trouble:
            self.found.writer_errors += 1
            self.found.note(f"life {life.number}: {message.decode('utf-8', 'replace')}")
        self._unchecked.append((life, [text.count(bytes([48 + t])) for t in range(THREADS)]))

    def _check(self, store: Path, *, whole: bool) -> None:
        started = time.perf_counter()
        try:
            database = SqliteDatabase(load_settings({"data_dir": store}).database_path)
        except MemorandaError as error:
            self.found.unreadable += 1
            self.found.note(str(error))
            self._unchecked.clear()
            return
        try:
            database.read(lambda tx: tx.first("select count(*) from task", {}))
            self.found.recoveries.append(time.perf_counter() - started)
            for life, acknowledged in self._unchecked:
                check_life(database, life, acknowledged, self.found)
            self._unchecked.clear()
            if whole:
                check_store(database, self.found)
        finally:
            database.close()


def _write_until_killed(store: Path, life: Life, pipe: int) -> None:
    """Write from several threads; never returns."""
    try:
        memory = Memoranda.open(store)
        threads = [
            threading.Thread(target=_guarded, args=(_writer(memory, life, at, pipe), pipe))
            for at in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException as error:  # sent through the pipe; the parent counts it as a fault
        os.write(pipe, TROUBLE + repr(error).encode())
    os._exit(1)


def _writer(memory: Memoranda, life: Life, thread: int, pipe: int) -> Callable[[], None]:
    def write() -> None:
        for number in count():
            memory.capture.take(life.batch(thread, number), workspace="bench")
            os.write(pipe, bytes([48 + thread]))

    return write


def _guarded(work: Callable[[], None], pipe: int) -> None:
    try:
        work()
    except BaseException as error:  # sent through the pipe; the parent counts it as a fault
        os.write(pipe, TROUBLE + repr(error).encode())


def _read_all(pipe: int) -> bytes:
    with os.fdopen(pipe, "rb") as file:
        return file.read()
