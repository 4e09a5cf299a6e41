"""Steps between an error and the step that resolved it."""

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
    """Return by fix the ids of the steps since its error, oldest first.

    Left out are steps that failed, only read, were taken back, are routine or held back. Of each
    fix the last ``within`` steps are read; at most ``limit`` are returned of all, those of the
    newest fixes first.
    """
    bindings = {
        "team": team,
        "ids": dump_json(list(fixes)),
        "looking": dump_json(list(LOOKING)),
        "within": within,
        "limit": limit,
    }
    found: dict[str, list[str]] = {}
    for fix, step in tx.fetch(SQL["between"], bindings):
        found.setdefault(fix, []).insert(0, step)
    return found
