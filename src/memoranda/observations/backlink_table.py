"""Queries for backlinks of observations: memories, fixes, error counts."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def ended(tx: Transaction, team: str, errors: Sequence[str]) -> dict[str, str]:
    """Return the short names of what resolved errors, by the errors' ids."""
    if not errors:
        return {}
    rows = tx.fetch(SQL["ended"], {"team": team, "ids": dump_json(list(errors))})
    return {error: ref for error, _, ref in sorted(rows, reverse=True)}


def resting(
    tx: Transaction, team: str, observations: Sequence[str], *, limit: int
) -> dict[str, list[str]]:
    """Return the memories based on observations, by observation.

    At most ``limit`` memories are returned in all, including those of other agents.
    """
    bindings = {"team": team, "ids": dump_json(list(observations)), "limit": limit}
    result: dict[str, list[str]] = {}
    for observation, memory in tx.fetch(SQL["resting"], bindings):
        result.setdefault(observation, []).append(memory)
    return result


def errors(tx: Transaction, team: str, tasks: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the numbers of errors and of open errors of tasks.

    An error is open until something resolves it.
    """
    bindings = {"team": team, "tasks": dump_json(list(tasks))}
    had: dict[str, int] = dict(tx.fetch(SQL["captured"], bindings))
    standing: dict[str, int] = dict(tx.fetch(SQL["open_errors"], bindings))
    for task, all_, open_ in tx.fetch(SQL["recorded_errors"], bindings):
        had[task] = had.get(task, 0) + all_
        standing[task] = standing.get(task, 0) + open_
    return {task: (had.get(task, 0), standing.get(task, 0)) for task in {*had, *standing}}
