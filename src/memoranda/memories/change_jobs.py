"""Queues jobs for search and the mirror when memories change."""

from __future__ import annotations

from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.mirror import table as mirrors
from memoranda.store.database import Transaction


def enqueue_change_jobs(tx: Transaction, team: str, ids: IdSource, now: int) -> None:
    """Queue search and mirror updates for the memories of a transaction."""
    jobs.enqueue(tx, Job.waiting(team, ids.new(), JobKind.INDEX_MEMORIES, "", now), now)
    mirrors.touch(tx, team, ids.new(), now)
