"""Job queue (outbox): leased with expiry, retried with backoff."""

from __future__ import annotations

from collections.abc import Collection

from memoranda.clock import MICROSECONDS
from memoranda.jobs.model import Backlog, Job, JobState
from memoranda.json_data import dump_json
from memoranda.store.database import RowType, Transaction, load_statements

SQL = load_statements(__file__)

JOB = RowType(Job, state=JobState)

LEASE = 60 * MICROSECONDS
"""Duration of a lease in microseconds.

After the lease has expired, another worker may take over the job.
"""
ATTEMPTS = 5
BACKOFF = 2 * MICROSECONDS
"""Delay before the second attempt; it doubles with each further attempt."""


def enqueue(tx: Transaction, job: Job, now: int) -> None:
    """Add a job, unless one of the same kind and subject is waiting."""
    tx.execute(
        SQL["enqueue"],
        {
            "team": job.team,
            "id": job.id,
            "kind": job.kind,
            "subject": job.subject,
            "run_at": job.run_at,
            "now": now,
        },
    )


def lease(
    tx: Transaction,
    team: str,
    owner: str,
    now: int,
    *,
    due: int | None = None,
    without: Collection[str] = (),
) -> Job | None:
    """Lease the next due job of a team; None if there is none.

    The job must be due at ``due``, by default now; the kinds in ``without`` are left out.
    """
    wanted = {"team": team, "now": now, "due": now if due is None else due}
    row = tx.first(SQL["due"], wanted | {"without": dump_json([*without])})
    if row is None:
        return None
    job = JOB(row)
    taken = {"team": job.team, "id": job.id, "owner": owner, "lease_until": now + LEASE}
    tx.execute(SQL["lease"], taken)
    if job.attempts < ATTEMPTS:
        return job
    abandoned = {"team": job.team, "id": job.id, "now": now}
    tx.execute(
        SQL["give_up"], abandoned | {"error": "its worker ended five times without an answer"}
    )
    return lease(tx, team, owner, now, due=due, without=without)


def complete(tx: Transaction, job: Job, owner: str, now: int) -> bool:
    """Mark a job as done; return False if another worker has the lease."""
    return _finish(tx, job, JobState.DONE, None, (owner, now))


def fail(tx: Transaction, job: Job, owner: str, now: int, error: str) -> bool:
    """Schedule another attempt, or mark the job as failed after five attempts."""
    if job.attempts + 1 >= ATTEMPTS:
        return _finish(tx, job, JobState.FAILED, error, (owner, now))
    later = {
        "team": job.team,
        "id": job.id,
        "owner": owner,
        "attempts": job.attempts + 1,
        "error": error,
        "run_at": now + BACKOFF * 2**job.attempts,
    }
    return tx.execute(SQL["retry"], later) > 0


def _finish(
    tx: Transaction, job: Job, state: JobState, error: str | None, holder: tuple[str, int]
) -> bool:
    owner, now = holder
    final = {
        "team": job.team,
        "id": job.id,
        "owner": owner,
        "attempts": job.attempts + 1,
        "state": state,
        "error": error,
        "now": now,
    }
    return tx.execute(SQL["finish"], final) > 0


def counts(tx: Transaction, team: str) -> dict[str, int]:
    """Return the number of jobs in each state."""
    return dict(tx.fetch(SQL["counts"], {"team": team}))


def failed(tx: Transaction, team: str, limit: int = 20) -> list[Job]:
    """Return the jobs that failed permanently, newest first."""
    return [JOB(row) for row in tx.fetch(SQL["failed"], {"team": team, "limit": limit})]


def waiting(tx: Transaction, team: str, kind: str) -> int:
    """Return how many jobs of a kind are unfinished."""
    row = tx.first(SQL["waiting"], {"team": team, "kind": kind})
    return int(row[0]) if row else 0


def any_waiting(tx: Transaction, team: str, kinds: Collection[str]) -> bool:
    """Return whether a job of the given kinds is unfinished."""
    return tx.first(SQL["any_waiting"], {"team": team, "kinds": dump_json([*kinds])}) is not None


def backlog(tx: Transaction, team: str, now: int) -> Backlog:
    """Return the unfinished jobs, except those that are due later."""
    found: dict[str, dict[str, int]] = {"due": {}, "running": {}, "retried": {}}
    for kind, standing, count in tx.fetch(SQL["backlog"], {"team": team, "now": now}):
        found[standing][kind] = int(count)
    return Backlog(**found)


def sweep(tx: Transaction, team: str, before: int) -> int:
    """Delete jobs that ended well before a time; return how many."""
    return tx.execute(SQL["sweep"], {"team": team, "before": before})
