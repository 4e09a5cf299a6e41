"""Monitors tasks as observations arrive, and raises interventions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memoranda.clock import Clock
from memoranda.errors import note_table as error_notes
from memoranda.errors.model import ErrorNote
from memoranda.errors.records import record_of_note, with_note, with_signature, without_signature
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, ObservationType
from memoranda.observations.table import ObservationFilter
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.supervision import table as interventions
from memoranda.supervision.detector import (
    Alarm,
    SupervisionLimits,
    WatchedStep,
    WatchState,
    watch_step,
)
from memoranda.supervision.metrics import measured
from memoranda.supervision.model import Intervention
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task

READ_AT_ONCE = 500
"""Number of observations that one transaction processes."""
NAME = 18
"""Number of characters of an id that are shown as a name."""
MAIN = "main"
"""The main branch; subagents and reverted work raise no interventions."""
_ALL = ObservationFilter(with_repeats=True)
_STEPS = frozenset({ObservationType.TOOL_CALL, ObservationType.ERROR, ObservationType.FIX})


class TaskMonitor:
    """Monitors tasks step by step.

    Each position is stored in one transaction with the interventions that were raised.
    """

    def __init__(
        self, database: Database, clock: Clock, ids: IdSource, limits: SupervisionLimits
    ) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids
        self._limits = limits

    def follow(self, scope: Scope, task: str) -> list[Intervention]:
        """Monitor the new steps of a task; return the interventions raised."""
        raised: list[Intervention] = []
        more = True
        while more:
            new, more = self._database.write(lambda tx: self._page(tx, scope.team, task))
            raised += new
        return raised

    def _page(self, tx: Transaction, team: str, task: str) -> tuple[list[Intervention], bool]:
        found = tasks.by_id(tx, team, task)
        if found is None:
            return [], False
        position, watch_state = interventions.watch(tx, team, task)
        state = WatchState.read(watch_state)
        span = (position, observations.END)
        seen = observations.in_task(tx, team, task, where=_ALL, span=span, limit=READ_AT_ONCE)
        notes = error_notes.since(tx, team, task, state.note, limit=READ_AT_ONCE)
        if not seen and not notes:
            return [], False
        failed = [
            observation.id for observation in seen if observation.type is ObservationType.ERROR
        ]
        error_notes_by_step = error_notes.by_observations(tx, team, failed) if failed else {}
        alarms: list[Alarm] = []
        for step in _steps(seen, notes, error_notes_by_step):
            state, more = watch_step(state, step, self._limits)
            alarms += more
        if notes:
            state = replace(state, note=notes[-1].id)
        last = seen[-1].sequence if seen else position
        interventions.put_watch(tx, team, task, last, state.as_json())
        raised = [
            intervention for alarm in alarms if (intervention := self._raised(tx, found, alarm))
        ]
        return raised, len(seen) == READ_AT_ONCE or len(notes) == READ_AT_ONCE

    def _raised(self, tx: Transaction, task: Task, alarm: Alarm) -> Intervention | None:
        now = self._clock.now()
        intervention = Intervention(
            team=task.team,
            id=self._ids.new(),
            workspace=task.workspace,
            task=task.id,
            signal=alarm.signal,
            cause=alarm.cause,
            reason=alarm.reason,
            metrics=measured(tx, task.team, task.id),
            raised_at=now,
            position=alarm.position,
        )
        if not interventions.put(tx, intervention):
            return None
        detail = {"signal": intervention.signal.value}
        journal.append(
            tx,
            intervention.team,
            journal.NewJournalEntry(now, "watch", "intervention", intervention.id, detail),
        )
        return intervention


def _steps(
    seen: Sequence[Observation],
    notes: Sequence[ErrorNote],
    error_notes_by_step: Mapping[str, ErrorNote],
) -> Iterator[WatchedStep]:
    """Yield steps, then errors that an earlier version recorded manually.

    ``error_notes_by_step``: notes by the ids of the errors that they concern.
    """
    for observation in seen:
        if observation.type in _STEPS and observation.branch == MAIN:
            yield _step(observation, error_notes_by_step.get(observation.id))
    for note in notes:
        record = record_of_note(note)
        yield WatchedStep(note.position, note.id, note.id[:NAME], record.signature, note.severity)


def _step(one: Observation, note: ErrorNote | None) -> WatchedStep:
    if one.type is not ObservationType.ERROR:
        return WatchedStep(one.sequence, one.id, one.ref, resolves=one.resolves)
    record = with_signature(with_note(without_signature(one, None, open=True), note))
    return WatchedStep(one.sequence, one.id, one.ref, record.signature, record.severity)
