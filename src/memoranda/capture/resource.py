"""Methods for capture: storing, importing, privacy rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.capture.event import ANNOUNCED, Event, EventKind, EventSource, makes_checkpoint
from memoranda.exceptions import CorruptData, EmbedderUnavailable, InvalidInput, StorageError
from memoranda.jobs.model import HEAVY, READ_WITHOUT, JobKind
from memoranda.observations.model import Origin
from memoranda.operation_declaration import local, read, write
from memoranda.resource import Resource

if TYPE_CHECKING:
    from memoranda.capture.drain import DrainReport
    from memoranda.capture.event_subscriptions import Handler
    from memoranda.capture.intake_report import IntakeReport
    from memoranda.capture.live_output_table import LiveSavings
    from memoranda.capture.redaction.model import PrivacyRules, RedactionPreview
    from memoranda.capture.transcript_importer import Progress, TranscriptImportReport

SETTLING_SECONDS = 0.5
"""Seconds that a reader waits for jobs of another process."""

POLL_SECONDS = 0.02

READER_BYTES = 128 << 10
"""Maximum number of bytes of the spool that a reader imports, about half a second of work."""

COMPARED_AT_ONCE = 50
"""Number of memories that are compared between two progress reports."""
FINISHING_SECONDS = 10.0
"""Seconds during which an import creates summaries and lessons.

Other processes do the remaining work.
"""


class CaptureResource(Resource):
    """``memory.capture``: events on their way into the store."""

    def take(
        self, events: Sequence[Event], *, workspace: str | None = None, actor: str = "api"
    ) -> IntakeReport:
        """Store events in order, and notify handlers of new ones.

        Checkpoints that the events request are created.

        Raises:
            InvalidInput: an event is of a kind that only Memoranda itself reports.
        """
        for event in events:
            if event.kind in ANNOUNCED:
                raise InvalidInput(f"{event.kind} events are created by Memoranda, never stored")
        name = self._label(workspace)
        report = self._services.intake.take(events, actor=actor, workspace=name)
        if any(map(makes_checkpoint, events)):
            with self._services.background.resting():
                self._services.worker.run(without=frozenset(JobKind) - {JobKind.CHECKPOINT})
        self._services.background.wake()
        self._wait_for_handlers()
        return report

    def look(self, events: Sequence[Event], *, workspace: str | None = None) -> IntakeReport:
        """Return how many of these events are already stored; store nothing."""
        return self._services.intake.look(events, workspace=self._label(workspace))

    def on(self, kind: EventKind | str, handler: Handler) -> None:
        """Register a function or coroutine for events of a kind.

        The handler is called once for every event that this process stores from now on, in a call,
        an import or a job.

        Raises:
            InvalidInput: there is no such kind of event, or the handler cannot be called with an
                event.
        """
        self._services.bus.on(kind, handler)

    def load_plugins(self) -> None:
        """Let installed packages register handlers now, before the first event.

        The entry-point group is ``memoranda.handlers``. Repeated calls change nothing.
        """
        self._services.bus.load_plugins()

    @local("capture.import-transcript", alias=("import",))
    def import_transcript(
        self,
        path: str | Path,
        *,
        workspace: str | None = None,
        again: bool = False,
        unrecorded: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> TranscriptImportReport:
        """Import a coding agent's transcript; repeatable and resumable.

        A ``dry_run`` reports what would be imported, by kind and workspace, and stores nothing.
        Sessions for which capture was switched off are left out and reported, unless
        ``unrecorded``.
        """
        report = self._services.importer.run(
            Path(path),
            workspace=self._label(workspace),
            again=again,
            unrecorded=unrecorded,
            dry_run=dry_run,
            progress=progress,
        )
        if not dry_run:
            self._services.worker.run(light=True)
            self._services.background.wake()
            self._wait_for_handlers(None)
        return report

    def finish(self, progress: Progress | None = None) -> int:
        """Run the jobs that follow an import: embeddings, summaries, lessons.

        ``progress`` receives the number of compared memories, then the number of embedded passages.
        Summaries and lessons are created for ten seconds. Returns the number of jobs that are left
        to a later import or a server.
        """
        services = self._services
        with services.background.resting():
            self._compare(progress)
            while services.worker.run(light=True):
                pass
            # the embedding job remains pending, and searches report this
            with suppress(EmbedderUnavailable):
                services.indexing.embed(progress=progress)
            end = time.monotonic() + FINISHING_SECONDS
            while time.monotonic() < end and services.worker.run(1):
                pass
            return services.worker.backlog().unfinished

    def _compare(self, progress: Progress | None) -> None:
        """Compare pending memories in steps, so that ``progress`` advances."""
        services, done = self._services, 0
        services.encodings.encode()
        total = services.relating.pending()
        while compared := services.relating.relate(COMPARED_AT_ONCE):
            done += compared
            if progress:
                progress(done, max(done, total))

    @write("capture.drain", alias=("drain",))
    def drain(self, *, wait: bool = False, light: bool = False) -> DrainReport:
        """Store the events that hooks spooled, and run pending jobs.

        If a session has started, the rest of the previous session's transcript is stored as well.
        ``light`` skips this and long jobs. Background work of this process is completed, too.
        """
        report = self._services.drain.run(wait=wait)
        if not (light or report.busy):
            report.intake.add(self._services.transcript_ends.run())
        with self._services.background.resting():
            while self._services.worker.run(light=light):
                pass
            left = self._services.worker.backlog()
        report.jobs, report.retried = left.unfinished, sum(left.retried.values())
        if not light:  # the caller waits for the contexts; handlers run at the end
            self._wait_for_handlers(None)
        return report

    def catch_up(self, seconds: float, hand_over: Callable[[str], None] | None = None) -> bool:
        """Store spooled events before a read, and run the light jobs.

        Waits up to ``seconds`` for another process's import, and half a second for its light jobs.
        Returns False if that was not enough, in which case more events may follow. ``hand_over``
        starts a background import for a data folder, which does any work that takes more than half
        a second.

        Raises:
            StorageError: the events could not be written; they remain in the spool.
        """
        services = self._services
        if services.spool.waits():
            if hand_over and services.spool.state().bytes > READER_BYTES:
                with suppress(OSError):  # the next hook starts an import, or reports the error
                    hand_over(str(services.settings.data_dir))
                return False
            if services.drain.run(wait=True, limit=seconds).busy:
                return False
            with services.background.resting():
                while services.worker.run(light=True):
                    pass
        try:
            return self._jobs_done()
        except (StorageError, CorruptData):
            return True  # the following read reports the error if it persists

    @read("capture.live-report", alias=("live.report",))
    def live_report(self, *, workspace: str | None = None) -> list[LiveSavings]:
        """Show what live mode saved, and how often full texts were opened."""
        from memoranda.capture import live_output_table as live_outputs

        scope = self._within(workspace, None)
        return self._database.read(lambda tx: live_outputs.savings(tx, scope.team, scope.workspace))

    @read("capture.privacy", alias=("privacy.show",))
    def privacy(self) -> PrivacyRules:
        """Show what is never captured, and which secrets are redacted."""
        from memoranda.capture.redaction.model import PrivacyRules
        from memoranda.capture.redaction.rule_list import RULES

        settings = self._services.settings
        return PrivacyRules(
            settings.exclude_paths,
            settings.exclude_commands,
            settings.redact_patterns,
            tuple(sorted({rule.name for rule in RULES})),
        )

    @read("capture.privacy-test", alias=("privacy.test",))
    def privacy_test(
        self, text: str, *, path: str | None = None, command: str = ""
    ) -> RedactionPreview:
        """Show which part of a text would be stored.

        If a file or a command is given, the text is treated as if it came from there.

        Raises:
            InvalidInput: the settings contain an invalid pattern.
        """
        from memoranda.capture.redaction.model import RedactionPreview

        arguments = {"file_path": path, "command": command or None}
        event = Event(
            kind=EventKind.TOOL_RESULT,
            host="memoranda",
            session="",
            source=EventSource.API,
            key="",
            origin=Origin.TOOL,
            input={name: value for name, value in arguments.items() if value},
            output=text,
        )
        cleaned = self._services.cleaner.clean(event)
        output, excluded = cleaned.event.output, "excluded" in cleaned.removed
        return RedactionPreview(
            "" if output is None else str(output), dict(cleaned.removed), excluded
        )

    def _jobs_done(self) -> bool:
        """Run the jobs that affect a reader; return whether all are done.

        Waits half a second for jobs of other processes. The result is False if some jobs are left
        or a long job is running.
        """
        worker, end = self._services.worker, time.monotonic() + SETTLING_SECONDS
        with self._services.background.resting():
            while (left := worker.backlog().without(READ_WITHOUT)).unfinished:
                light = left.without(HEAVY)
                if not light.unfinished:
                    return not left.running
                if time.monotonic() > end:
                    return False
                if not worker.run(1, light=True, without=READ_WITHOUT):
                    time.sleep(POLL_SECONDS)
        return True
