"""Rows of checkpoints and of the recorded state of each task."""

from __future__ import annotations

import json
from collections.abc import Mapping

from memoranda.checkpoints.model import (
    Checkpoint,
    CheckpointBlock,
    Effort,
    EffortTotal,
    Snapshot,
    TaskPhase,
    TaskState,
)
from memoranda.json_data import JsonValue, dump_json
from memoranda.observations import blob_table as blobs
from memoranda.observations.blob_table import Blob
from memoranda.store.database import Row, RowType, Transaction, load_statements, row_of

SQL = load_statements(__file__)

CHECKPOINT = RowType(Checkpoint, phase=TaskPhase)

NEWEST = 1 << 62
NOTHING: Mapping[str, JsonValue] = {}


def insert(tx: Transaction, snapshot: Snapshot) -> Checkpoint:
    """Add a checkpoint; return it with its assigned number within the task."""
    checkpoint = snapshot.checkpoint
    digest = _put_state(tx, checkpoint.team, snapshot.state)
    row = row_of(checkpoint, state_hash=digest, **row_of(checkpoint.effort))
    tx.execute(SQL["insert"], row)
    tx.many(SQL["insert_block"], [_block_row(checkpoint, saved) for saved in snapshot.blocks])
    added = by_id(tx, checkpoint.team, checkpoint.id)
    assert added is not None
    return added


def by_id(tx: Transaction, team: str, id: str) -> Checkpoint | None:
    """Return one checkpoint."""
    row = tx.first(SQL["columns"] + SQL["by_id"], {"team": team, "id": id})
    return _checkpoint(row) if row else None


def by_prefix(tx: Transaction, team: str, task: str, prefix: str) -> list[Checkpoint]:
    """Return checkpoints of a task whose ids start with a prefix.

    At most two checkpoints are returned.
    """
    bounds = {"team": team, "task": task, "low": prefix, "high": prefix + "~"}
    return [_checkpoint(row) for row in tx.fetch(SQL["columns"] + SQL["by_prefix"], bounds)]


def by_sequence(tx: Transaction, team: str, task: str, sequence: int) -> Checkpoint | None:
    """Return a checkpoint of a task by its number."""
    bindings = {"team": team, "task": task, "sequence": sequence}
    row = tx.first(SQL["columns"] + SQL["by_sequence"], bindings)
    return _checkpoint(row) if row else None


def listed(
    tx: Transaction, team: str, task: str, *, before: int = NEWEST, limit: int
) -> list[Checkpoint]:
    """Return the checkpoints of a task before a number, newest first."""
    bindings = {"team": team, "task": task, "before": before, "limit": limit}
    return [_checkpoint(row) for row in tx.fetch(SQL["columns"] + SQL["listed"], bindings)]


def parents(tx: Transaction, team: str, task: str) -> dict[str, str | None]:
    """Return the parent of each checkpoint of a task."""
    return dict(tx.fetch(SQL["parents"], {"team": team, "task": task}))


def snapshot(tx: Transaction, team: str, id: str) -> Snapshot | None:
    """Return a checkpoint with its state and blocks."""
    row = tx.first(SQL["columns"] + SQL["by_id"], {"team": team, "id": id})
    if row is None:
        return None
    block_rows = tx.fetch(SQL["blocks"], {"team": team, "checkpoint": id})
    state = json.loads(blobs.content(tx, team, row[-1]))
    blocks = tuple(CheckpointBlock(*block_row) for block_row in block_rows)
    return Snapshot(_checkpoint(row), state, blocks)


def state(tx: Transaction, team: str, task: str) -> TaskState:
    """Return a task's recorded state, initially empty."""
    row = tx.first(SQL["state"], {"team": team, "task": task})
    if row is None:
        return TaskState(None, NOTHING)
    head, digest, updated_at = row
    return TaskState(head, json.loads(blobs.content(tx, team, digest)), updated_at)


def put_state(tx: Transaction, team: str, task: str, state: TaskState) -> None:
    """Store a task's state and the end of its main line."""
    row = {"team": team, "task": task, "head": state.head, "now": state.updated_at}
    tx.execute(SQL["put_state"], row | {"state_hash": _put_state(tx, team, state.state)})


def spent(
    tx: Transaction, team: str, by: str, *, workspace: str | None, task: str | None
) -> list[EffortTotal]:
    """Return the total effort ``by`` phase, task or agent.

    The checkpoints of a task, a workspace or the team are counted.
    """
    rows = tx.fetch(SQL[f"by_{by}"], {"team": team, "workspace": workspace, "task": task})
    return [EffortTotal(row[0], int(row[1]), Effort(*map(int, row[2:]))) for row in rows]


def _checkpoint(row: Row) -> Checkpoint:
    """Return the checkpoint in a row, whose last column is the hash of its state."""
    return CHECKPOINT((*row[:8], Effort(*row[8:11]), *row[11:13]))


def _put_state(tx: Transaction, team: str, state: Mapping[str, JsonValue]) -> str:
    blob = Blob.of(dump_json(dict(state)))
    blobs.insert(tx, team, [blob])
    return blob.hash


def _block_row(made: Checkpoint, saved: CheckpointBlock) -> dict[str, object]:
    return {
        "team": made.team,
        "checkpoint": made.id,
        "block": saved.block,
        "version": saved.version,
        "size_limit": saved.limit,
    }
