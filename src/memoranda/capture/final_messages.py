"""Reads the ends of transcripts whose sessions have ended.

Only messages after the last stored event are stored, such as an answer that the host wrote after
its last hook. The rest of a transcript is read by an import.
"""

from __future__ import annotations

import glob
import time
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path

from memoranda.capture.event import Event
from memoranda.capture.hosts.claude_code.transcript import session_folder
from memoranda.capture.hosts.saved_outputs import FOLDER, with_full_outputs
from memoranda.capture.hosts.transcript_lines import TranscriptLine, read_lines
from memoranda.capture.hosts.transcripts import reader_for
from memoranda.capture.intake import Intake
from memoranda.capture.intake_report import IntakeReport
from memoranda.capture.last_transcripts import NamedTranscripts
from memoranda.capture.spool import Spool
from memoranda.capture.unrecorded_sessions import UnrecordedSessions
from memoranda.exceptions import InvalidInput
from memoranda.observations.model import Origin

LARGEST = 64 * 2**20
"""Maximum number of bytes of a transcript; a larger one is skipped."""
TAIL = 2**20
"""Number of bytes at the end of a transcript from which events are read."""
SECONDS = 5.0
"""Time limit for all ended transcripts together."""
HOSTS = ("claude-code", "codex", "gemini-cli")
THINKING = "thinking"
"""Tag of a model's reasoning, which hooks do not report."""


class TranscriptEnds:
    """Stores messages that transcripts contain after their last hook."""

    def __init__(
        self,
        spool: Spool,
        intake: Intake,
        unrecorded: UnrecordedSessions,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spool = spool
        self._unrecorded = unrecorded
        self._intake = intake
        self._monotonic = monotonic

    def run(self) -> IntakeReport:
        """Read the end of each transcript that ended since the last run.

        A transcript that cannot be read is skipped; it can still be imported.

        Raises:
            StorageError: the events could not be written.
        """
        report = IntakeReport()
        with self._spool.exclusively(wait=0) as mine:
            named = NamedTranscripts(self._spool.directory)
            named.load()
            ended = named.take_ended() if mine else []
            named.store()
        end = self._monotonic() + SECONDS
        for path, host in ended:
            if host in HOSTS and self._monotonic() < end:
                report.add(self._intake.take(self._new(path, host, end), actor="hook"))
        return report

    def _new(self, path: Path, host: str, end: float) -> list[Event]:
        try:
            path = _written_path(path)
            found = self._events(path, host, end) if _is_readable(path) else iter(())
            events = list(self._unrecorded.without(found, set()))
        except (OSError, ValueError, InvalidInput):
            return []
        later = self._intake.after_known(events)
        return [event for event in later if _is_statement(event)]

    def _events(self, path: Path, host: str, end: float) -> Iterator[Event]:
        reader = reader_for(path, host)
        start = reader.begin(_line_start(path))

        def in_time(_: TranscriptLine) -> bool:
            return self._monotonic() < end

        lines = takewhile(in_time, read_lines(path, start, tally=reader.tally))
        yield from with_full_outputs(reader.events(lines), session_folder(path) / FOLDER)


def _is_statement(event: Event) -> bool:
    """Return whether hooks report such an event: not reasoning or a notice."""
    return THINKING not in event.tags and event.origin is not Origin.GENERATED


def _written_path(path: Path) -> Path:
    """Return the file of a session that is in another project's folder than its hook reports.

    In a Git worktree, the hooks of Claude Code report a path derived from the worktree, while the
    host writes to the folder of the repository. The name of the file is the session's unique id.
    """
    if not path.is_absolute() or path.exists():
        return path
    others = path.parent.parent.glob(f"*/{glob.escape(path.name)}")
    return max(others, key=lambda other: other.stat().st_mtime, default=path)


def _is_readable(path: Path) -> bool:
    is_file = path.is_absolute() and path.is_file() and not path.is_symlink()
    return is_file and path.suffix in (".jsonl", ".json") and path.stat().st_size <= LARGEST


def _line_start(path: Path) -> int:
    """Return the offset of the first whole line of the tail; 0 for a document."""
    size = path.stat().st_size
    if size <= TAIL or path.suffix == ".json":
        return 0
    with path.open("rb") as file:
        file.seek(size - TAIL)
        file.readline()
        return file.tell()
