"""Query for the steps between an error and the step that resolved it."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)

LOOKING = ("read", "search", "plan", "web", "test", "lint")
"""Tags of steps that changed nothing."""


def between(
    tx: Transaction, team: str, fixes: Sequence[str], *, within: int, limit: int
) -> dict[str, list[str]]:
    """Return the ids of the steps since each fix's error, oldest first.

    Steps that failed, only read, were rewound, are routine or quarantined are omitted. For each
    fix, the last ``within`` steps are read; at most ``limit`` are returned in total, those of the
    newest fixes first.
    """
    bindings = {
        "team": team,
        "ids": dump_json(list(fixes)),
        "looking": dump_json(list(LOOKING)),
        "within": within,
        "limit": limit,
    }
    result: dict[str, list[str]] = {}
    for fix, step in tx.fetch(SQL["between"], bindings):
        result.setdefault(fix, []).insert(0, step)
    return result
