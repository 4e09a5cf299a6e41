"""Writes the expected files of a mirror and removes unexpected ones.

A file that a person has changed since it was last stored is neither overwritten nor removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memoranda.memories import table as memories
from memoranda.mirror import table as mirrors
from memoranda.mirror.folder import Folder
from memoranda.mirror.layout import GeneratedFile
from memoranda.mirror.model import FileKind, MirrorFile, MirrorNote, MirrorReport
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.workspaces import table as workspaces


@dataclass(frozen=True, slots=True)
class _PendingFile:
    """File to be replaced, with its current content."""

    made: GeneratedFile
    stands: str


class MirrorWriter:
    """Writer of a mirror's files; skips files that are up to date."""

    def __init__(self, database: Database, folder: Folder, team: str, now: int) -> None:
        self._database = database
        self._folder = folder
        self._team = team
        self._now = now
        self._report = MirrorReport()

    def run(self, wanted: Mapping[str, GeneratedFile]) -> MirrorReport:
        """Write the required files and remove others.

        Files that a person has changed since the import are left unchanged.
        """
        rows = self._database.read(lambda tx: mirrors.files(tx, self._team))
        due, settled = self._due(wanted, rows)
        planned = [
            self._row(pending_file.made, rows.get(pending_file.made.path), before=True)
            for pending_file in due
        ]
        if planned:
            self._database.write(lambda tx: mirrors.put_files(tx, planned))
        for file in due:
            if self._folder.replace(file.made.path, file.made.data, file.stands):
                settled.append(self._row(file.made, None, before=False))
                self._report.written.append(file.made.path)
            else:
                self._report.unfinished = True
        dropped = self._superfluous(wanted, rows)
        if settled or dropped:
            self._database.write(lambda tx: self._settle(tx, settled, dropped))
        if dropped:
            self._folder.prune()
        return self._report

    def _settle(self, tx: Transaction, settled: list[MirrorFile], dropped: list[str]) -> None:
        mirrors.put_files(tx, settled)
        mirrors.drop_files(tx, self._team, dropped)

    def _due(
        self, wanted: Mapping[str, GeneratedFile], rows: Mapping[str, MirrorFile]
    ) -> tuple[list[_PendingFile], list[MirrorFile]]:
        """Return the files to write, and the records to update."""
        due: list[_PendingFile] = []
        settled: list[MirrorFile] = []
        for path, file in wanted.items():
            content, row = self._folder.read(path), rows.get(path)
            if content.hash == file.hash:
                now = self._row(file, None, before=False)
                if row is None or replace(row, written_at=now.written_at) != now:
                    settled.append(now)
            elif content.missing or (row and content.hash in row.hashes):
                due.append(_PendingFile(file, content.hash))
            elif content.trouble:
                self._report.notes.append(
                    MirrorNote(path, f"{content.trouble}; not written", self._now)
                )
            elif row is None and file.kind is FileKind.MADE:
                self._set_aside(path)
                due.append(_PendingFile(file, ""))
            else:
                self._report.unfinished = True
        return due, settled

    def _set_aside(self, path: str) -> None:
        """Preserve a person's file at the path of a mirror file."""
        copy_path = self._folder.set_aside(path)
        row = MirrorFile(self._team, copy_path, FileKind.KEPT, "", "", {}, self._now)
        self._database.write(lambda tx: mirrors.put_files(tx, [row]))
        self._report.notes.append(
            MirrorNote(path, f"already existed; kept as {copy_path}", self._now)
        )

    def _row(self, made: GeneratedFile, previous: MirrorFile | None, *, before: bool) -> MirrorFile:
        """Return the record of a file before and after the file is written."""
        entries = dict(made.entries)
        if not before:
            return MirrorFile(
                self._team, made.path, made.kind, made.subject, made.hash, entries, self._now
            )
        row = previous or MirrorFile(
            self._team, made.path, made.kind, made.subject, "", {}, self._now
        )
        return replace(row, next_hash=made.hash, next_entries=entries)

    def _superfluous(
        self, wanted: Mapping[str, GeneratedFile], rows: Mapping[str, MirrorFile]
    ) -> list[str]:
        """Remove files that should not exist; return the records to delete."""
        forgotten = self._forgotten(rows)
        dropped: list[str] = []
        for path, row in rows.items():
            if path in wanted:
                continue
            content = self._folder.read(path)
            if content.missing:
                dropped.append(path)
            elif row.kind is FileKind.KEPT:
                continue
            elif row.kind is FileKind.CONFLICT:
                if path in forgotten and self._folder.remove(path, content.hash):
                    dropped.append(path)
                    self._report.removed.append(path)
            elif content.hash in row.hashes and self._folder.remove(path, content.hash):
                dropped.append(path)
                self._report.removed.append(path)
            else:
                self._report.unfinished = self._report.unfinished or not content.trouble
        return dropped

    def _forgotten(self, rows: Mapping[str, MirrorFile]) -> set[str]:
        """Return conflict copies whose memory or task was removed."""
        aside = {path: row for path, row in rows.items() if row.kind is FileKind.CONFLICT}
        if not aside:
            return set()

        def work(tx: Transaction) -> set[str]:
            gone = set[str]()
            for path, row in aside.items():
                stored = memories.of_any_agent(tx, self._team, list(row.entries))
                lost = len(stored) < len(row.entries)
                if lost or (row.subject and not self._is_there(tx, row.subject)):
                    gone.add(path)
            return gone

        return self._database.read(work)

    def _is_there(self, tx: Transaction, subject: str) -> bool:
        team = self._team
        return bool(
            memories.of_any_agent(tx, team, [subject])
            or tasks.by_id(tx, team, subject)
            or workspaces.by_id(tx, team, subject)
        )
