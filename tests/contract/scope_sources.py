"""An agent's events from hooks, and their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from contract.records import Records
from memoranda.capture.event import EventSource
from memoranda.memories import table as memories
from memoranda.observations import (
    blob_table as blobs,
    table as observations,
    total_table as observation_totals,
)
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import ObservationType, Origin
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task

Call = Callable[[Transaction, str, Any], Any]

READS: Mapping[str, Call] = {
    "memories.ids_after": lambda tx, team, h: memories.ids_after(tx, team, "", 9),
    "observations.has_hook_events": lambda tx, team, h: observations.has_hook_events(
        tx, team, h.task.id
    ),
    "observations.ids_after": lambda tx, team, h: observations.ids_after(tx, team, "", 9),
    "observation_totals.tokens_in": lambda tx, team, h: observation_totals.tokens_in(
        tx, team, None
    ),
    "observations.closing_messages": lambda tx, team, h: observations.closing_messages(
        tx, team, h.task.id, 9
    ),
    "observations.last_messages": lambda tx, team, h: observations.last_messages(
        tx, team, h.task.id
    ),
    "observations.namesakes": lambda tx, team, h: observations.namesakes(
        tx, team, f"key-{h.seen.id}"
    ),
    "observations.has_content_at": lambda tx, team, h: observations.has_content_at(
        tx, team, h.seen.content_hash, h.seen.created_at
    ),
}


def hold_message(tx: Transaction, records: Records, task: Task) -> None:
    """Store a message and a call of a task's agent, as hooks report them."""
    text = f"said in {records.team}"
    made = records.observation(
        task, 3, text, type=ObservationType.MESSAGE, origin=Origin.AGENT, tool=None
    )
    blobs.insert(tx, records.team, [Blob.of(text)])
    call = records.observation(task, 40, f"called in {records.team}")
    blobs.insert(tx, records.team, [Blob.of(f"called in {records.team}")])
    observations.insert(tx, [replace(one, source=EventSource.HOOK) for one in (made, call)])
