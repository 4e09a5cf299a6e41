"""Stages and summaries of a team, and their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from contract.contract_stages import compression, stage
from memoranda.compression import table as compressions
from memoranda.stages import table as stages
from memoranda.stages.model import StageName
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "compressions.listed": lambda tx, team, h: compressions.listed(tx, team, h.task.id),
    "compressions.of": lambda tx, team, h: compressions.of(tx, team, h.task.id, 1),
    "compressions.token_debt": lambda tx, team, h: compressions.token_debt(
        tx, team, h.task.id, 2, 10.0
    ),
    "compressions.recent": lambda tx, team, h: compressions.recent(tx, team, None, limit=9),
    "compressions.sizes": lambda tx, team, h: compressions.sizes(tx, team, h.task.id),
    "compressions.of_stages": lambda tx, team, h: compressions.of_stages(tx, team, h.task.id, [1]),
    "stages.by_number": lambda tx, team, h: stages.by_number(tx, team, h.task.id, 1),
    "stages.labelled": lambda tx, team, h: stages.labelled(
        tx, team, h.task.id, [StageName.EXECUTION], limit=9
    ),
    "stages.listed": lambda tx, team, h: stages.listed(tx, team, h.task.id, limit=9),
    "stages.newest": lambda tx, team, h: stages.newest(tx, team, h.task.id),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "compressions.drop": lambda tx, team, h: compressions.drop(tx, team, [h.task.id]),
    "stages.label": lambda tx, team, h: stages.label(
        tx, team, h.task.id, (1, 99), StageName.REFLECTION
    ),
}

ADDS = frozenset({"compressions.put", "stages.put", "stages.put_tracking"})
ELSEWHERE = frozenset(
    {
        "compressions.agreement",
        "compressions.summarised_extents",
        "stages.extent",
        "stages.tracking",
    }
)


def hold_stages(tx: Transaction, task: Task) -> None:
    """Store a stage of a task with its summary."""
    stages.label(tx, task.team, task.id, (1, 1), StageName.EXECUTION)
    stages.put(tx, stage(task, reason=f"of {task.team}"))
    stages.put_tracking(tx, task.team, task.id, 1, {"of": task.team})
    compressions.put(tx, compression(task, 1))
