"""The outbox in the model."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from contract.model.content import HeldJob, Model, demand
from memoranda.jobs.model import Job, JobState
from memoranda.jobs.table import ATTEMPTS, BACKOFF, LEASE

GIVEN_UP = "its worker ended five times without an answer"


def enqueue(model: Model, job: Job, now: int) -> None:
    """Add a job, unless one of its kind and subject is waiting already."""
    jobs = model.of(job.team).jobs
    same = [one for one in jobs.values() if (one.kind, one.subject) == (job.kind, job.subject)]
    if not any(one.state == "pending" for one in same):
        demand(job.id not in jobs, "ids are unique")
        jobs[job.id] = HeldJob(job.team, job.id, job.kind, job.subject, "pending", 0, job.run_at,
                               None, None, None, now, None)  # fmt: skip


def lease(model: Model, team: str, owner: str, now: int) -> Job | None:
    """Lease the next due job; give up those whose attempts all failed."""
    jobs = model.of(team).jobs
    for due in sorted(jobs.values(), key=lambda one: (one.run_at, one.id)):
        if _is_due(due, now):
            taken = replace(
                due,
                state="running",
                attempts=due.attempts + 1,
                lease_until=now + LEASE,
                lease_owner=owner,
            )
            jobs[due.id] = taken
            if due.attempts < ATTEMPTS:
                return _job(due)
            jobs[due.id] = _ended(taken, "failed", GIVEN_UP, now)
    return None


def complete(model: Model, job: Job, owner: str, now: int) -> bool:
    """Complete a job; False when the lease had passed to another worker."""
    stored = _leased_job(model, job, owner)
    if stored is not None:
        model.of(job.team).jobs[job.id] = _ended(stored, "done", None, now)
    return stored is not None


def fail(model: Model, job: Job, owner: str, now: int, error: str) -> bool:
    """Retry a job later, or end it as failed after five attempts."""
    stored = _leased_job(model, job, owner)
    if stored is None:
        return False
    later = replace(stored, state="pending", error=error, lease_until=None,
                    run_at=now + BACKOFF * 2**job.attempts)  # fmt: skip
    final = job.attempts + 1 >= ATTEMPTS
    model.of(job.team).jobs[job.id] = _ended(stored, "failed", error, now) if final else later
    return True


def counts(model: Model, team: str) -> dict[str, int]:
    """Return how many jobs there are in each state."""
    return dict(Counter(one.state for one in model.of(team).jobs.values()))


def failed(model: Model, team: str, limit: int = 20) -> list[Job]:
    """Return the failed jobs, newest first."""
    found = [one for one in model.of(team).jobs.values() if one.state == "failed"]
    newest = sorted(found, key=lambda one: (one.ended_at or 0, one.id), reverse=True)
    return [_job(one) for one in newest[:limit]]


def waiting(model: Model, team: str, kind: str) -> int:
    """Return how many jobs of a kind have not ended yet."""
    jobs = model.of(team).jobs.values()
    return sum(one.kind == kind and one.state in ("pending", "running") for one in jobs)


def sweep(model: Model, team: str, before: int) -> int:
    """Delete jobs completed before a time; return how many."""
    jobs = model.of(team).jobs
    old = [one.id for one in jobs.values() if one.state == "done" and (one.ended_at or 0) < before]
    for id in old:
        del jobs[id]
    return len(old)


def _is_due(job: HeldJob, now: int) -> bool:
    if job.state == "pending":
        return job.run_at <= now
    return job.state == "running" and job.lease_until is not None and job.lease_until <= now


def _leased_job(model: Model, job: Job, owner: str) -> HeldJob | None:
    """Return a job if the lease is still valid."""
    stored = model.of(job.team).jobs.get(job.id)
    if stored is None or stored.state != "running":
        return None
    return stored if (stored.lease_owner, stored.attempts) == (owner, job.attempts + 1) else None


def _ended(job: HeldJob, state: str, error: str | None, now: int) -> HeldJob:
    return replace(job, state=state, error=error, ended_at=now, lease_until=None)


def _job(job: HeldJob) -> Job:
    return Job(job.team, job.id, job.kind, job.subject, JobState(job.state), job.attempts,
               job.run_at, job.error)  # fmt: skip
