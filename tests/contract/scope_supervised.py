"""Reported errors and interventions; their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_supervision import error_note, intervention
from contract.records import Records
from memoranda.errors import (
    note_table as error_notes,
    recovery_step_table as recoveries,
    table as failures,
)
from memoranda.memories import table as memories
from memoranda.memories.model import Memory
from memoranda.observations import backlink_table as backlinks
from memoranda.observations.model import Observation, ObservationType
from memoranda.search import rating_table as ratings
from memoranda.store.database import Transaction
from memoranda.supervision import table as interventions
from memoranda.supervision.model import InterventionOutcome
from memoranda.tasks.model import Task
from memoranda.tools import call_table as calls

NOTE = "01234567-0000-7000-8000-000000000011"
ABOUT = "01234567-0000-7000-8000-000000000012"
BARE = "01234567-0000-7000-8000-000000000013"
RAISED = "01234567-0000-7000-8000-000000000014"
FAILED = "01234567-0000-7000-8000-000000000015"
MENDED = "01234567-0000-7000-8000-000000000016"
DECIDED = "01234567-0000-7000-8000-000000000010"

_N, _I = error_notes, interventions

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "error_notes.by_id": lambda tx, team, h: _N.by_id(tx, team, NOTE),
    "error_notes.by_observations": lambda tx, team, h: _N.by_observations(tx, team, [h.seen.id]),
    "error_notes.by_prefix": lambda tx, team, h: _N.by_prefix(tx, team, NOTE[:36]),
    "error_notes.listed": lambda tx, team, h: _N.listed(tx, team, None, None, limit=9),
    "error_notes.since": lambda tx, team, h: _N.since(tx, team, h.task.id, "", limit=9),
    "error_notes.still_open": lambda tx, team, h: _N.still_open(tx, team, h.task.id, limit=9),
    "error_notes.within": lambda tx, team, h: _N.within(
        tx, team, h.workspace.id, None, span=(None, None), limit=9
    ),
    "calls.newest": lambda tx, team, h: calls.newest(tx, team, None, limit=9),
    "failures.newest": lambda tx, team, h: list(failures.newest(tx, team, None, limit=9)),
    "failures.by_ids": lambda tx, team, h: failures.by_ids(tx, team, [FAILED]),
    "failures.ended": lambda tx, team, h: failures.ended(tx, team, [FAILED]),
    "failures.still_open": lambda tx, team, h: failures.still_open(tx, team, [h.seen.id]),
    "failures.by_day": lambda tx, team, h: failures.by_day(tx, team, None),
    "interventions.by_id": lambda tx, team, h: _I.by_id(tx, team, RAISED),
    "interventions.by_prefix": lambda tx, team, h: _I.by_prefix(tx, team, RAISED[:36]),
    "interventions.listed": lambda tx, team, h: _I.listed(tx, team, None, None, None, limit=9),
    "interventions.memories": lambda tx, team, h: _I.memories(tx, team, RAISED),
    "interventions.record": lambda tx, team, h: _I.record(tx, team, [h.memory.id]),
    "interventions.unnotified": lambda tx, team, h: _I.unnotified(tx, team, "mail", limit=9),
    "interventions.waiting": lambda tx, team, h: _I.waiting(tx, team, h.task.id),
    "recoveries.between": lambda tx, team, h: recoveries.between(
        tx, team, [MENDED], within=9, limit=9
    ),
    "backlinks.ended": lambda tx, team, h: backlinks.ended(tx, team, [FAILED]),
    "backlinks.resting": lambda tx, team, h: backlinks.resting(tx, team, [h.seen.id], limit=9),
    "backlinks.errors": lambda tx, team, h: backlinks.errors(tx, team, [h.task.id]),
    "memories.resting_on": lambda tx, team, h: memories.resting_on(tx, team, [h.seen.id]),
    "memories.sources": lambda tx, team, h: memories.sources(tx, team, [h.memory.id]),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "error_notes.delete": lambda tx, team, h: _N.delete(tx, team, [NOTE]),
    "error_notes.end_captured": lambda tx, team, h: _N.end_captured(tx, team, h.seen.id),
    "interventions.acknowledge": lambda tx, team, h: _I.acknowledge(tx, team, RAISED),
    "interventions.decide": lambda tx, team, h: _I.decide(
        tx,
        intervention(Records(team), h.task, id=RAISED, team=team, outcome=InterventionOutcome.HURT),
    ),
    "ratings.take_back": lambda tx, team, h: ratings.take_back(
        tx, team, h.seen.id, useful=True, now=START
    ),
}

ADDS = frozenset(
    {
        "error_notes.put",
        "interventions.put",
        "interventions.put_watch",
        "interventions.mark_notified",
        "interventions.put_context_memories",
    }
)
ELSEWHERE = frozenset(
    {
        "failures.failed_again",
        "interventions.watch",
        "observations.ended",
        "recoveries.before_failures",
        "recoveries.next_failures",
    }
)


def hold_supervised(
    tx: Transaction, records: Records, task: Task, seen: Observation, memory: Memory
) -> None:
    """Store reported and resolved errors, an intervention, notifications."""
    of = f"of {records.team}"
    for sequence, (type, more) in enumerate(
        (
            (ObservationType.ERROR, {"id": FAILED}),
            (ObservationType.TOOL_CALL, {}),
            (ObservationType.FIX, {"id": MENDED, "resolves": FAILED}),
        ),
        start=11,
    ):
        records.plant(tx, task, sequence, f"step {of}", type=type, **more)
    error_notes.put(tx, error_note(records, task, id=NOTE, description=of))
    error_notes.put(tx, error_note(records, task, id=ABOUT, description=of, observation=seen.id))
    bare = replace(error_note(records, task, id=BARE, description=of), task=None)
    error_notes.put(tx, bare)
    raised = intervention(records, task, id=RAISED, reason=of)
    interventions.put(tx, raised)
    interventions.put_context_memories(tx, records.team, RAISED, [memory.id])
    interventions.mark_notified(tx, records.team, f"page {of}", [raised], START)
    interventions.put_watch(tx, records.team, task.id, 2, {"of": records.team})
    done = intervention(
        records, task, id=DECIDED, cause="other", outcome=InterventionOutcome.HELPED
    )
    interventions.put(tx, done)
    interventions.decide(tx, done)
    interventions.put_context_memories(tx, records.team, DECIDED, [memory.id])
