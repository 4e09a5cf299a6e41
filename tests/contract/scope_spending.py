"""Model calls of a team, and their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from contract.clock import START
from contract.contract_model_calls import MONTH, plant_call
from contract.records import Records
from memoranda.costs import answer_table as model_answers, table as model_calls
from memoranda.model_request import TokenUsage
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task

CALL = "a call"

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "model_answers.find": lambda tx, team, h: model_answers.find(tx, team, h.task.id, "kept"),
    "model_calls.spent": lambda tx, team, h: model_calls.spent(tx, team, "agent"),
    "model_calls.total": lambda tx, team, h: model_calls.total(tx, team, MONTH),
    "model_calls.settled": lambda tx, team, h: model_calls.settled(tx, team, MONTH),
    "model_calls.day_total": lambda tx, team, h: model_calls.day_total(tx, team, "listed", 0),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "model_answers.release": lambda tx, team, h: model_answers.release(
        tx, team, h.task.id, "awaited"
    ),
    "model_answers.put": lambda tx, team, h: model_answers.put(
        tx, team, h.task.id, "awaited", "{}"
    ),
    "model_calls.refuse": lambda tx, team, h: model_calls.refuse(tx, team, MONTH, 1, 5),
    "model_calls.release": lambda tx, team, h: model_calls.release(tx, team, CALL),
    "model_calls.settle": lambda tx, team, h: model_calls.settle(
        tx, team, CALL, TokenUsage(0, 0), 0
    ),
}

ADDS = frozenset(
    {
        "model_answers.expect",
        "model_calls.alert",
        "model_calls.insert",
        "model_calls.set_budget",
    }
)
ELSEWHERE = frozenset({"model_calls.budget"})


def hold_calls(tx: Transaction, records: Records, task: Task) -> None:
    """Store running and ended calls, a budget, an answer and an awaited one."""
    team = records.team
    plant_call(tx, records, id=CALL, agent=f"of {team}")
    over = plant_call(tx, records, agent=f"of {team}")
    model_calls.settle(tx, team, over.id, TokenUsage(1, 1), 5)
    model_calls.set_budget(tx, team, 5, None)
    model_calls.alert(tx, team, MONTH)
    for digest in ("kept", "awaited"):
        model_answers.expect(tx, team, task.id, digest, START)
    model_answers.put(tx, team, task.id, "kept", f"of {team}")
