"""Queries for the steps between an error and what followed it."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)

LOOKING = ("read", "search", "plan", "web", "test", "lint")
"""Tags of steps that change nothing."""


def between(
    tx: Transaction, team: str, fixes: Sequence[str], *, within: int, limit: int
) -> dict[str, list[str]]:
    """Return the ids of the steps from an error to its fix, oldest first.

    Steps that failed, only read, were rewound, are routine or quarantined are omitted. For each
    fix, the last ``within`` steps are read; at most ``limit`` are returned in total, those of the
    newest fixes first.
    """
    return _steps(tx, "between", team, fixes, within=within, limit=limit)


def before_failures(
    tx: Transaction, team: str, again: Sequence[str], *, within: int, limit: int
) -> dict[str, list[str]]:
    """Return the ids of the steps between two failures of the same action."""
    return _steps(tx, "before_failures", team, again, within=within, limit=limit)


def next_failures(tx: Transaction, team: str, errors: Sequence[str]) -> dict[str, str]:
    """Return each error's next failure of the same action in its task, by error."""
    if not errors:
        return {}
    rows = tx.fetch(SQL["next_failures"], {"team": team, "ids": dump_json(list(errors))})
    return dict(rows)


def _steps(
    tx: Transaction, name: str, team: str, ends: Sequence[str], *, within: int, limit: int
) -> dict[str, list[str]]:
    bindings = {
        "team": team,
        "ids": dump_json(list(ends)),
        "looking": dump_json(list(LOOKING)),
        "within": within,
        "limit": limit,
    }
    result: dict[str, list[str]] = {}
    statement = SQL[name] + SQL["effective"] + SQL["newest_first"]
    for fix, step in tx.fetch(statement, bindings):
        result.setdefault(fix, []).insert(0, step)
    return result
