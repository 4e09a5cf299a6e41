"""Contract of the store for the outbox."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from contract.clock import START
from contract.contract_transactions import together
from contract.records import Records
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobState
from memoranda.jobs.table import ATTEMPTS, BACKOFF, LEASE
from memoranda.store.database import Database, Transaction


class JobContract:
    """Each job is leased by one worker at a time and ends once."""

    def test_a_job_of_the_same_kind_and_subject_is_queued_once(self, database: Database) -> None:
        records = Records()
        jobs_made = [records.job(), records.job(), records.job(subject="other")]

        def fill(tx: Transaction) -> dict[str, int]:
            for job in jobs_made:
                jobs.enqueue(tx, job, START)
            return jobs.counts(tx, records.team)

        assert database.write(fill) == {"pending": 2}

    def test_an_event_during_a_running_job_queues_it_again(self, database: Database) -> None:
        records = Records()
        database.write(lambda tx: jobs.enqueue(tx, records.job(), START))
        running = database.write(lambda tx: jobs.lease(tx, "local", "one", START))
        assert running is not None
        database.write(lambda tx: jobs.enqueue(tx, records.job(), START))
        assert database.write(lambda tx: jobs.complete(tx, running, "one", START))
        assert database.read(lambda tx: jobs.counts(tx, records.team)) == {"done": 1, "pending": 1}

    def test_a_leased_job_is_not_leased_again(self, database: Database) -> None:
        records = Records()
        job = records.job()
        database.write(lambda tx: jobs.enqueue(tx, job, START))
        leased = database.write(lambda tx: jobs.lease(tx, "local", "one", START))
        assert leased is not None
        assert leased.id == job.id
        assert database.write(lambda tx: jobs.lease(tx, "local", "two", START + LEASE - 1)) is None

    def test_workers_at_once_share_the_jobs_without_overlap(self, database: Database) -> None:
        records = Records()
        made = [records.job(subject=str(number)) for number in range(20)]
        taken: list[str] = []

        def fill(tx: Transaction) -> None:
            for job in made:
                jobs.enqueue(tx, job, START)

        def run(number: int) -> None:
            for _ in range(len(made) + 1):
                job = database.write(lambda tx: jobs.lease(tx, "local", f"worker-{number}", START))
                if job is not None:
                    taken.append(job.id)

        database.write(fill)
        together(run, count=4)
        assert sorted(taken) == sorted(job.id for job in made)

    def test_a_job_is_not_taken_before_its_time(self, database: Database) -> None:
        records = Records()
        database.write(lambda tx: jobs.enqueue(tx, records.job(run_at=START + 10), START))
        assert database.write(lambda tx: jobs.lease(tx, "local", "one", START + 9)) is None
        assert database.write(lambda tx: jobs.lease(tx, "local", "one", START + 10)) is not None

    def test_a_lease_that_expired_is_taken_over_and_the_first_holder_learns_it(
        self, database: Database
    ) -> None:
        first = self._leased(database, "one", START)
        late = START + LEASE
        second = database.write(lambda tx: jobs.lease(tx, "local", "two", late))
        assert second is not None
        assert (second.id, second.attempts) == (first.id, first.attempts + 1)
        assert not database.write(lambda tx: jobs.complete(tx, first, "one", late))
        assert not database.write(lambda tx: jobs.fail(tx, first, "one", late, "too slow"))
        assert database.write(lambda tx: jobs.complete(tx, second, "two", late))

    def test_a_lease_taken_over_by_the_same_worker_is_lost_as_well(
        self, database: Database
    ) -> None:
        first = self._leased(database, "one", START)
        late = START + LEASE
        second = database.write(lambda tx: jobs.lease(tx, "local", "one", late))
        assert second is not None
        assert not database.write(lambda tx: jobs.complete(tx, first, "one", late))
        assert database.write(lambda tx: jobs.complete(tx, second, "one", late))

    def test_a_job_ends_once(self, database: Database) -> None:
        job = self._leased(database, "one", START)
        assert database.write(lambda tx: jobs.complete(tx, job, "one", START))
        assert not database.write(lambda tx: jobs.complete(tx, job, "one", START))
        assert not database.write(lambda tx: jobs.fail(tx, job, "one", START, "no"))
        assert database.write(lambda tx: jobs.lease(tx, "local", "two", START + 10 * LEASE)) is None

    def test_the_wait_doubles_and_the_fifth_failure_is_final(self, database: Database) -> None:
        records = Records()
        database.write(lambda tx: jobs.enqueue(tx, records.job(), START))
        now = START
        waits: list[int | None] = []
        for attempt in range(1, ATTEMPTS + 1):
            job = database.write(partial(jobs.lease, team="local", owner="one", now=now))
            assert job is not None
            error = f"failure {attempt}"
            assert database.write(partial(jobs.fail, job=job, owner="one", now=now, error=error))
            due = self._due(database, now)
            waits.append(None if due is None else due - now)
            now = due or now
        assert waits == [BACKOFF, 2 * BACKOFF, 4 * BACKOFF, 8 * BACKOFF, None]
        assert database.read(lambda tx: jobs.counts(tx, records.team)) == {"failed": 1}
        given_up = database.read(lambda tx: jobs.failed(tx, records.team))
        assert [(job.state, job.error) for job in given_up] == [(JobState.FAILED, "failure 5")]

    def test_the_backlog_counts_due_running_and_retried_jobs(self, database: Database) -> None:
        """A job with an expired lease is due; one for later is no backlog."""
        kinds = ("a", "b", "c", "d")
        records = Records()
        made = [records.job(kind) for kind in kinds]
        later = replace(made[3], run_at=START + 2 * LEASE)

        def fill(tx: Transaction) -> None:
            for job in (*made[:3], later):
                jobs.enqueue(tx, job, START)

        database.write(fill)
        lease = partial(jobs.lease, team="local", owner="one", now=START)
        at_work, failing = database.write(lease), database.write(lease)
        assert at_work is not None
        assert failing is not None
        error = partial(jobs.fail, job=failing, owner="one", now=START, error="no")
        assert database.write(error)
        now = database.read(lambda tx: jobs.backlog(tx, "local", START))
        waits = ({*"abc"} - {at_work.kind, failing.kind}).pop()
        assert (now.due, now.running) == ({waits: 1}, {at_work.kind: 1})
        assert (now.retried, now.unfinished) == ({failing.kind: 1}, 2)
        then = database.read(lambda tx: jobs.backlog(tx, "local", START + LEASE))
        assert (then.due, then.running) == (dict.fromkeys("abc", 1), {})

    def test_only_jobs_that_ended_well_are_swept(self, database: Database) -> None:
        records = Records()
        done = self._leased(database, "one", START)
        database.write(lambda tx: jobs.complete(tx, done, "one", START))
        database.write(lambda tx: jobs.enqueue(tx, records.job(subject="waiting"), START))
        assert database.write(lambda tx: jobs.sweep(tx, records.team, START)) == 0
        assert database.write(lambda tx: jobs.sweep(tx, records.team, START + 1)) == 1
        assert database.read(lambda tx: jobs.counts(tx, records.team)) == {"pending": 1}

    def _leased(self, database: Database, owner: str, now: int) -> Job:
        job = replace(Records(seed=9).job(), subject="leased")
        database.write(lambda tx: jobs.enqueue(tx, job, now))
        leased = database.write(lambda tx: jobs.lease(tx, "local", owner, now))
        assert leased is not None
        return leased

    def _due(self, database: Database, now: int) -> int | None:
        """Return when the one waiting job is due; an earlier lease must fail."""
        row = database.read(
            lambda tx: tx.first("select run_at from job where state = :state", {"state": "pending"})
        )
        if row is None:
            return None
        assert database.write(lambda tx: jobs.lease(tx, "local", "early", row[0] - 1)) is None
        return int(row[0])
