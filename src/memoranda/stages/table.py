"""Rows of stages, and the processing position in each task."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from memoranda.json_data import JsonValue, dump_json
from memoranda.stages.model import Stage, StageName, StageSource
from memoranda.store.database import RowType, Transaction, load_statements, row_of

SQL = load_statements(__file__)

STAGE = RowType(Stage, name=StageName, source=StageSource, confidence=float)


def put(tx: Transaction, stage: Stage) -> None:
    """Store a stage, replacing any stage with the same number."""
    row = row_of(stage)
    tx.execute(SQL["put"], row)


def label(tx: Transaction, team: str, task: str, span: tuple[int, int], name: StageName) -> None:
    """Set the stage of a task's observations in a range of numbers."""
    bindings = {"team": team, "task": task, "first": span[0], "last": span[1], "stage": name}
    tx.execute(SQL["label"], bindings)


def labelled(
    tx: Transaction, team: str, task: str, names: Sequence[str], *, limit: int
) -> list[str]:
    """Return ids of a task's observations in some stages, newest first."""
    bindings = {"team": team, "task": task, "stages": dump_json(list(names)), "limit": limit}
    return [row[0] for row in tx.fetch(SQL["labelled"], bindings)]


def listed(tx: Transaction, team: str, task: str, *, after: int = 0, limit: int) -> list[Stage]:
    """Return a task's stages with a number above ``after``, in order."""
    bindings = {"team": team, "task": task, "after": after, "limit": limit}
    return [STAGE(row) for row in tx.fetch(SQL["columns"] + SQL["listed"], bindings)]


def by_number(tx: Transaction, team: str, task: str, number: int) -> Stage | None:
    """Return one stage."""
    bindings = {"team": team, "task": task, "number": number}
    row = tx.first(SQL["columns"] + SQL["by_number"], bindings)
    return STAGE(row) if row else None


def newest(tx: Transaction, team: str, task: str) -> Stage | None:
    """Return the current or last stage of a task."""
    row = tx.first(SQL["columns"] + SQL["newest"], {"team": team, "task": task})
    return STAGE(row) if row else None


def extent(tx: Transaction, team: str, task: str, first: int, last: int) -> tuple[int, int]:
    """Return the number and tokens of a task's observations in a range."""
    bindings = {"team": team, "task": task, "first": first, "last": last}
    count, tokens = tx.first(SQL["extent"], bindings) or (0, 0)
    return int(count), int(tokens)


def tracking(tx: Transaction, team: str, task: str) -> tuple[int, Mapping[str, JsonValue] | None]:
    """Return the last processed sequence number, and the state.

    The state is needed to process the next observation.
    """
    row = tx.first(SQL["tracking"], {"team": team, "task": task})
    return (int(row[0]), json.loads(row[1])) if row else (0, None)


def put_tracking(
    tx: Transaction, team: str, task: str, position: int, state: Mapping[str, JsonValue]
) -> None:
    """Store the processing position and the state for a task."""
    bindings = {"team": team, "task": task, "position": position, "state": dump_json(dict(state))}
    tx.execute(SQL["put_tracking"], bindings)
