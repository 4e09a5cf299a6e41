"""Import of spooled events into the store, file by file.

A file is deleted only after its events are durably stored.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from memoranda.capture.context_deliveries import (
    ContextDeliveries,
    DeliveredContext,
    delivered_context,
)
from memoranda.capture.event import UNKNOWN, Checkout, Event
from memoranda.capture.hosts.codex.hook_completion import RolloutTails
from memoranda.capture.hosts.hook_payloads import adapt
from memoranda.capture.hosts.json_fields import string
from memoranda.capture.hosts.saved_outputs import results_folder, with_full_output
from memoranda.capture.intake import Intake
from memoranda.capture.intake_report import IntakeReport
from memoranda.capture.last_transcripts import NamedTranscripts
from memoranda.capture.live_output_marks import LiveMark, LiveMarks, live_mark
from memoranda.capture.redaction.caller_text_cleaner import TextSanitiser
from memoranda.capture.redaction.redactor import Redactor
from memoranda.capture.spool import Spool, spooled_lines
from memoranda.exceptions import InvalidInput, StorageError
from memoranda.json_data import JsonValue, map_texts, parse_captured_json, parse_json

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class DrainReport:
    """Result of an import of spooled events."""

    files: int = 0
    ignored: int = 0
    """Number of events of kinds that are not captured."""
    rejected: int = 0
    """Number of invalid lines, which are stored redacted in the spool's rejected.txt."""
    stuck: int = 0
    """Number of files that could not be stored and remain in the spool.

    The other files are processed.
    """
    busy: bool = False
    """Whether another process was importing, so that nothing was done."""
    intake: IntakeReport = field(default_factory=IntakeReport)
    newest: dict[str, int] = field(default_factory=dict)
    """Time of the newest event of each host, in microseconds since the epoch."""
    jobs: int = 0
    """Number of pending jobs that are left to other processes."""
    retried: int = 0
    """Number of failed jobs that will be retried."""

    def add(self, later: DrainReport) -> None:
        """Add the counts of a later report; replace the current states."""
        self.files += later.files
        self.ignored += later.ignored
        self.rejected += later.rejected
        self.stuck = later.stuck
        self.intake.add(later.intake)
        self.newest |= later.newest
        self.busy, self.jobs, self.retried = later.busy, later.jobs, later.retried


class Drain:
    """Imports spooled events, in order for each session."""

    def __init__(
        self,
        spool: Spool,
        intake: Intake,
        marks: LiveMarks,
        deliveries: ContextDeliveries,
        redactor: Redactor,
        own: Path,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """Create an importer of spooled events.

        ``prepare`` renders the contexts that depend on the stored events.
        """
        self._spool = spool
        self._intake = intake
        self._marks = marks
        self._deliveries = deliveries
        self._sanitiser = TextSanitiser(redactor)
        self._own = own.absolute()
        self._named = NamedTranscripts(spool.directory)
        self._prepare = prepare

    def run(self, *, wait: bool = False, limit: float = math.inf) -> DrainReport:
        """Store the events of all files in the spool.

        If another process is importing, wait up to ``limit`` seconds if ``wait`` is true. Files
        remain until the contexts that depend on them are rendered, so an empty spool means that the
        contexts are current.

        A crash at any time neither loses nor duplicates events: a file is read again until its
        events are committed, and an event that is already stored is recognised by its key.

        Raises:
            StorageError: the events could not be written; they remain in the spool.
        """
        report = DrainReport()
        with self._spool.exclusively(wait=limit if wait else 0) as mine:
            if not mine:
                report.busy = True
                return report
            self._named.load()
            paths = [path for path in self._spool.take() if self._take(path, report)]
            self._named.store()
            if paths:
                self._prepare()
            self._spool.note_newest(report.newest)
            for path in paths:
                path.unlink()
        return report

    def _take(self, path: Path, report: DrainReport) -> bool:
        """Store the events of a file; return whether that succeeded."""
        marks: list[LiveMark | DeliveredContext] = []
        try:
            report.intake.add(self._intake.take(self._events(path, report, marks), actor="hook"))
            self._marks.record([mark for mark in marks if isinstance(mark, LiveMark)])
            self._deliveries.record([item for item in marks if isinstance(item, DeliveredContext)])
        except StorageError:
            raise
        except Exception as error:  # a problem in one session must not block the others
            trouble = {"file": path.name, "error": type(error).__name__}
            logger.warning("spool file not stored", extra=trouble)
            report.stuck += 1
            return False
        report.files += 1
        return True

    def _events(
        self, path: Path, report: DrainReport, marks: list[LiveMark | DeliveredContext]
    ) -> Iterator[Event]:
        """Yield the events of a file; append its marks to the list."""
        tails = RolloutTails()
        for raw in spooled_lines(path):
            try:
                line = self._unpacked(_parsed(raw))
            except InvalidInput:
                report.rejected += 1
                self._spool.reject(self._sanitiser.clean(_as_read(raw)))
                continue
            if isinstance(line, LiveMark | DeliveredContext):
                marks.append(line)
                continue
            host, payload, at, checkout = line
            named = self._sanitiser.name(host)
            report.newest[named] = max(at, report.newest.get(named, 0))
            self._named.note(host, payload)
            events = [event for event in adapt(host, payload, at) if not self._is_own(event)]
            report.ignored += not events
            for event in events:
                whole = with_full_output(event, results_folder(payload))
                if whole.checkout == UNKNOWN:
                    whole = replace(whole, checkout=checkout)
                yield tails.complete(whole, payload)

    def _is_own(self, event: Event) -> bool:
        return event.cwd is not None and PurePath(event.cwd).is_relative_to(self._own)

    def _unpacked(
        self, value: JsonValue
    ) -> LiveMark | DeliveredContext | tuple[str, dict[str, JsonValue], int, Checkout]:
        """Decode {"v", "t", "h", "p", "git"} into host, payload, microseconds and checkout.

        A mark has "live" or "given" in place of "p".
        """
        if not isinstance(value, dict):
            raise InvalidInput("a spool line must be a JSON object")
        at, host, payload = value.get("t"), value.get("h"), value.get("p")
        if isinstance(host, str) and "live" in value and "p" not in value:
            return live_mark(host, value["live"], self._sanitiser.name)
        if isinstance(at, int) and "given" in value and "p" not in value:
            return delivered_context(map_texts(value["given"], self._sanitiser.name), at // 1000)
        if not (isinstance(at, int) and isinstance(host, str) and isinstance(payload, dict)):
            raise InvalidInput(f"not an event envelope: {json.dumps(sorted(value))}")
        return host, payload, at // 1000, Checkout(git_directory=string(value, "git"))


def _parsed(raw: bytes) -> JsonValue:
    """Parse a line; hosts send control characters, cut characters and deep nesting."""
    try:
        return parse_json(raw)
    except InvalidInput:
        return parse_captured_json(raw.decode("utf-8", "replace"), strict=False)


def _as_read(raw: bytes) -> str:
    """Return an invalid line with escaped angle brackets decoded.

    Some hosts escape angle brackets.
    """
    text = raw.decode("utf-8", "replace")
    return text.replace("\\u003c", "<").replace("\\u003e", ">")
