"""Interventions: tasks that a supervisor should examine, with outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memoranda.clock import Clock
from memoranda.exceptions import Conflict, InvalidInput, NotFound
from memoranda.ids import IdSource, ambiguous
from memoranda.journal import table as journal
from memoranda.json_data import JsonValue
from memoranda.memories import table as memories
from memoranda.memories.memory_writer import MemoryChanges
from memoranda.memories.model import Memory, MemoryStatus, Visibility
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.proposals import table as proposals
from memoranda.proposals.decisions import Proposals
from memoranda.proposals.model import MemoryState, ProposalKind
from memoranda.scope import Scope
from memoranda.search import rating_table as ratings
from memoranda.search.model import Ratings
from memoranda.store.database import Database, Transaction
from memoranda.supervision import table as interventions
from memoranda.supervision.metrics import error_rate, measured
from memoranda.supervision.model import (
    Intervention,
    InterventionOutcome,
    InterventionState,
    OutcomeRecorded,
    SupervisionSignal,
)
from memoranda.tasks import table as tasks
from memoranda.tasks.model import TaskStatus

PROVEN, SHARE = 5, 0.8
"""Minimum number and minimum share of helpful interventions before a memory is proposed as
critical.
"""
SUPERVISOR = "supervisor"
"""Author of the proposals if a person records the outcome."""


class Interventions:
    """Stores interventions.

    Every change is one transaction, with a row in the journal.
    """

    def __init__(
        self,
        database: Database,
        changes: MemoryChanges,
        waiting: Proposals,
        clock: Clock,
        ids: IdSource,
    ) -> None:
        self._database = database
        self._changes = changes
        self._proposals = waiting
        self._clock = clock
        self._ids = ids

    def list(
        self,
        scope: Scope,
        state: InterventionState | None = None,
        *,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Intervention]:
        """Return interventions of a scope, newest first."""
        checked_limit(limit)
        before = place_of(cursor, first=interventions.NEWEST)
        team, workspace, task = scope.team, scope.workspace, scope.task
        found = self._database.read(
            lambda tx: interventions.listed(
                tx, team, workspace, task, state, before=before, limit=limit + 1
            )
        )
        return page_of(found, limit, lambda intervention: intervention.id)

    def metrics(self, scope: Scope) -> Mapping[str, float]:
        """Return the recorded figures of the scope's task; empty if it has none."""
        task = scope.task
        if task is None:
            return {}
        return self._database.read(lambda tx: measured(tx, scope.team, task))

    def going_on(self, scope: Scope) -> str | None:
        """Return the newest running task in the workspace of a scope."""
        found = self._database.read(
            lambda tx: tasks.listed(
                tx, scope.team, workspace=scope.workspace, status=TaskStatus.ACTIVE, limit=1
            )
        )
        return found[0].id if found else None

    def record_received(
        self,
        scope: Scope,
        state: str,
        metrics: Mapping[str, float],
        ids: Sequence[str],
        *,
        begin: bool,
    ) -> Intervention | None:
        """Record the memories that a supervisor received for the scope's task.

        They are recorded for the open intervention; if there is none, a new intervention is created
        with ``begin``, otherwise None is returned.
        """
        task = scope.task
        if task is None:
            return None

        def work(tx: Transaction) -> Intervention | None:
            team, now, actor = scope.team, self._clock.now(), scope.actor
            intervention = interventions.waiting(tx, team, task)
            if intervention is None and not begin:
                return None
            intervention = intervention or self._insert(tx, scope, task, state, metrics)
            stored = memories.by_ids(tx, team, ids, scope.agent)
            interventions.put_context_memories(tx, team, intervention.id, list(stored))
            interventions.acknowledge(tx, team, intervention.id)
            detail: dict[str, JsonValue] = {"memories": len(stored), "state": state}
            note = journal.NewJournalEntry(
                now, actor, "intervention context", intervention.id, detail
            )
            journal.append(tx, team, note)
            return interventions.by_id(tx, team, intervention.id)

        return self._database.write(work)

    def outcome(
        self,
        scope: Scope,
        id: str,
        outcome: InterventionOutcome,
        note: str = "",
        *,
        correct: bool = False,
    ) -> OutcomeRecorded:
        """Record the outcome of an intervention, and rate its memories.

        The memories are those in the context of the intervention. Repeating the same outcome
        changes nothing.

        Raises:
            NotFound: there is no such intervention in the scope.
            Conflict: another outcome was recorded, and ``correct`` is not set.
        """
        clean_note, now = self._changes.clean_note(note), self._clock.now()

        def work(tx: Transaction) -> OutcomeRecorded:
            intervention = self._found(tx, scope, id)
            if intervention.outcome is outcome and clean_note in ("", intervention.note):
                return OutcomeRecorded(intervention, (), ())
            if intervention.outcome is not None and not correct:
                raise Conflict(
                    f"the outcome was recorded as {intervention.outcome} by "
                    f"{intervention.decided_by}"
                    f"{f', {intervention.note!r}' if intervention.note else ''}; "
                    "add --correct to change it"
                )
            decided = self._decided(tx, scope, intervention, outcome, clean_note, now)
            rated = self._rate(tx, intervention, outcome, now)
            proposed = (
                self._propose(tx, scope, intervention)
                if outcome is InterventionOutcome.HELPED
                else ()
            )
            return OutcomeRecorded(decided, rated, tuple(proposed))

        return self._database.write(work)

    # ------------------------------------------------------------------ inside a transaction

    def _insert(
        self, tx: Transaction, scope: Scope, task: str, state: str, metrics: Mapping[str, float]
    ) -> Intervention:
        found = tasks.by_id(tx, scope.team, task)
        if found is None:
            raise NotFound(f"no task {task!r}; `memoranda task list` lists the tasks")
        id = self._ids.new()
        intervention = Intervention(
            team=scope.team,
            id=id,
            workspace=found.workspace,
            task=task,
            signal=SupervisionSignal.ASKED,
            cause=id,  # no intervention is open, so this is a new cause
            reason=f"asked about: {state}",
            metrics=metrics,
            raised_at=self._clock.now(),
            position=found.observations,
        )
        interventions.put(tx, intervention)
        return intervention

    def _decided(
        self,
        tx: Transaction,
        scope: Scope,
        one: Intervention,
        outcome: InterventionOutcome,
        note: str,
        now: int,
    ) -> Intervention:
        since = error_rate(tx, one.team, one.task, one.position)
        before = one.metrics.get("error_rate")
        effect = None if since is None or before is None else round(before - since, 4)
        actor = scope.actor
        decided = replace(
            one,
            state=InterventionState.CLOSED,
            outcome=outcome,
            effectiveness=effect,
            note=note,
            decided_by=actor,
            decided_at=now,
        )
        interventions.decide(tx, decided)
        detail = {"outcome": outcome.value}
        entry = journal.NewJournalEntry(now, actor, "intervention outcome", one.id, detail)
        journal.append(tx, one.team, entry)
        return decided

    def _rate(
        self, tx: Transaction, before: Intervention, outcome: InterventionOutcome, now: int
    ) -> tuple[str, ...]:
        """Rate the memories of the context; replace ratings that are corrected."""
        if before.outcome is outcome:
            return ()
        ids = interventions.memories(tx, before.team, before.id)
        for id in ids:
            if before.outcome is not None:
                useful = before.outcome is InterventionOutcome.HELPED
                ratings.take_back(tx, before.team, id, useful=useful, now=now)
            ratings.rate(tx, before.team, id, useful=outcome is InterventionOutcome.HELPED, now=now)
        return tuple(ids)

    def _propose(self, tx: Transaction, scope: Scope, one: Intervention) -> Sequence[str]:
        """Propose memories that often helped as critical; a person decides."""
        ids = interventions.memories(tx, one.team, one.id)
        record = interventions.record(tx, one.team, ids)
        proven = [id for id, found in record.items() if _proven(found)]
        name = scope.agent or SUPERVISOR
        whose = replace(scope, agent=name, task=one.task)
        result = []
        for memory in memories.of_any_agent(tx, one.team, proven).values():
            if _may_be_critical(memory) and not self._was_requested(tx, memory, name):
                after = replace(MemoryState.of(memory), critical=True)
                helped = record[memory.id].useful
                reason = f"it was in the context of {helped} interventions that helped"
                kind = ProposalKind.UPDATE
                result.append(self._proposals.put(tx, whose, kind, memory, after, reason).id)
        return result

    def _was_requested(self, tx: Transaction, memory: Memory, name: str) -> bool:
        """Return whether a proposal for the memory already exists.

        An existing proposal is not overwritten.
        """
        return proposals.waiting(tx, memory.team, memory.id, name) is not None

    def _found(self, tx: Transaction, scope: Scope, id: str) -> Intervention:
        ids = [id] if len(id) == 36 else interventions.by_prefix(tx, scope.team, id) if id else []
        named = [item for each in ids if (item := interventions.by_id(tx, scope.team, each))]
        seen = [one for one in named if scope.workspace in (None, one.workspace)]
        if len(seen) > 1:
            raise InvalidInput(
                ambiguous("intervention", id, [intervention.id for intervention in seen])
            )
        if not seen:
            raise NotFound(
                f"no intervention {id!r}; `memoranda supervisor list` lists the interventions"
            )
        return seen[0]


def _proven(found: Ratings) -> bool:
    """Return whether to propose a memory as critical.

    It is proposed after 5 useful ratings, then after 10, 20 and so on, so that a rejected proposal
    is not repeated each time.
    """
    times, rest = divmod(found.useful, PROVEN)
    due = rest == 0 and times > 0 and times & (times - 1) == 0
    return due and found.useful >= SHARE * (found.useful + found.useless)


def _may_be_critical(memory: Memory) -> bool:
    private = memory.visibility is Visibility.AGENT
    return memory.status is MemoryStatus.APPROVED and not memory.critical and not private
