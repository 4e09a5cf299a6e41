"""Methods that list, show and release quarantined observations.

A person decides on them, and can quarantine any other observation.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.exceptions import Conflict, InvalidInput, NotFound
from memoranda.id_prefix import full_id
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, Salience
from memoranda.operation_declaration import REVIEWERS, read, write
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.quarantine import table as quarantine
from memoranda.quarantine.model import BY_HAND, QuarantinedObservation, QuarantineRecord
from memoranda.resource import Resource
from memoranda.store.database import Transaction
from memoranda.tasks.reference import TaskReference
from memoranda.text import normalise


class QuarantineResource(Resource):
    """``memory.quarantine``: observations withheld until a person reviews them."""

    @read("quarantine.list")
    def list(
        self,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        released: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[QuarantinedObservation]:
        """List quarantined observations, newest first.

        They read like instructions to the agent. With ``released``, the observations that a person
        released are listed instead.
        """
        scope = self._within(workspace, task)
        checked_limit(limit)
        before = place_of(cursor, first=quarantine.NEWEST)

        def work(tx: Transaction) -> Sequence[QuarantinedObservation]:
            records = quarantine.listed(
                tx,
                scope.team,
                scope.workspace,
                scope.task,
                quarantined=not released,
                before=before,
                limit=limit + 1,
            )
            seen = observations.by_ids(tx, scope.team, [record.observation for record in records])
            return [QuarantinedObservation(seen[one.observation], one) for one in records]

        return page_of(self._database.read(work), limit, lambda one: one.observation.id)

    @read("quarantine.show")
    def show(self, id: str) -> QuarantinedObservation:
        """Show why an observation is or was quarantined.

        Raises:
            NotFound: there is no such observation, or it was never quarantined.
        """
        name = normalise(id)

        def work(tx: Transaction) -> QuarantinedObservation:
            observation = self._seen(tx, name)
            records = quarantine.by_ids(tx, observation.team, [observation.id])
            if not records:
                raise NotFound(f"observation {observation.ref} is not quarantined, and never was")
            return QuarantinedObservation(observation, records[observation.id])

        return self._database.read(work)

    @write("quarantine.release", roles=REVIEWERS)
    def release(self, id: str) -> QuarantinedObservation:
        """Release an observation from quarantine.

        The observation can be quarantined again later.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such observation.
            Conflict: the observation is not quarantined.
        """
        return self._decide(normalise(id), quarantined=False)

    @write("quarantine.hold", roles=REVIEWERS)
    def hold(self, id: str) -> QuarantinedObservation:
        """Quarantine an observation until a person releases it.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such observation.
            Conflict: the observation is already quarantined.
            InvalidInput: the observation contains a person's constraint, which a context never
                omits.
        """
        return self._decide(normalise(id), quarantined=True)

    def _decide(self, name: str, *, quarantined: bool) -> QuarantinedObservation:
        """Write a decision about an observation and its repeats."""
        now = self._services.clock.now()

        def work(tx: Transaction) -> QuarantinedObservation:
            seen = self._seen(tx, name)
            if quarantined and seen.salience is Salience.CRITICAL:
                raise InvalidInput(
                    f"observation {seen.ref} contains a user's instruction; to remove the"
                    f" observation: `memoranda forget {seen.ref}`"
                )
            every = quarantine.with_repeats(tx, seen.team, seen.id)
            changed = [id for id in every if _decided(tx, seen.team, id, quarantined, now)]
            if seen.id not in changed:
                state = "already quarantined" if quarantined else "not quarantined"
                raise Conflict(f"observation {seen.ref} is {state}")
            self._note(tx, seen, quarantined, len(changed), now)
            record = quarantine.by_ids(tx, seen.team, [seen.id])[seen.id]
            return QuarantinedObservation(self._seen(tx, seen.id), record)

        result = self._database.write(work)
        self._services.background.wake()
        return result

    def _note(
        self, tx: Transaction, seen: Observation, quarantined: bool, count: int, now: int
    ) -> None:
        """Record a decision, and enqueue the jobs that depend on it."""
        operation = "quarantine hold" if quarantined else "quarantine release"
        note = journal.NewJournalEntry(now, "human", operation, seen.id, {"count": count})
        journal.append(tx, seen.team, note)
        for kind, subject in (
            (JobKind.RENDER_CONTEXT, seen.workspace),
            (JobKind.DISTIL, seen.task),
        ):
            job = Job.waiting(seen.team, self._services.ids.new(), kind, subject, now)
            jobs.enqueue(tx, job, now)

    def _seen(self, tx: Transaction, name: str) -> Observation:
        team, place = self._scope.team, self._scope.workspace
        whole = full_id(tx, team, name, observations.matching_name, "observation")
        observation = observations.by_ids(tx, team, [whole]).get(whole) if whole else None
        if observation is None or place not in (None, observation.workspace):
            raise NotFound(
                f"no observation {name!r} in this scope; list the observations with"
                f" `memoranda quarantine list`"
            )
        return observation


def _decided(tx: Transaction, team: str, id: str, quarantined: bool, now: int) -> bool:
    """Write a decision about one observation; return whether it changed."""
    record = quarantine.by_ids(tx, team, [id]).get(id)
    if record is None:
        if not quarantined:
            return False
        deserved = observations.by_ids(tx, team, [id])[id].salience
        record = QuarantineRecord(id, BY_HAND, deserved, now, decided_by="human", decided_at=now)
        quarantine.insert(tx, team, [record])
    elif not quarantine.decide(tx, team, id, quarantined, "human", now):
        return False
    quarantine.mark(tx, team, id, Salience.QUARANTINED if quarantined else record.salience)
    return True
