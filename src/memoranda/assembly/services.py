"""The services of an open store, each constructed on first use."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING

from memoranda.assembly.compression_services import LessonServices
from memoranda.assembly.feedback import FeedbackServices
from memoranda.assembly.identity import IdentityServices
from memoranda.assembly.search import SearchServices
from memoranda.capture.spool import of_sessions
from memoranda.exceptions import InvalidInput, StorageError, StorageUnusable
from memoranda.instrumentation import measured_jobs
from memoranda.jobs import table as jobs
from memoranda.jobs.model import BESIDE_CONTEXTS, Job, JobKind
from memoranda.jobs.worker import BackgroundWorker, Worker, after

if TYPE_CHECKING:
    from memoranda.archive.other_system_block_updates import ForeignBlockUpdates
    from memoranda.archive.other_system_updates import ForeignUpdates
    from memoranda.assembly.store_context import StoreContext
    from memoranda.capture.drain import Drain
    from memoranda.capture.final_messages import TranscriptEnds
    from memoranda.capture.intake import Intake
    from memoranda.capture.redaction.event_cleaner import EventCleaner
    from memoranda.capture.transcript_importer import Importer
    from memoranda.capture.unrecorded_sessions import UnrecordedSessions
    from memoranda.clock import Clock
    from memoranda.config import Settings
    from memoranda.jobs.handlers import JobHandlers
    from memoranda.memories.name_removal import MentionRemover
    from memoranda.memories.removal import ExternalCleanup, MemoryRemover
    from memoranda.memories.workspace_removal import WorkspaceRemover
    from memoranda.mirror.synchronization import MirrorCleanup as MirrorCleared
    from memoranda.tasks.model import Task
    from memoranda.workspaces.recognition import WorkspaceIdentity

RENDERING_SECONDS = 1.0
"""Maximum seconds that an import of events waits for contexts that another process renders."""
NOT_SEARCHED = frozenset(JobKind) - {JobKind.INDEX_TASK, JobKind.INDEX_MEMORIES, JobKind.EMBED}
"""Kinds of jobs that a search does not wait for."""
INDEXING_SECONDS = 0.5
"""Maximum seconds that a context or search waits for newly stored records."""
PURGING_SECONDS = 10.0
"""Maximum seconds that a removal waits for a purge of the text index.

Another thread or process may be running the purge.
"""


class Services(FeedbackServices, LessonServices, IdentityServices, SearchServices):
    """All services of one open store, built from its settings."""

    def __init__(
        self, settings: Settings, clock: Clock | None = None, sharing: StoreContext | None = None
    ) -> None:
        """Open the store, or share the store of another team (``sharing``).

        Raises:
            StorageUnusable: the data directory cannot be used.
            InvalidInput: a configured pattern or tokenizer is invalid.
        """
        super().__init__(settings, clock, sharing)
        _require_redis_client(settings)
        owner = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.new_workspaces: dict[str, WorkspaceIdentity] = {}
        """Workspaces for folders, by id, that do not exist until the next write to them."""
        handlers = measured_jobs(dict.fromkeys(JobKind, self._run_job), self.telemetry)
        self.worker = Worker(self.database, settings.team, handlers, self.clock, owner)
        self.background = BackgroundWorker(self.worker)

    @cached_property
    def chores(self) -> JobHandlers:
        """Handlers of jobs; loaded only when a job is due."""
        from memoranda.jobs.handlers import JobHandlers

        return JobHandlers(self)

    def _run_job(self, job: Job) -> None:
        self.chores.handlers[job.kind](job)

    @cached_property
    def forgetting(self) -> MemoryRemover:
        """Service that removes records wherever they are stored."""
        from memoranda.memories.removal import MemoryRemover

        return MemoryRemover(self.database, self.clock, self.ids, self._clear_outside_tables)

    @cached_property
    def emptying(self) -> WorkspaceRemover:
        """Service that removes everything in a workspace."""
        from memoranda.memories.workspace_removal import WorkspaceRemover

        return WorkspaceRemover(self.database, self.forgetting)

    @cached_property
    def erasing(self) -> MentionRemover:
        """Service that erases all records that mention a name."""
        from memoranda.memories.name_removal import MentionRemover, RejectedLines

        rejected = RejectedLines(self.spool.rejected_lines, self.spool.remove_rejected)
        return MentionRemover(self.database, self.forgetting, self.counter, rejected)

    @cached_property
    def intake(self) -> Intake:
        """Service that stores events as observations."""
        from memoranda.capture.event_preparation import EventPreparer
        from memoranda.capture.intake import Intake

        preparer = EventPreparer(self.cleaner, self.counter)
        team, figures, listeners = self.settings.team, self.telemetry, self.announcements.stored
        return Intake(self.database, preparer, self.clock, self.ids, team, figures, listeners)

    @cached_property
    def cleaner(self) -> EventCleaner:
        """Cleaner that removes secrets and excluded content from events."""
        from memoranda.capture.redaction.event_cleaner import EventCleaner
        from memoranda.capture.redaction.exclusion import Exclusion

        settings = self.settings
        exclusion = Exclusion(settings.exclude_paths, settings.exclude_commands)
        return EventCleaner(self.redactor, exclusion)

    @cached_property
    def importer(self) -> Importer:
        """Importer of transcripts."""
        from memoranda.capture.transcript_importer import Importer

        return Importer(
            self.database,
            self.intake,
            self.drain,
            self.unrecorded,
            self.clock,
            self.settings.team,
        )

    def foreign_updates(self, source: str, *, trust: bool) -> ForeignUpdates:
        """Return the service that updates memories imported from a system."""
        from memoranda.archive.other_system_updates import ForeignUpdates

        return ForeignUpdates(self._memory_changes, self.clock, self.ids, source, trust=trust)

    def foreign_block_updates(self, source: str) -> ForeignBlockUpdates:
        """Return the service that updates blocks imported from a system."""
        from memoranda.archive.other_system_block_updates import ForeignBlockUpdates

        return ForeignBlockUpdates(self._block_changes, source)

    @cached_property
    def unrecorded(self) -> UnrecordedSessions:
        """Sessions for which capture was switched off."""
        from memoranda.capture.unrecorded_sessions import UnrecordedSessions

        return UnrecordedSessions(self.settings.data_dir)

    @cached_property
    def transcript_ends(self) -> TranscriptEnds:
        """Importer of what hosts append to transcripts after their last hook."""
        from memoranda.capture.final_messages import TranscriptEnds

        return TranscriptEnds(self.spool, self.intake, self.unrecorded)

    @cached_property
    def drain(self) -> Drain:
        """Service that imports the spooled events into the store."""
        from memoranda.capture.context_deliveries import ContextDeliveries
        from memoranda.capture.drain import Drain
        from memoranda.capture.live_output_marks import LiveMarks

        marks = LiveMarks(self.database, self.counter, self.settings.team)
        deliveries = ContextDeliveries(self.database, self.clock, self.settings.team)
        own = self.settings.data_dir
        return Drain(
            self.spool, self.intake, marks, deliveries, self.redactor, own, self.prepare_contexts
        )

    def close(self) -> None:
        """Run the due jobs and the event handlers, then close. Idempotent."""
        self.background.stop()
        if handlers := vars(self).get("bus"):
            handlers.close()
        if search := vars(self).get("search"):
            search.close()
        if retrievals := vars(self).get("retrievals"):
            retrievals.store()
        if rewriters := vars(self).get("rewriters"):
            rewriters.close()
        if redis := vars(self).get("redis"):
            redis.close()
        if not self._lent:
            self.database.close()

    def catch_up_with_meanings(self) -> None:
        """Index and embed pending records for vector search; half a second at most.

        If a background worker runs, the worker does this. If a model does not answer, the job is
        retried on the job's schedule, not at every search.
        """
        with suppress(StorageError):  # a read-only store is searched without vectors of new records
            if not self.indexing.is_behind():
                return
            left = self.worker.backlog()
            parts = (left.due, left.running, left.retried)
            if self.indexing.waits() and all(JobKind.EMBED not in part for part in parts):
                self.enqueue(JobKind.EMBED, "")  # the embedding model has changed
            if self.background.is_running:
                self.background.wake()
                return
            is_over = after(INDEXING_SECONDS)
            while self.worker.run(without=NOT_SEARCHED, is_over=is_over) and not is_over():
                pass

    def catch_up_with_statements(self) -> None:
        """Index new records for the next context; take half a second at most.

        A job that has begun is finished. The half second starts after the first job, which may load
        the model that assigns labels: the context needs this model too, and the other jobs take
        milliseconds.
        """
        kind, end = JobKind.INDEX_TASK, 0.0
        others = frozenset(JobKind) - {kind}
        with suppress(StorageError):  # a read-only store contains only what was indexed before
            while (left := self.worker.backlog()) and (kind in left.due or kind in left.running):
                done = self.worker.run(1, without=others)
                end = end or time.monotonic() + INDEXING_SECONDS
                if time.monotonic() > end:
                    return
                time.sleep(0 if done else 0.02)

    def enqueue_distilling(self, task: str) -> None:
        """Enqueue the update of a task's derived data."""
        self.enqueue(JobKind.DISTIL, task)
        self.background.wake()

    def prepare_contexts(self) -> None:
        """Render the due contexts; wait briefly for those that others render."""
        self._finish(JobKind.RENDER_CONTEXT, BESIDE_CONTEXTS, RENDERING_SECONDS)

    def _finish(self, kind: JobKind, without: Collection[JobKind], seconds: float) -> bool:
        """Run the jobs of a kind; return whether all were completed in time.

        The method also waits for jobs that another thread or process runs.
        """
        team, end = self.settings.team, time.monotonic() + seconds
        while self.database.read(lambda tx: jobs.waiting(tx, team, kind)):
            done = self.worker.run(without=without)
            if time.monotonic() > end:
                return False
            time.sleep(0 if done else 0.02)
        return True

    def _clear_outside_tables(self, tasks: Sequence[Task]) -> ExternalCleanup:
        """Clear caches and files outside the tables that may contain removed text.

        ``tasks`` are the tasks that were completely forgotten.
        """
        from memoranda.memories.removal import ExternalCleanup
        from memoranda.store.sqlite.leftover_copies import copies

        if tasks:
            self.spool.remove_rejected(of_sessions({task.session for task in tasks}))
        self.prepared.clear()
        self.errors.forget()
        self.enqueue_rendering(None)
        self.worker.run()
        places, missed = ["spool", "prepared contexts"], list[str]()
        team = self.settings.team
        for place, trouble in self._clear_what_expires([task.id for task in tasks]):
            places += [] if trouble else [place]
            missed += [f"{place}, {trouble}"] if trouble else []
        if not self._finish(JobKind.PURGE_TEXT, (), PURGING_SECONDS):
            missed.append(
                "the full-text index; its purge is pending: run `memoranda drain`, then `memoranda"
                " doctor`"
            )
        else:
            places.append("full text")
        if left := self.database.reclaim():
            missed.append(left)
        else:
            places += ["free pages", "write-ahead log"]
        if mirrored := self._cleared_mirror(team):
            places += [mirrored.place] if mirrored.place else []
            missed += mirrored.missed
        if self.spool.state().rejected_bytes:
            missed.append(f"lines that were not events: {self.spool.rejected}")
        missed += (
            f"{copy.path} ({copy.bytes:,} bytes, a copy left by a restore; delete it)"
            for copy in copies(self.settings.database_path)
        )
        return ExternalCleanup(places, missed)

    def _cleared_mirror(self, team: str) -> MirrorCleared | None:
        """Update the mirror's files now; return None if there are none."""
        from memoranda.mirror import table as mirrors

        if self.database.read(lambda tx: mirrors.of(tx, team)) is None:
            return None
        return self.mirroring.clear(team)

    def _clear_what_expires(self, tasks: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Clear the working memory and the stored responses to repeated requests.

        Yields each location with the reason why it could not be cleared, or an empty text.
        """
        from memoranda.idempotency import table as kept_answers

        team, trouble = self.settings.team, ""
        try:
            if tasks:
                self.working.forget(team, tasks)
        except StorageUnusable:
            trouble = "which does not answer; the entries there expire within 30 days"
        yield "working memory", trouble
        self.database.write(lambda tx: kept_answers.clear(tx, team))
        yield "kept answers", ""
        if self.redis is not None:
            yield "the files of Redis", "until Redis rewrites them"


def _require_redis_client(settings: Settings) -> None:
    """Raise an error early if the settings need a missing Redis client."""
    if settings.redis_url and find_spec("redis") is None:
        raise InvalidInput("redis_url needs the Redis client: pip install 'memoranda[redis]'")
