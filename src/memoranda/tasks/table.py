"""Rows of tasks.

A task also assigns the sequence numbers of its observations, within the write transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from memoranda.json_data import dump_json
from memoranda.store.database import Row, Transaction, load_statements
from memoranda.tasks.model import NAMED_BY_CALLER, Task, TaskStatus, own_name

SQL = load_statements(__file__)

NEWEST = (1 << 62, "~")
"""The (time, id) pair that precedes every task in a list."""


def _task(row: Row) -> Task:
    team, id, number, workspace, agent, goal, status, *rest = row
    task = Task(team, id, number, workspace, agent, goal, TaskStatus(status), *rest)
    return replace(task, name=own_name(task.host, task.session))


def by_id(tx: Transaction, team: str, id: str) -> Task | None:
    """Return one task."""
    row = tx.first(SQL["by_id"], {"team": team, "id": id})
    return _task(row) if row else None


def by_session(tx: Transaction, team: str, host: str, session: str) -> Task | None:
    """Return the task of a host's session."""
    row = tx.first(SQL["by_session"], {"team": team, "host": host, "session": session})
    return _task(row) if row else None


def sessions(tx: Transaction, team: str, host: str, ids: Sequence[str]) -> set[str]:
    """Return which sessions of a host have a task."""
    bindings = {"team": team, "host": host, "sessions": dump_json(list(ids))}
    return {row[0] for row in tx.fetch(SQL["sessions"], bindings)}


def first_start(tx: Transaction, team: str, host: str) -> int | None:
    """Return the start of a host's first stored session, or None."""
    row = tx.first(SQL["first_start"], {"team": team, "host": host})
    return row[0] if row else None


def of_session(tx: Transaction, team: str, session: str) -> list[Task]:
    """Return the tasks with a session id, from any host."""
    return [_task(row) for row in tx.fetch(SQL["of_session"], {"team": team, "session": session})]


def named(tx: Transaction, team: str, name: str) -> list[Task]:
    """Return the tasks named by a caller, with or without ``@workspace``."""
    # "A" is the character after "@" in code point order.
    bounds = {"host": NAMED_BY_CALLER, "name": name, "low": f"{name}@", "high": f"{name}A"}
    return [_task(row) for row in tx.fetch(SQL["named"], {"team": team, **bounds})]


def by_number(tx: Transaction, team: str, number: int) -> Task | None:
    """Return one task by its number."""
    row = tx.first(SQL["by_number"], {"team": team, "number": number})
    return _task(row) if row else None


def by_prefix(tx: Transaction, team: str, prefix: str) -> list[Task]:
    """Return at most six tasks whose ids start with a prefix."""
    bounds = {"team": team, "low": prefix, "high": prefix + "~"}
    return [_task(row) for row in tx.fetch(SQL["by_prefix"], bounds)]


def listed(
    tx: Transaction,
    team: str,
    *,
    workspace: str | None = None,
    status: TaskStatus | None = None,
    before: tuple[int, str] = NEWEST,
    limit: int = 50,
) -> list[Task]:
    """Return tasks by the time of their last event, newest first.

    Only tasks before the (time, id) pair ``before`` are returned.
    """
    rows = tx.fetch(
        SQL[_listing(workspace, status)],
        {
            "team": team,
            "workspace": workspace,
            "status": status,
            "before_at": before[0],
            "before_id": before[1],
            "limit": limit,
        },
    )
    return [_task(row) for row in rows]


def insert(tx: Transaction, task: Task) -> Task:
    """Insert a task; return it with its assigned number."""
    tx.execute(SQL["insert"], _row(task))
    added = by_id(tx, task.team, task.id)
    assert added is not None
    return added


def update(tx: Transaction, task: Task) -> None:
    """Store the mutable fields of a task.

    These are goal, status, times, observations and tokens.
    """
    tx.execute(SQL["update"], _row(task))


def delete(tx: Transaction, team: str, id: str) -> None:
    """Delete a task whose observations were deleted."""
    tx.execute(SQL["delete"], {"team": team, "id": id})


def contents(tx: Transaction, team: str, id: str) -> list[str]:
    """Return hashes of a task's contents, except those of its observations."""
    return [row[0] for row in tx.fetch(SQL["contents"], {"team": team, "task": id})]


def count(tx: Transaction, team: str, workspace: str | None) -> int:
    """Return how many tasks there are."""
    row = tx.first(SQL["count"], {"team": team, "workspace": workspace})
    return int(row[0]) if row else 0


def goals(tx: Transaction, team: str, ids: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """Return task, goal, id and summary of people's messages with these ids."""
    rows = tx.fetch(SQL["goals"], {"team": team, "ids": dump_json(list(ids))})
    return [(task, goal, id, summary) for task, goal, id, summary in rows]


def restate(tx: Transaction, team: str, id: str, *, lost: bool = True) -> None:
    """Recompute a task's tokens, and its goal if that message was deleted.

    The goal is then the first remaining message by a person.
    """
    tx.execute(SQL["restate"], {"team": team, "id": id, "lost": int(lost)})


def captured(tx: Transaction, team: str, workspace: str | None, task: str | None) -> int:
    """Return the tokens of all captures in a workspace or task."""
    bindings = {"team": team, "workspace": workspace, "task": task}
    row = tx.first(SQL["captured_in" if task else "captured"], bindings)
    return int(row[0]) if row else 0


class TaskSteps(NamedTuple):
    """Kinds of steps that a task contains."""

    worked: bool
    """Whether a tool was used for more than exploration."""
    acted: bool
    """Whether an agent used any tool or wrote a message."""
    commanded: bool
    """Whether a host wrote a message, such as the answer to a command."""


def kinds_of_steps(tx: Transaction, team: str, ids: Collection[str]) -> dict[str, TaskSteps]:
    """Return the kinds of steps of tasks by id; omit empty tasks."""
    rows = tx.fetch(SQL["kinds_of_steps"], {"team": team, "tasks": dump_json([*ids])})
    return {id: TaskSteps(*map(bool, kinds)) for id, *kinds in rows}


def _listing(workspace: str | None, status: TaskStatus | None) -> str:
    """Return the name of the statement that lists tasks without reading all."""
    if workspace is None:
        return "list"
    return "list_completed" if status is TaskStatus.COMPLETED else "list_in"


def _row(task: Task) -> dict[str, object]:
    return {name: getattr(task, name) for name in task.__slots__ if name != "name"}
