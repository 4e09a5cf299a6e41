"""Archives and lessons of a team, and their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from contract.contract_lessons import KEY, archive, known, rule
from contract.records import Records
from memoranda.lessons import table as lessons
from memoranda.memories import count_table as memory_totals
from memoranda.memories.model import Memory
from memoranda.proposals import approval_table as approval_rules
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task

RULE = "01234567-0000-7000-8000-000000000003"

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "lessons.archive": lambda tx, team, h: lessons.archive(tx, team, h.task.id),
    "lessons.archives": lambda tx, team, h: lessons.archives(tx, team, [h.task.id]),
    "lessons.known_lesson": lambda tx, team, h: lessons.known_lesson(tx, team, h.workspace.id, KEY),
    "lessons.of_task": lambda tx, team, h: lessons.of_task(tx, team, h.task.id, 9),
    "lessons.taught": lambda tx, team, h: [*lessons.taught(tx, team, h.task.id)],
    "approval_rules.listed": lambda tx, team, h: approval_rules.listed(tx, team, limit=9),
    "memory_totals.totals": lambda tx, team, h: memory_totals.totals(tx, team, None, None),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "lessons.drop": lambda tx, team, h: lessons.drop(tx, team, [h.memory.id]),
    "lessons.drop_archives": lambda tx, team, h: lessons.drop_archives(tx, team, [h.task.id]),
    "lessons.reinforce": lambda tx, team, h: lessons.reinforce(
        tx, team, h.memory.id, 0.125, ["stranger"], 1
    ),
    "approval_rules.delete": lambda tx, team, h: approval_rules.delete(tx, team, RULE),
}

ADDS = frozenset({"approval_rules.put", "lessons.put", "lessons.put_archive"})
ELSEWHERE = frozenset({"approval_rules.by_prefix", "lessons.add_task", "lessons.undecided"})


def hold_lessons(tx: Transaction, records: Records, task: Task, memory: Memory) -> None:
    """Store an archive of a task, a lesson that it taught, and a rule."""
    lessons.put_archive(tx, archive(task, f"memory of {records.team}"))
    lessons.put(tx, known(task, memory.id))
    lessons.add_task(tx, records.team, task.workspace, KEY, task.id)
    approval_rules.put(tx, rule(records, id=RULE, created_by=f"human of {records.team}"))
