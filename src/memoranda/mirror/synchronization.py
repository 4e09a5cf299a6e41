"""Synchronises a team's mirror, and turns it on and off."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from memoranda.clock import Clock
from memoranda.exceptions import Conflict, MemorandaError, NotFound, StorageUnusable
from memoranda.journal import table as journal
from memoranda.memories.memory_service import Memories
from memoranda.memories.memory_writer import MemoryChanges
from memoranda.mirror import table as mirrors
from memoranda.mirror.change_import import Beside, MirrorIntake
from memoranda.mirror.expected_files import bank, places
from memoranda.mirror.folder import Folder
from memoranda.mirror.layout import GeneratedFile
from memoranda.mirror.model import FileKind, Mirror, MirrorFile, MirrorReport, MirrorStatus
from memoranda.mirror.scan import MirrorScanner
from memoranda.mirror.task_files import executions
from memoranda.mirror.writer import MirrorWriter
from memoranda.proposals.decisions import Proposals
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

AGAIN = 2
"""Number of additional runs if files change during a run."""
NOTES = 50
"""Number of notes that are kept."""
OFF = "the mirror is off; `memoranda mirror on` turns it on"


@dataclass(frozen=True, slots=True)
class MirrorCleanup:
    """Result of clearing forgotten content from the mirror."""

    place: str
    """Location that was cleared; empty if nothing was cleared."""
    missed: tuple[str, ...]
    """Locations where the content may remain."""


class MirrorSynchronizer:
    """Synchronises a mirror's files with the memories of a team."""

    def __init__(
        self,
        database: Database,
        book: Memories,
        changes: MemoryChanges,
        waiting: Proposals,
        clock: Clock,
    ) -> None:
        self._database = database
        self._book = book
        self._changes = changes
        self._proposals = waiting
        self._clock = clock

    def on(self, scope: Scope, folder: Path) -> MirrorReport:
        """Start mirroring a team's memories to a folder.

        Raises:
            Conflict: the mirror is already in another folder, or the folder is not empty.
            StorageUnusable: the folder cannot be created or written.
        """
        root = Path(folder).expanduser().resolve()
        mirror = self._mirror(scope.team)
        if mirror and mirror.folder != str(root):
            raise Conflict(f"the mirror is in {mirror.folder}; run `memoranda mirror off` first")
        now = self._clock.now()
        made = mirror or Mirror(scope.team, str(root), secrets.token_hex(16), now)
        Folder(root).check(made.mark, first=mirror is None)

        def work(tx: Transaction) -> None:
            mirrors.put(tx, made)
            journal.append(
                tx, scope.team, journal.NewJournalEntry(now, "human", "mirror on", "", {})
            )

        if mirror is None:
            self._database.write(work)
        try:
            Folder(root).claim(made.mark)
        except StorageUnusable:
            if mirror is None:
                self._database.write(lambda tx: mirrors.drop(tx, scope.team))
            raise
        return self.sync(scope)

    def off(self, scope: Scope) -> MirrorReport:
        """Import people's changes, then remove the files and stop mirroring.

        Copies of conflicting entries next to files are kept.

        Raises:
            NotFound: the mirror is off.
        """
        mirror = self._needed(scope.team)
        folder, report = Folder(Path(mirror.folder)), MirrorReport()
        if folder.marked() == mirror.mark:
            with folder.alone():
                report = self._read(scope.team, folder)
                writing = MirrorWriter(self._database, folder, scope.team, self._clock.now())
                _add(report, writing.run({}))
                if report.unfinished:
                    raise Conflict("a file changed in the meantime; turn the mirror off again")
        now = self._clock.now()

        def work(tx: Transaction) -> None:
            mirrors.drop(tx, scope.team)
            journal.append(
                tx, scope.team, journal.NewJournalEntry(now, "human", "mirror off", "", {})
            )

        self._database.write(work)
        if folder.marked() == mirror.mark:
            folder.release()
        return report

    def sync(self, scope: Scope) -> MirrorReport:
        """Import people's changes to files, then rewrite those that differ.

        Raises:
            NotFound: the mirror is off.
            Conflict: the folder now belongs to another mirror.
            StorageUnusable: the folder cannot be used.
        """
        mirror = self._needed(scope.team)
        Folder(Path(mirror.folder)).claim(mirror.mark)
        return self._run(mirror)

    def rebuild(self, scope: Scope) -> MirrorReport:
        """Import people's changes, then write every file again.

        Raises:
            NotFound: the mirror is off.
            Conflict: the folder now belongs to another mirror.
            StorageUnusable: the folder cannot be used.
        """
        mirror = self._needed(scope.team)
        folder = Folder(Path(mirror.folder))
        folder.claim(mirror.mark)
        with folder.alone():
            report = self._read(scope.team, folder)
            writing = MirrorWriter(self._database, folder, scope.team, self._clock.now())
            writing.run({})
        _add(report, self._run(mirror))
        return report

    def follow(self, team: str) -> MirrorReport | None:
        """Run `sync` if the folder is on this machine.

        Return None if the folder is on another machine, or the mirror is off.
        """
        mirror = self._mirror(team)
        if mirror is None or Folder(Path(mirror.folder)).marked() != mirror.mark:
            return None
        report = self._run(mirror)
        for _ in range(AGAIN):
            if report.unfinished:
                report.unfinished = False
                _add(report, self._run(mirror))
        return report

    def status(self, scope: Scope) -> MirrorStatus:
        """Return the status of the mirror: location, conflicts and notes."""

        def work(tx: Transaction) -> tuple[Mirror | None, Mapping[str, MirrorFile]]:
            return mirrors.of(tx, scope.team), mirrors.files(tx, scope.team)

        mirror, rows = self._database.read(work)
        if mirror is None:
            return MirrorStatus(None, False, 0, (), ())
        folder = Folder(Path(mirror.folder))
        here = folder.marked() == mirror.mark
        beside: dict[FileKind, list[str]] = {FileKind.CONFLICT: [], FileKind.KEPT: []}
        for path, row in rows.items():
            if row.kind in beside and not (here and folder.read(path).missing):
                beside[row.kind].append(path)
        conflicts, paths = (tuple(found) for found in beside.values())
        files = len(rows) - len(conflicts) - len(paths)
        return MirrorStatus(mirror, here, files, conflicts, paths)

    def clear(self, team: str) -> MirrorCleanup | None:
        """Clear deleted content from the files; return None if there is no mirror."""
        mirror = self._mirror(team)
        if mirror is None:
            return None
        try:
            report = self.follow(team)
        except MemorandaError as error:
            return MirrorCleanup("", (f"the mirror: {error}",))
        if report is None:
            return MirrorCleanup(
                "", (f"the mirror in {mirror.folder}, which is not on this machine",)
            )
        left = self.status(Scope(team))
        missed = [f"a file that people added to the mirror: {path}" for path in left.kept]
        missed += [
            f"a copy with people's changes, in the mirror: {path}" for path in left.conflicts
        ]
        return MirrorCleanup("mirror", tuple(missed))

    def _run(self, mirror: Mirror) -> MirrorReport:
        folder = Folder(Path(mirror.folder))
        with folder.alone():
            if self._mirror(mirror.team) is None:  # turned off while this run was waiting
                return MirrorReport()
            report = self._read(mirror.team, folder)
            wanted = self._database.read(lambda tx: _expected(tx, mirror.team))
            writing = MirrorWriter(self._database, folder, mirror.team, self._clock.now())
            _add(report, writing.run(wanted))
            self._note(mirror.team, report)
        return report

    def _read(self, team: str, folder: Folder) -> MirrorReport:
        intake = MirrorIntake(self._book, self._changes, self._proposals, _conflict_writer(folder))
        now = self._clock.now()
        reading = MirrorScanner(self._database, folder, intake, self._changes.clean, team, now)
        all_places = self._database.read(lambda tx: places(tx, team))
        return reading.run({all_place.folder: all_place.id for all_place in all_places})

    def _note(self, team: str, report: MirrorReport) -> None:
        """Store the notes of a run, unless it changed nothing."""
        if not (report.notes or report.written or report.removed or report.taken):
            return
        now = self._clock.now()

        def work(tx: Transaction) -> None:
            mirror = mirrors.of(tx, team)
            if mirror:
                noted = {(note.path, note.what) for note in report.notes}
                older = [note for note in mirror.notes if (note.path, note.what) not in noted]
                notes = (*report.notes, *older)[:NOTES]
                mirrors.put(tx, replace(mirror, synced_at=now, notes=notes))

        self._database.write(work)

    def _mirror(self, team: str) -> Mirror | None:
        return self._database.read(lambda tx: mirrors.of(tx, team))

    def _needed(self, team: str) -> Mirror:
        mirror = self._mirror(team)
        if mirror is None:
            raise NotFound(OFF)
        return mirror


def _expected(tx: Transaction, team: str) -> dict[str, GeneratedFile]:
    return {file.path: file for file in (*bank(tx, team), *executions(tx, team))}


def _conflict_writer(folder: Folder) -> Beside:
    return lambda path, data: folder.beside(path, data, "conflict")


def _add(report: MirrorReport, more: MirrorReport) -> None:
    """Add the result of another step."""
    for name in ("edited", "added", "proposed", "conflicts", "written", "removed", "notes"):
        getattr(report, name).extend(getattr(more, name))
    report.unfinished = report.unfinished or more.unfinished
