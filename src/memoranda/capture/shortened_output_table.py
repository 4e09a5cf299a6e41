"""Queries on shortened outputs and the requests for their full text."""

from __future__ import annotations

from memoranda.capture.shortened_outputs import LiveOutput, LiveSavings
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def insert(tx: Transaction, team: str, output: LiveOutput) -> bool:
    """Record a shortened output; return whether it is new."""
    row = {name: getattr(output, name) for name in output.__slots__}
    return bool(tx.execute(SQL["insert"], row | {"team": team}))


def expand(tx: Transaction, team: str, observation: str) -> bool:
    """Count a request for a full output.

    Returns whether a short form of it had been shown.
    """
    return bool(tx.execute(SQL["expand"], {"team": team, "observation": observation}))


def savings(tx: Transaction, team: str, workspace: str | None) -> list[LiveSavings]:
    """Return the savings of short forms by tool, largest first."""
    rows = tx.fetch(SQL["savings"], {"team": team, "workspace": workspace})
    return [LiveSavings(row[0], *map(int, row[1:])) for row in rows]
