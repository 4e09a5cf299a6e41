"""Captured errors, with the columns that lists and patterns need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoranda.json_data import dump_json, texts_of
from memoranda.store.database import RowType, Transaction, load_statements

SQL = load_statements(__file__)

NEWEST = "~"
AT_FIRST, THEN = 256, 4_096
"""Sizes of the first batch and of later ones; most callers need few errors, others many."""


@dataclass(frozen=True, slots=True)
class CapturedError:
    """Captured error, with the fields of the observation."""

    team: str
    id: str
    ref: str
    workspace: str
    task: str
    sequence: int
    stage: str | None
    agent: str
    tool: str | None
    summary: str
    tags: tuple[str, ...]
    created_at: int


FAILURE = RowType(CapturedError, tags=texts_of)


@dataclass(frozen=True, slots=True)
class ErrorResolution:
    """Resolution of an error."""

    id: str
    summary: str


def newest(
    tx: Transaction,
    team: str,
    workspace: str | None,
    task: str | None = None,
    *,
    before: str = NEWEST,
    limit: int,
) -> Iterator[CapturedError]:
    """Yield errors with an id below ``before``, newest first, lazily."""
    place = "in_task" if task else "in_workspace" if workspace else "in_team"
    place_bindings = {"team": team, "workspace": workspace, "task": task}
    size = AT_FIRST
    while limit > 0:
        bindings = place_bindings | {"before_id": before, "limit": min(size, limit)}
        rows = tx.fetch(SQL["columns"] + SQL[place], bindings)
        yield from map(FAILURE, rows)
        if len(rows) < min(size, limit):
            return
        before, limit, size = rows[-1][1], limit - len(rows), THEN


def by_ids(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, CapturedError]:
    """Return errors by id; omit ids of other observations."""
    rows = tx.fetch(SQL["columns"] + SQL["by_ids"], {"team": team, "ids": dump_json(list(ids))})
    return {row[1]: FAILURE(row) for row in rows}


def ended(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, ErrorResolution]:
    """Return the resolutions of errors, by the errors' ids."""
    rows = tx.fetch(SQL["ended"], {"team": team, "ids": dump_json(list(ids))}) if ids else []
    return {
        error: ErrorResolution(id, summary) for error, id, summary in sorted(rows, reverse=True)
    }


def still_open(tx: Transaction, team: str, ids: Sequence[str]) -> set[str]:
    """Return which errors are still open."""
    rows = tx.fetch(SQL["still_open"], {"team": team, "ids": dump_json(list(ids))}) if ids else []
    return {row[0] for row in rows}


def failed_again(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, str]:
    """Return errors that were unresolved when their action failed again.

    The value is the short name of the newest such failure, which is open.
    """
    if not ids:
        return {}
    rows = tx.fetch(SQL["failed_again"], {"team": team, "ids": dump_json(list(ids))})
    return dict(sorted(rows))


def by_day(
    tx: Transaction, team: str, workspace: str | None, task: str | None = None
) -> dict[int, tuple[int, int, int]]:
    """Return the numbers of errors, open errors and repeated failures by day.

    Days are counted from the epoch. Captured and reported errors are included.
    """
    bindings = {"team": team, "workspace": workspace, "task": task}
    result: dict[int, tuple[int, int, int]] = {}
    for name in ("by_day", "recorded_by_day"):
        for day, errors, open_ in tx.fetch(SQL[name], bindings):
            had = result.get(int(day), (0, 0, 0))
            result[int(day)] = had[0] + int(errors), had[1] + int(open_), 0
    ids = [row[0] for row in tx.fetch(SQL["candidates"], bindings)]
    again = failed_again(tx, team, ids)
    for _, day in tx.fetch(SQL["times"], {"team": team, "ids": dump_json([*again])}):
        errors, open_, repeated = result[int(day)]
        result[int(day)] = errors, open_, repeated + 1
    return result
