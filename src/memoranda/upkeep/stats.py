"""Statistics and status of a memory: its contents, jobs and savings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memoranda.capture.handler_failures import HandlerFailure
from memoranda.capture.spool import Spool
from memoranda.clock import MICROSECONDS
from memoranda.feedback import table as feedback
from memoranda.jobs import table as jobs
from memoranda.jobs.model import JobState
from memoranda.memories import table as memories
from memoranda.observations import (
    blob_table as blobs,
    table as observations,
    total_table as observation_totals,
)
from memoranda.ports import TokenCounter
from memoranda.quarantine import table as quarantine
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.store.sqlite.leftover_copies import StoreCopy
from memoranda.tasks import table as tasks
from memoranda.workspaces import table as workspaces
from memoranda.workspaces.missing_folders import MissingFolder, missing_folders

DAY = 24 * 3_600 * MICROSECONDS
FAILURES = 5
DAYS = 14
"""Number of days for which activity is counted."""


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of one workspace, or of the whole team."""

    tasks: int
    observations: int
    by_type: Mapping[str, int]
    quarantined: Mapping[str, int]
    """Number of observations quarantined as instructions to the agent, by reason."""
    folded: int
    """Number of repeats that are stored but not indexed."""
    memories: Mapping[str, int]
    """Number of memories by status, as far as they are visible to the caller.

    Approved memories that are no longer valid count as ``ended``.
    """
    raw_tokens: int
    """Number of tokens in all captures."""
    summary_tokens: int | None
    """Number of tokens in all summaries; None if they were not counted.

    Summaries are what an agent reads instead of the raw text.
    """
    redactions: Mapping[str, int]
    """Number of redactions by rule."""
    text_bytes: int
    """Number of bytes of all distinct contents of the team."""
    stored_bytes: int
    """Number of bytes of these contents on disk, after compression."""
    last_recorded_at: int | None


@dataclass(frozen=True, slots=True)
class FailedJob:
    """Number of background jobs that failed permanently."""

    kind: str
    attempts: int
    error: str


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """Health of a memory, determined without reading all its content."""

    team: str
    """Team whose spool, jobs and failures are shown."""
    workspace: str
    """Workspace whose records are counted; empty for all workspaces."""
    last_recorded_at: int | None
    observations: int
    lately: int
    """Number of observations recorded in the last 24 hours."""
    raw_tokens: int
    """Number of tokens in all captures."""
    summary_characters: int
    """Total number of characters of all summaries.

    Summaries are what an agent reads instead of the raw text.
    """
    spool_files: int
    spool_bytes: int
    """Number of bytes that hooks wrote to the spool and that are not stored yet."""
    spool_oldest_at: int | None
    jobs_waiting: int
    jobs_failed: int
    failures: tuple[FailedJob, ...]
    """The newest failures."""
    handlers: tuple[HandlerFailure, ...] = ()
    """Event handlers that failed in the last week, in any process."""
    feedback_asking: int = 0
    """Number of feedback messages whose type a person must confirm; until then, they have no
    effects.
    """
    language_model: str = ""
    """Model that writes texts; empty if only rules are used."""
    language_trouble: str = ""
    """Why the model is currently unavailable, so that only rules are used."""
    days: tuple[int, ...] = ()
    """Numbers of observations recorded on each of the last 14 days in UTC, today last."""
    moved: tuple[MissingFolder, ...] = ()
    """Workspaces whose repository was moved to a folder of this or another workspace."""
    rejected_bytes: int = 0
    """Number of bytes of lines from hooks that were not events."""
    copies: tuple[StoreCopy, ...] = ()
    """Copies of the store that a restore left next to the store; `forget` does not change the
    copies.
    """


def store_status(database: Database, spool: Spool, scope: Scope, now: int) -> StoreStatus:
    """Return the status: captures of a scope, spool and jobs of its team."""
    team, workspace = scope.team, scope.workspace
    waits = spool.state()

    def work(tx: Transaction) -> StoreStatus:
        measured = observation_totals.captured(tx, team, workspace, now - DAY)
        first = now // DAY - DAYS + 1
        by_day = observation_totals.captured_days(tx, team, workspace, first * DAY)
        states = jobs.counts(tx, team)
        place = workspaces.by_id(tx, team, workspace) if workspace else None
        return StoreStatus(
            team=team,
            workspace=place.name if place else workspace or "",
            last_recorded_at=measured.last_recorded_at,
            observations=measured.observations,
            lately=measured.lately,
            raw_tokens=measured.tokens,
            summary_characters=measured.summary_characters,
            spool_files=waits.files,
            spool_bytes=waits.bytes,
            spool_oldest_at=waits.oldest_at,
            rejected_bytes=waits.rejected_bytes,
            jobs_waiting=states.get(JobState.PENDING, 0) + states.get(JobState.RUNNING, 0),
            jobs_failed=states.get(JobState.FAILED, 0),
            failures=tuple(
                FailedJob(job.kind, job.attempts, job.error or "")
                for job in jobs.failed(tx, team, FAILURES)
            ),
            feedback_asking=feedback.pending_count(tx, team, workspace, scope.agent),
            days=tuple(by_day.get(first + after, 0) for after in range(DAYS)),
            moved=tuple(
                folder
                for folder in missing_folders(tx, team)
                if folder.moved_to and (place is None or folder.moved_to == place.name)
            ),
        )

    return database.read(work)


def measure(
    database: Database, counter: TokenCounter, scope: Scope, now: int, *, summaries: bool = True
) -> Stats:
    """Count the contents of a scope on one snapshot.

    The tokens of the scope's ``summaries`` are counted only if requested, since each summary must
    be read.
    """

    def work(tx: Transaction) -> tuple[Stats, list[str]]:
        team, workspace, task = scope.team, scope.workspace, scope.task
        measured = observation_totals.measures(tx, team, workspace, task)
        _, text_bytes, stored_bytes = blobs.totals(tx, team)
        stats = Stats(
            tasks=tasks.count(tx, team, workspace),
            observations=measured.observations,
            by_type=observation_totals.by_type(tx, team, workspace, task),
            quarantined=quarantine.counts(tx, team, workspace, task),
            folded=measured.folded,
            memories=memories.counts(tx, team, workspace, scope.agent, now),
            raw_tokens=measured.tokens,
            summary_tokens=None,
            redactions=observation_totals.redactions(tx, team, workspace, task),
            text_bytes=text_bytes,
            stored_bytes=stored_bytes,
            last_recorded_at=measured.last_recorded_at,
        )
        return stats, observations.summaries(tx, team, workspace, task) if summaries else []

    found, texts = database.read(work)
    return replace(found, summary_tokens=sum(counter.count_many(texts))) if summaries else found
