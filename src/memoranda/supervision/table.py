"""Rows of interventions, their notifications, and monitoring positions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from memoranda.json_data import JsonValue, dump_json
from memoranda.search.model import Ratings
from memoranda.store.database import RowType, Transaction, load_statements, row_of
from memoranda.supervision.model import (
    Intervention,
    InterventionOutcome,
    InterventionState,
    SupervisionSignal,
)

SQL = load_statements(__file__)

INTERVENTION = RowType(
    Intervention,
    signal=SupervisionSignal,
    metrics=json.loads,
    state=InterventionState,
    outcome=InterventionOutcome,
)

NEWEST = "~"


def put(tx: Transaction, one: Intervention) -> bool:
    """Insert an intervention; False if one exists for the same cause."""
    row = row_of(one, metrics=dump_json(dict(one.metrics)))
    return tx.execute(SQL["raise"], row) > 0


def by_id(tx: Transaction, team: str, id: str) -> Intervention | None:
    """Return one intervention."""
    row = tx.first(SQL["columns"] + SQL["by_id"], {"team": team, "id": id})
    return INTERVENTION(row) if row else None


def by_prefix(tx: Transaction, team: str, prefix: str) -> list[str]:
    """Return at most six ids that start with a prefix."""
    bindings = {"team": team, "low": prefix, "high": prefix + "~"}
    return [row[0] for row in tx.fetch(SQL["by_prefix"], bindings)]


def listed(
    tx: Transaction,
    team: str,
    workspace: str | None,
    task: str | None,
    state: InterventionState | None,
    *,
    before: str = NEWEST,
    limit: int,
) -> list[Intervention]:
    """Return interventions with an id below ``before``, newest first."""
    bindings = {
        "team": team,
        "workspace": workspace,
        "task": task,
        "state": state,
        "before_id": before,
        "limit": limit,
    }
    return [INTERVENTION(row) for row in tx.fetch(SQL["columns"] + SQL["listed"], bindings)]


def waiting(tx: Transaction, team: str, task: str) -> Intervention | None:
    """Return the newest intervention of a task that has no outcome yet."""
    row = tx.first(SQL["columns"] + SQL["waiting"], {"team": team, "task": task})
    return INTERVENTION(row) if row else None


def acknowledge(tx: Transaction, team: str, id: str) -> bool:
    """Record that a supervisor examines an intervention; False if not open."""
    return tx.execute(SQL["acknowledge"], {"team": team, "id": id}) > 0


def decide(tx: Transaction, one: Intervention) -> bool:
    """Store the outcome; return False if there is no such intervention."""
    row = row_of(one)
    return tx.execute(SQL["decide"], row) > 0


def put_context_memories(tx: Transaction, team: str, id: str, ids: Sequence[str]) -> None:
    """Store which memories were in the context of an intervention."""
    rows = [{"team": team, "intervention": id, "memory": memory} for memory in ids]
    tx.many(SQL["add_context_memory"], rows)


def memories(tx: Transaction, team: str, id: str) -> list[str]:
    """Return the memories that were in the context of an intervention."""
    return [row[0] for row in tx.fetch(SQL["memories"], {"team": team, "intervention": id})]


def record(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, Ratings]:
    """Return how often interventions with a memory helped or harmed."""
    rows = tx.fetch(SQL["record"], {"team": team, "ids": dump_json(list(ids))})
    return {row[0]: Ratings(int(row[1]), int(row[2])) for row in rows}


def unnotified(tx: Transaction, team: str, channel: str, *, limit: int) -> list[Intervention]:
    """Return open interventions not yet sent to a channel, oldest first."""
    bindings = {"team": team, "channel": channel, "limit": limit}
    return [INTERVENTION(row) for row in tx.fetch(SQL["columns"] + SQL["unnotified"], bindings)]


def mark_notified(
    tx: Transaction, team: str, channel: str, interventions: Sequence[Intervention], now: int
) -> None:
    """Mark interventions as sent to a channel. Idempotent."""
    rows = [
        {"team": team, "channel": channel, "intervention": intervention.id, "told_at": now}
        for intervention in interventions
    ]
    tx.many(SQL["mark_notified"], rows)


def watch(tx: Transaction, team: str, task: str) -> tuple[int, Mapping[str, JsonValue] | None]:
    """Return a task's last processed sequence number and detection state."""
    row = tx.first(SQL["watch"], {"team": team, "task": task})
    return (int(row[0]), json.loads(row[1])) if row else (0, None)


def put_watch(
    tx: Transaction, team: str, task: str, position: int, state: Mapping[str, JsonValue]
) -> None:
    """Store a task's last processed sequence number and detection state."""
    bindings = {"team": team, "task": task, "position": position, "state": dump_json(dict(state))}
    tx.execute(SQL["put_watch"], bindings)
