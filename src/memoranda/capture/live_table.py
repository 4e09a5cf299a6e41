"""Outputs that an agent saw in their short form, and how often the whole was asked for."""

from __future__ import annotations

from memoranda.capture.live import LiveOutput, LiveSavings
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def insert(tx: Transaction, team: str, output: LiveOutput) -> bool:
    """Write what was shown in place of an output; say whether it was not known yet."""
    row = {name: getattr(output, name) for name in output.__slots__}
    return bool(tx.execute(SQL["insert"], row | {"team": team}))


def expand(tx: Transaction, team: str, observation: str) -> bool:
    """Count that the whole was asked for; say whether a short form of it had been shown."""
    return bool(tx.execute(SQL["expand"], {"team": team, "observation": observation}))


def savings(tx: Transaction, team: str, workspace: str | None) -> list[LiveSavings]:
    """Return what short forms saved, by tool, most first."""
    rows = tx.fetch(SQL["savings"], {"team": team, "workspace": workspace})
    return [LiveSavings(row[0], *map(int, row[1:])) for row in rows]
