"""A stored answer of a team, and its functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from contract.clock import START
from memoranda.idempotency import table as kept_answers
from memoranda.idempotency.model import IdempotencyRecord
from memoranda.store.database import Transaction

CALLER, KEY = "ada", "first"

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "kept_answers.of": lambda tx, team, h: kept_answers.of(tx, team, CALLER, KEY),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "kept_answers.finish": lambda tx, team, h: kept_answers.finish(
        tx, team, CALLER, "begun", 200, "{}"
    ),
    "kept_answers.release": lambda tx, team, h: kept_answers.release(tx, team, CALLER, "begun"),
    "kept_answers.drop_before": lambda tx, team, h: kept_answers.drop_before(tx, team, START + 1),
    "kept_answers.clear": lambda tx, team, h: kept_answers.clear(tx, team),
}

ADDS = frozenset({"kept_answers.reserve"})


def begun(team: str, key: str = KEY) -> IdempotencyRecord:
    """Make a request in progress."""
    return IdempotencyRecord(team, CALLER, key, f"hash of {team}", None, None, START)


def hold_answer(tx: Transaction, team: str) -> None:
    """Store an answer, and a request in progress."""
    for key in (KEY, "begun"):
        kept_answers.reserve(tx, begun(team, key))
    kept_answers.finish(tx, team, CALLER, KEY, 201, f'"{team}"')
