"""Table of task archives, and of the lessons that a workspace has learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from memoranda.json_data import dump_json
from memoranda.lessons.model import KnownLesson, TaskArchive
from memoranda.memories import table as memories
from memoranda.store.database import Transaction, load_statements
from memoranda.tasks.model import TaskStatus

SQL = load_statements(__file__)


def put_archive(tx: Transaction, archive: TaskArchive) -> None:
    """Record which memory archives the approach of a task."""
    tx.execute(SQL["put_archive"], asdict(archive))


def archive(tx: Transaction, team: str, task: str) -> TaskArchive | None:
    """Return the record of the archived approach of a task."""
    row = tx.first(SQL["archive"], {"team": team, "task": task})
    if row is None:
        return None
    team, task, memory, position, status, written_at = row
    return TaskArchive(team, task, memory, position, TaskStatus(status), written_at)


def archives(tx: Transaction, team: str, tasks: Sequence[str]) -> list[str]:
    """Return the memories that archive the given tasks or contain their notes."""
    bindings = {"team": team, "tasks": dump_json(list(tasks))}
    return [row[0] for row in tx.fetch(SQL["archives"], bindings)]


def drop_archives(tx: Transaction, team: str, tasks: Sequence[str]) -> int:
    """Delete the records of archived tasks, so that they are archived again.

    The caller must delete the memories.
    """
    return tx.execute(SQL["drop_archives"], {"team": team, "tasks": dump_json(list(tasks))})


def put(tx: Transaction, lesson: KnownLesson) -> None:
    """Record a lesson that a workspace has learned."""
    tx.execute(SQL["put"], asdict(lesson))


def known_lesson(tx: Transaction, team: str, workspace: str, key: str) -> KnownLesson | None:
    """Return the record of a lesson."""
    row = tx.first(SQL["known"], {"team": team, "workspace": workspace, "key": key})
    return KnownLesson(*row) if row else None


def add_task(tx: Transaction, team: str, workspace: str, key: str, task: str) -> bool:
    """Record that a task yielded a known lesson; False if already recorded."""
    row = {"team": team, "workspace": workspace, "key": key, "task": task}
    return tx.execute(SQL["see"], row) > 0


def reinforce(
    tx: Transaction, team: str, memory: str, confidence: float, evidence: Sequence[str], now: int
) -> None:
    """Raise a memory's confidence and add observations as evidence."""
    changed = {"team": team, "memory": memory, "confidence": confidence, "updated_at": now}
    if tx.execute(SQL["reinforce"], changed):
        memories.add_evidence(tx, team, memory, evidence)


def taught(tx: Transaction, team: str, task: str) -> set[str]:
    """Return the keys of the lessons that a task yielded."""
    return {row[0] for row in tx.fetch(SQL["taught"], {"team": team, "task": task})}


def of_task(tx: Transaction, team: str, task: str, limit: int) -> list[str]:
    """Return the memories of the lessons that a task yielded, oldest first."""
    rows = tx.fetch(SQL["of_task"], {"team": team, "task": task, "limit": limit})
    return [row[0] for row in rows]


def undecided(tx: Transaction, team: str, observations: Sequence[str]) -> list[str]:
    """Return undecided lesson memories based on the given observations."""
    bindings = {"team": team, "observations": dump_json(list(observations))}
    return [row[0] for row in tx.fetch(SQL["undecided"], bindings)]


def drop(tx: Transaction, team: str, ids: Sequence[str]) -> int:
    """Delete the records of lessons by their memories."""
    return tx.execute(SQL["drop"], {"team": team, "memories": dump_json(list(ids))})
