"""Who is to learn that memories changed."""

from __future__ import annotations

from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.mirror import table as mirrors
from memoranda.store.database import Transaction


def enqueue_change_jobs(tx: Transaction, team: str, ids: IdSource, now: int) -> None:
    """Have search and the files of a mirror learn of the memories that a transaction wrote."""
    jobs.enqueue(tx, Job.waiting(team, ids.new(), JobKind.INDEX_MEMORIES, "", now), now)
    mirrors.touch(tx, team, ids.new(), now)
