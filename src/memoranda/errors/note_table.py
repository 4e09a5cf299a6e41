"""Table of error notes: reported errors, and notes about captured ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from memoranda.errors.model import ErrorNote, ErrorType
from memoranda.json_data import dump_json
from memoranda.store.database import RowType, Transaction, load_statements

SQL = load_statements(__file__)

NOTE = RowType(ErrorNote, type=ErrorType)

NEWEST = "~"


def put(tx: Transaction, note: ErrorNote) -> None:
    """Insert a note, or replace the note with the same id."""
    tx.execute(SQL["put"], asdict(note))


def by_id(tx: Transaction, team: str, id: str) -> ErrorNote | None:
    """Return one note."""
    row = tx.first(SQL["columns"] + SQL["by_id"], {"team": team, "id": id})
    return NOTE(row) if row else None


def by_observations(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, ErrorNote]:
    """Return the notes about captured errors, by the errors' ids."""
    bindings = {"team": team, "ids": dump_json(list(ids))}
    rows = tx.fetch(SQL["columns"] + SQL["by_observations"], bindings)
    return {str(note.observation): note for note in map(NOTE, rows)}


def by_prefix(tx: Transaction, team: str, prefix: str) -> list[str]:
    """Return at most six ids that start with the given prefix."""
    bindings = {"team": team, "low": prefix, "high": prefix + "~"}
    return [row[0] for row in tx.fetch(SQL["by_prefix"], bindings)]


def listed(
    tx: Transaction,
    team: str,
    workspace: str | None,
    task: str | None,
    *,
    before: str = NEWEST,
    limit: int,
) -> list[ErrorNote]:
    """Return reported errors that were not captured, newest first.

    Only notes with an id below ``before`` are returned.
    """
    bindings = {"team": team, "workspace": workspace, "task": task}
    rows = tx.fetch(
        SQL["columns"] + SQL["listed"], bindings | {"before_id": before, "limit": limit}
    )
    return [NOTE(row) for row in rows]


def since(tx: Transaction, team: str, task: str, after: str, *, limit: int) -> list[ErrorNote]:
    """Return the reported errors of a task after a note, oldest first."""
    bindings = {"team": team, "task": task, "after": after, "limit": limit}
    return [NOTE(row) for row in tx.fetch(SQL["columns"] + SQL["since"], bindings)]


def still_open(tx: Transaction, team: str, task: str, *, limit: int) -> list[ErrorNote]:
    """Return the open reported errors of a task, newest first."""
    bindings = {"team": team, "task": task, "limit": limit}
    return [NOTE(row) for row in tx.fetch(SQL["columns"] + SQL["open"], bindings)]


def end_captured(tx: Transaction, team: str, observation: str) -> bool:
    """Mark a captured error as resolved; return whether it was open."""
    return tx.execute(SQL["ended"], {"team": team, "observation": observation}) > 0


def within(
    tx: Transaction,
    team: str,
    workspace: str | None,
    task: str | None,
    *,
    span: tuple[int | None, int | None],
    limit: int,
) -> list[str]:
    """Return the ids of a workspace's or task's notes in a given time span."""
    bindings = {"team": team, "workspace": workspace, "task": task, "limit": limit}
    rows = tx.fetch(SQL["within"], bindings | {"since": span[0], "until": span[1]})
    return [row[0] for row in rows]


def delete(tx: Transaction, team: str, ids: Sequence[str]) -> int:
    """Delete notes; return how many."""
    return tx.execute(SQL["delete"], {"team": team, "ids": dump_json(list(ids))})
