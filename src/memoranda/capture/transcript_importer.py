"""Repeatable, incremental import of transcripts, including subagents'."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from memoranda.capture import transcript_table as transcripts
from memoranda.capture.drain import Drain
from memoranda.capture.event import Event
from memoranda.capture.hosts.claude_code.transcript import session_folder
from memoranda.capture.hosts.saved_outputs import FOLDER, with_full_outputs
from memoranda.capture.hosts.transcript_lines import read_lines
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.capture.hosts.transcripts import companions, reader_for
from memoranda.capture.intake import Intake
from memoranda.capture.intake_report import IntakeReport
from memoranda.capture.packed_transcripts import readable, unpacked_path
from memoranda.capture.unrecorded_sessions import UnrecordedSessions
from memoranda.clock import Clock
from memoranda.exceptions import InvalidInput, NotFound, StorageUnusable
from memoranda.private_folders import lies_in
from memoranda.store.database import Database

HEAD = 4_096
"""Number of bytes at the start of a file that identify it at the next import."""

Progress = Callable[[int, int], None]
"""Callback that receives (bytes read, total bytes)."""


@dataclass(slots=True)
class TranscriptImportReport:
    """Result of an import."""

    files: int = 0
    lines: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Number of lines without an event, by reason."""
    unrecorded: set[str] = field(default_factory=set)
    """Sessions left out because capture was switched off for them."""
    intake: IntakeReport = field(default_factory=IntakeReport)
    dry_run: bool = False
    kinds: Counter[str] = field(default_factory=Counter)
    """Number of events by kind."""
    workspaces: set[str] = field(default_factory=set)
    """Workspaces in which the events would be stored, only in a dry run."""


class Importer:
    """Imports transcripts of coding agents into the store."""

    def __init__(
        self,
        database: Database,
        intake: Intake,
        drain: Drain,
        unrecorded: UnrecordedSessions,
        clock: Clock,
        team: str,
    ) -> None:
        self._database = database
        self._unrecorded = unrecorded
        self._drain = drain
        self._intake = intake
        self._clock = clock
        self._team = team

    def run(
        self,
        path: Path,
        *,
        workspace: str | None = None,
        again: bool = False,
        unrecorded: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> TranscriptImportReport:
        """Import one transcript and the files of its subagents.

        Continues where the last import of the file ended, unless ``again``; events that are already
        stored are counted as duplicates, so a repeated import changes nothing. A ``dry_run`` reads
        the whole file, counts the events, and stores nothing.

        Sessions for which capture was switched off are left out, unless ``unrecorded``.

        Raises:
            NotFound: there is no such file.
            InvalidInput: the file's format is unknown.
        """
        if not path.is_file():
            raise NotFound(f"no file {path}")
        report = TranscriptImportReport(dry_run=dry_run)
        wishes = _ImportOptions(workspace, again, unrecorded, progress)
        self._import(path, wishes, report)
        for companion in companions(unpacked_path(path)):
            if not lies_in(companion, path.parent):
                report.skipped["link_out_of_folder"] += 1
                continue
            try:
                self._import(companion, wishes, report)
            except InvalidInput:  # a subagent's file that has just been created
                report.skipped["unreadable_companion"] += 1
        return report

    def _import(self, path: Path, wishes: _ImportOptions, report: TranscriptImportReport) -> None:
        with readable(path) as file:
            self._import_file(file, unpacked_path(path), wishes, report)

    def _import_file(
        self, path: Path, place: Path, wishes: _ImportOptions, report: TranscriptImportReport
    ) -> None:
        """Import a file that is the transcript of a path, or a copy of it."""
        reader = reader_for(path)
        if report.dry_run:
            self._look(path, reader, wishes, report)
            return
        name, head = self._intake.name(str(place.resolve())), _head(path)
        start = 0 if wishes.again else reader.begin(self._start(name, head))
        # If an agent received the short form of an output, its transcript has only that form; the
        # spool has the whole output, which must be stored first.
        end = path.stat().st_size
        self._drain.run(wait=True)
        lines = takewhile(
            lambda line: line.offset < end, read_lines(path, start, tally=reader.tally)
        )
        whole = with_full_outputs(reader.events(lines), session_folder(place) / FOLDER)
        events = _watched(reader, whole, path, wishes.progress)
        left_out = set[str]()
        if not wishes.unrecorded:
            events = self._unrecorded.without(events, left_out)
        events = self._counted(events, None, report)
        report.intake.add(self._intake.take(events, actor="import", workspace=wishes.workspace))
        report.files += 1
        report.lines += reader.tally.lines
        report.skipped.update(reader.tally.skipped)
        report.unrecorded |= left_out
        if left_out:  # an import that stores these sessions must read the file from its start
            self._unrecorded.note(left_out)
            return
        read = (reader.resume_offset, self._clock.now())
        self._database.write(lambda tx: transcripts.advance(tx, self._team, name, head, read))

    def _look(
        self,
        path: Path,
        reader: TranscriptReader,
        wishes: _ImportOptions,
        report: TranscriptImportReport,
    ) -> None:
        self._drain.run(wait=True)  # what hooks spooled is stored before any import
        lines = read_lines(path, tally=reader.tally)
        found = reader.events(lines)
        if not wishes.unrecorded:
            found = self._unrecorded.without(found, report.unrecorded)
        events = self._counted(found, wishes.workspace, report)
        report.intake.add(self._intake.look(events, workspace=wishes.workspace))
        report.files += 1
        report.lines += reader.tally.lines
        report.skipped.update(reader.tally.skipped)

    def _counted(
        self, events: Iterator[Event], workspace: str | None, report: TranscriptImportReport
    ) -> Iterator[Event]:
        for event in events:
            report.kinds[event.kind.value] += 1
            if report.dry_run and (workspace or event.cwd):
                report.workspaces.add(workspace or self._intake.place(event))
            yield event

    def _start(self, path: str, head: str) -> int:
        return self._database.read(lambda tx: transcripts.position(tx, self._team, path, head))


@dataclass(frozen=True, slots=True)
class _ImportOptions:
    """Options of an import."""

    workspace: str | None
    again: bool
    unrecorded: bool
    """Whether sessions for which capture was switched off are stored."""
    progress: Progress | None


def _watched(
    reader: TranscriptReader, events: Iterator[Event], path: Path, progress: Progress | None
) -> Iterator[Event]:
    size = path.stat().st_size
    for event in events:
        if progress:
            progress(reader.tally.end, size)
        yield event
    if progress:
        progress(size, size)


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.sha256(file.readline(HEAD)).hexdigest()
    except OSError as error:
        raise StorageUnusable(f"cannot read {path}: {error.strerror}") from error
