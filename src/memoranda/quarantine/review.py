"""Review of quarantined observations: list, show and release."""

from __future__ import annotations

from memoranda.clock import Clock
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.memories.id_prefix import full_id
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, Salience
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.quarantine import table as quarantine
from memoranda.quarantine.model import BY_HAND, QuarantinedObservation, QuarantineRecord
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction


class Quarantine:
    """Service that lists, shows, releases and quarantines observations.

    Each decision is one transaction, and can be undone.
    """

    def __init__(self, database: Database, clock: Clock, ids: IdSource) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids

    def list(
        self, scope: Scope, *, released: bool = False, cursor: str | None = None, limit: int = 50
    ) -> Page[QuarantinedObservation]:
        """Return quarantined or released observations, newest first."""
        checked_limit(limit)
        team, before = scope.team, place_of(cursor, first=quarantine.NEWEST)

        def work(tx: Transaction) -> list[QuarantinedObservation]:
            records = quarantine.listed(
                tx,
                team,
                scope.workspace,
                scope.task,
                quarantined=not released,
                before=before,
                limit=limit + 1,
            )
            seen = observations.by_ids(tx, team, [record.observation for record in records])
            return [
                QuarantinedObservation(seen[quarantine_record.observation], quarantine_record)
                for quarantine_record in records
            ]

        quarantined_observations = self._database.read(work)
        return page_of(
            quarantined_observations, limit, lambda observation: observation.observation.id
        )

    def show(self, scope: Scope, id: str) -> QuarantinedObservation:
        """Return an observation that is or was quarantined, with the reason.

        Raises:
            NotFound: no observation in scope has this id, or it was never withheld.
        """

        def work(tx: Transaction) -> QuarantinedObservation:
            observation = _seen(tx, scope, id)
            records = quarantine.by_ids(tx, scope.team, [observation.id])
            if not records:
                raise NotFound(f"observation {observation.ref} is not and was never quarantined")
            return QuarantinedObservation(observation, records[observation.id])

        return self._database.read(work)

    def release(self, scope: Scope, id: str) -> QuarantinedObservation:
        """Release an observation and its repeats for use in contexts.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such observation.
            Conflict: it is not withheld.
        """
        return self._decide(scope, id, quarantined=False)

    def hold(self, scope: Scope, id: str) -> QuarantinedObservation:
        """Quarantine an observation and its repeats until a person releases it.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such observation.
            Conflict: it is already withheld.
            InvalidInput: it has a person's constraint, which a context never omits.
        """
        return self._decide(scope, id, quarantined=True)

    def _decide(self, scope: Scope, id: str, *, quarantined: bool) -> QuarantinedObservation:
        if scope.agent is not None:
            raise Forbidden("only a user may change the quarantine, not an agent")
        now = self._clock.now()

        def work(tx: Transaction) -> QuarantinedObservation:
            observation = _seen(tx, scope, id)
            if quarantined and observation.salience is Salience.CRITICAL:
                raise InvalidInput(
                    f"observation {observation.ref} contains a user's instruction; to remove "
                    f"it: `memoranda forget {observation.ref}`"
                )
            every = quarantine.with_repeats(tx, scope.team, observation.id)
            changed = [item for item in every if self._decided(tx, scope, item, quarantined, now)]
            if observation.id not in changed:
                state = "already quarantined" if quarantined else "not quarantined"
                raise Conflict(f"observation {observation.ref} is {state}")
            self._note(tx, scope, observation, quarantined, len(changed), now)
            record = quarantine.by_ids(tx, scope.team, [observation.id])[observation.id]
            return QuarantinedObservation(_seen(tx, scope, observation.id), record)

        return self._database.write(work)

    def _decided(self, tx: Transaction, scope: Scope, id: str, quarantined: bool, now: int) -> bool:
        """Store a decision on one observation; return whether it changed."""
        team = scope.team
        record = quarantine.by_ids(tx, team, [id]).get(id)
        if record is None:
            if not quarantined:
                return False
            deserved = observations.by_ids(tx, team, [id])[id].salience
            record = QuarantineRecord(
                id, BY_HAND, deserved, now, decided_by="human", decided_at=now
            )
            quarantine.insert(tx, team, [record])
        elif not quarantine.decide(tx, team, id, quarantined, "human", now):
            return False
        quarantine.mark(tx, team, id, Salience.QUARANTINED if quarantined else record.salience)
        return True

    def _note(
        self,
        tx: Transaction,
        scope: Scope,
        seen: Observation,
        quarantined: bool,
        count: int,
        now: int,
    ) -> None:
        operation = "quarantine hold" if quarantined else "quarantine release"
        note = journal.NewJournalEntry(now, "human", operation, seen.id, {"count": count})
        journal.append(tx, scope.team, note)
        for kind, subject in (
            (JobKind.RENDER_CONTEXT, seen.workspace),
            (JobKind.DISTIL, seen.task),
        ):
            job = Job.waiting(scope.team, self._ids.new(), kind, subject, now)
            jobs.enqueue(tx, job, now)


def _seen(tx: Transaction, scope: Scope, id: str) -> Observation:
    whole = full_id(tx, scope.team, id, observations.matching_name, "observation")
    observation = observations.by_ids(tx, scope.team, [whole]).get(whole) if whole else None
    if observation is None or scope.workspace not in (None, observation.workspace):
        raise NotFound(f"no observation {id!r} in this scope; `memoranda quarantine list`")
    return observation
