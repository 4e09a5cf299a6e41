"""Rules about jobs, and the time that passes for them."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from contract.machine.rules import StoreRules
from contract.machine.stores import Stores, call
from contract.machine.texts import odd, teams
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobState
from memoranda.jobs.table import ATTEMPTS, BACKOFF, LEASE

KINDS = ("render_context", "purge_text")

kinds = st.sampled_from(KINDS)
subjects = st.sampled_from(("w1", "w2", "it's", ""))
owners = st.sampled_from(("one", "two"))
job_ids = st.integers(1, 9).map("j{}".format)
steps = st.sampled_from((1, BACKOFF, 4 * BACKOFF, LEASE - 1, LEASE))


class OutboxRules(StoreRules):
    """Jobs are leased, complete or fail, and are taken over after the lease."""

    def __init__(self, stores: Stores) -> None:
        super().__init__(stores)
        self.leased: list[tuple[str, Job, str]] = []
        """Every leased job: (team, job, owner)."""

    @rule(team=teams, id=job_ids, kind=kinds, subject=subjects, wait=st.sampled_from((-1, 0, 9)))
    def enqueue(self, team: str, id: str, kind: str, subject: str, wait: int) -> None:
        """Add a job that may be waiting already, or whose id may be taken."""
        job = Job(self.teams[team], id, kind, subject, JobState.PENDING, 0, self.now + wait, None)
        self.change(team, call(jobs.enqueue, job, self.now))

    @rule(team=teams, owner=owners)
    def lease(self, team: str, owner: str) -> None:
        """Lease the next job."""
        self._lease(team, owner)

    @rule(which=st.integers(0, 5), owner=st.none() | owners, error=st.none() | odd)
    def end(self, which: int, owner: str | None, error: str | None) -> None:
        """Complete or fail a leased job, perhaps for the second time."""
        if self.leased:
            team, job, holder = self.leased[-1 - which % len(self.leased)]
            ending = (
                call(jobs.complete, job, owner or holder, self.now)
                if error is None
                else call(jobs.fail, job, owner or holder, self.now, error)
            )
            self.change(team, ending)

    @rule(team=teams, owner=owners)
    def workers_keep_dying(self, team: str, owner: str) -> None:
        """Let the leases of two workers expire repeatedly."""
        for _ in range(ATTEMPTS + 1):
            for each in (owner, "three"):
                self._lease(team, each)
            self.now += LEASE

    @rule(team=teams, owner=owners, error=odd)
    def work_keeps_failing(self, team: str, owner: str, error: str) -> None:
        """Fail a job in every attempt."""
        for attempt in range(ATTEMPTS):
            job = self._lease(team, owner)
            if job is not None:
                self.change(team, call(jobs.fail, job, owner, self.now, error))
            self.now += BACKOFF * 2**attempt

    @rule(team=teams, step=steps, sweeps=st.booleans())
    def time_passes(self, team: str, step: int, sweeps: bool) -> None:
        """Advance the clock; sweep completed jobs."""
        self.now += step
        stored = self.stores.model.of(self.teams[team]).jobs.values()
        last = max((job.ended_at or 0 for job in stored if job.state == "done"), default=0)
        if sweeps:
            self.change(team, self.of(team, jobs.sweep, last))
            self.change(team, self.of(team, jobs.sweep, last + 1))

    def _lease(self, team: str, owner: str) -> Job | None:
        answer = self.change(team, self.of(team, jobs.lease, owner, self.now))
        job: Job | None = answer[0] if isinstance(answer, list) else None
        if job is not None:
            before = [each for each in self.leased if (each[0], each[1].id) == (team, job.id)]
            for _, lost, holder in before:
                self.change(team, call(jobs.complete, lost, holder, self.now))
            self.leased.append((team, job, owner))
        return job
