"""Feedback and suggestions of a team; their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_feedback import answer, feedback_of
from contract.records import Records
from memoranda.feedback import suggestion_table as suggestions, table as feedback
from memoranda.feedback.model import EffectTarget, FeedbackEffect, FeedbackState
from memoranda.feedback.table import FeedbackFilter
from memoranda.memories import table as memories
from memoranda.observations.model import Observation
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task

ID = "01234567-0000-7000-8000-000000000011"
SUGGESTION = "01234567-0000-7000-8000-000000000012"

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "feedback.by_id": lambda tx, team, h: feedback.by_id(tx, team, ID),
    "feedback.effects": lambda tx, team, h: feedback.effects(tx, team, ID),
    "feedback.scanned_until": lambda tx, team, h: feedback.scanned_until(tx, team, h.task.id),
    "feedback.listed": lambda tx, team, h: feedback.listed(tx, team, FeedbackFilter(), limit=9),
    "suggestions.answers": lambda tx, team, h: suggestions.answers(
        tx, team, h.workspace.id, limit=9
    ),
    "suggestions.listed": lambda tx, team, h: suggestions.listed(tx, team, None, limit=9),
    "suggestions.of_suggestion": lambda tx, team, h: suggestions.of_suggestion(
        tx, team, SUGGESTION, limit=9
    ),
    "suggestions.rule": lambda tx, team, h: suggestions.rule(tx, team, SUGGESTION),
}


def _settled(tx: Transaction, team: str, h: Any) -> bool:
    read = feedback_of(Records(team), id=ID)
    return feedback.settle(tx, read, replace(read, state=FeedbackState.PROCESSED))


WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "feedback.limit_pending": lambda tx, team, h: feedback.limit_pending(
        tx, team, h.workspace.id, h.task.id
    ),
    "feedback.settle": _settled,
    "memories.reinforce": lambda tx, team, h: memories.reinforce(tx, team, h.memory.id, START),
    "suggestions.drop_unanswered": lambda tx, team, h: suggestions.drop_unanswered(tx, team),
    "suggestions.retract": lambda tx, team, h: suggestions.retract(tx, team, ID),
    "suggestions.set_rule": lambda tx, team, h: suggestions.set_rule(tx, team, SUGGESTION, "x"),
}

ADDS = frozenset(
    {
        "feedback.add_effects",
        "feedback.set_scanned",
        "feedback.put",
        "suggestions.answer",
        "suggestions.put",
    }
)
ELSEWHERE = frozenset(
    {"feedback.pending_count", "feedback.pending_about", "feedback.by_prefix", "feedback.waiting"}
)


def hold_feedback(tx: Transaction, records: Records, task: Task, seen: Observation) -> None:
    """Store feedback with an effect, and a suggestion that it answers."""
    team = records.team
    text = f"of {team}"
    entry = feedback_of(
        records,
        id=ID,
        workspace=task.workspace,
        task=task.id,
        observation=seen.id,
        text=text,
        about=text,
    )
    feedback.put(tx, entry)
    feedback.add_effects(tx, team, ID, [FeedbackEffect(1, EffectTarget.MEMORY, "m", text)])
    feedback.set_scanned(tx, team, task.id, 1)
    suggestions.put(tx, team, SUGGESTION, task.workspace, START)
    suggestions.answer(tx, team, answer(SUGGESTION, entry), START)
    suggestions.set_rule(tx, team, SUGGESTION, text)
