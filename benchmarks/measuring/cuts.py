"""Cut the power under a store that four threads write to."""

from __future__ import annotations

import random
import shutil
import threading
from dataclasses import dataclass
from pathlib import Path

import apsw

from measuring.cutdisk import CutDisk, CutVFS
from measuring.ledger import THREADS, Findings, Life, check_life, check_store
from measuring.report import progress
from memoranda.capture.event_preparation import EventPreparer
from memoranda.capture.intake import Intake
from memoranda.capture.redaction.event_cleaner import EventCleaner
from memoranda.capture.redaction.exclusion import Exclusion
from memoranda.capture.redaction.redactor import Redactor
from memoranda.clock import SystemClock
from memoranda.exceptions import MemorandaError
from memoranda.ids import IdSource
from memoranda.models.tokens import ToktokCounter
from memoranda.scope import LOCAL_TEAM
from memoranda.store.sqlite.engine import SqliteDatabase

VFS_NAME = "memoranda-cut"
DATABASE = "memoranda.db"
BATCHES = 10
"""Calls of each thread in a life that is not cut."""
CHECKPOINT_PAGES = 60
"""WAL pages per checkpoint, few so that a short life has several."""


@dataclass(slots=True)
class CutFindings(Findings):
    """Results of power cuts."""

    cuts: int = 0
    torn: int = 0
    """Cuts after which a random part of the unsynced data survived."""
    lossy: int = 0
    """Cuts after which acknowledged data was missing."""
    amid_checkpoint: int = 0
    """Cuts during a checkpoint of the WAL."""
    syncs: int = 0


class Cutter:
    """Runs lives in turn, each on a new store with its own moment of the cut."""

    def __init__(self, home: Path, seed: int, *, synchronous: str) -> None:
        self.found = CutFindings()
        self._home = home
        self._seed = seed
        self._synchronous = synchronous
        self._preparer = EventPreparer(
            EventCleaner(Redactor(b"benchmark"), Exclusion((), ())), ToktokCounter()
        )

    def run(self, cuts: int) -> CutFindings:
        """Cut ``cuts`` times; every other cut keeps a part of unsynced sectors."""
        uncut = CutDisk(cut_at=None)
        self._live(uncut, Life(self._seed, 0))
        chance = random.Random(f"cuts-{self._seed}")
        for number in range(cuts):
            torn = random.Random(f"torn-{self._seed}-{number}") if number % 2 else None
            disk = CutDisk(cut_at=chance.randint(1, uncut.operations), torn=torn)
            life = Life(self._seed, number)
            acknowledged = self._live(disk, life)
            self.found.cuts += 1
            self.found.torn += torn is not None
            self.found.syncs += disk.syncs
            self.found.amid_checkpoint += disk.amid_checkpoint
            self._check(disk, life, acknowledged)
            progress(f"{self._synchronous}: {number + 1} of {cuts} cuts")
        progress("")
        return self.found

    def _live(self, disk: CutDisk, life: Life) -> list[int]:
        """Write to a new store; return the batches that each thread completed."""
        folder = self._fresh("live")
        vfs = CutVFS(VFS_NAME, disk)
        acknowledged = [0] * THREADS
        try:
            database = SqliteDatabase(folder / DATABASE, vfs=VFS_NAME)
        except MemorandaError as error:
            self._blame(disk, life, error)
        else:
            try:
                database.pragma(f"synchronous={self._synchronous}")
                database.pragma(f"wal_autocheckpoint={CHECKPOINT_PAGES}")
                self._write(database, life, acknowledged)
            except MemorandaError as error:
                self._blame(disk, life, error)
            disk.cut()
            _close(database)
        disk.cut()
        vfs.unregister()
        return acknowledged

    def _blame(self, disk: CutDisk, life: Life, error: MemorandaError) -> None:
        """Count an error that the power cut does not explain."""
        if not disk.reached:
            self.found.writer_errors += 1
            self.found.note(f"life {life.number}: {error!r}")

    def _write(self, database: SqliteDatabase, life: Life, acknowledged: list[int]) -> None:
        clock = SystemClock()
        intake = Intake(database, self._preparer, clock, IdSource(clock), LOCAL_TEAM)
        troubles: list[MemorandaError] = []

        def write(thread: int) -> None:
            try:
                for number in range(BATCHES):
                    intake.take(life.batch(thread, number), actor="bench", workspace="bench")
                    acknowledged[thread] += 1
            except MemorandaError as error:
                troubles.append(error)

        threads = [threading.Thread(target=write, args=(at,)) for at in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if troubles:
            raise troubles[0]

    def _check(self, disk: CutDisk, life: Life, acknowledged: list[int]) -> None:
        folder = self._fresh("survived")
        disk.write_survivors(folder)
        lost = self.found.lost
        try:
            database = SqliteDatabase(folder / DATABASE)
        except MemorandaError as error:
            self.found.unreadable += 1
            self.found.note(f"life {life.number}: {error}")
            return
        try:
            check_life(database, life, acknowledged, self.found)
            check_store(database, self.found)
        finally:
            database.close()
        self.found.lossy += self.found.lost > lost

    def _fresh(self, name: str) -> Path:
        folder = self._home / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


def _close(database: SqliteDatabase) -> None:
    """Close without power: the last checkpoint fails, and is not needed."""
    try:
        database.close()
    except (MemorandaError, apsw.Error):
        return
