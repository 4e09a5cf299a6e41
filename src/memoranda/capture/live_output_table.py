"""Rows of live mode: shortened outputs, and requests for full ones."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


@dataclass(frozen=True, slots=True)
class LiveOutput:
    """A tool output shortened for an agent, with the sizes of both texts."""

    observation: str
    """Observation that contains the full output."""
    whole_bytes: int
    shown_bytes: int
    whole_tokens: int
    shown_tokens: int


@dataclass(frozen=True, slots=True)
class LiveSavings:
    """Savings of one tool's shortened outputs, and requests for the full ones."""

    tool: str
    outputs: int
    whole_bytes: int
    shown_bytes: int
    whole_tokens: int
    shown_tokens: int
    saved_tokens: int
    expanded: int
    """Number of outputs that were requested in full at least once."""
    expansions: int
    """Total number of requests for full outputs."""


def insert(tx: Transaction, team: str, output: LiveOutput) -> bool:
    """Record a shortened output; return whether it is new."""
    row = {name: getattr(output, name) for name in output.__slots__}
    return bool(tx.execute(SQL["insert"], row | {"team": team}))


def expand(tx: Transaction, team: str, observation: str) -> bool:
    """Count a request for a full output.

    Returns whether a short form of the output had been shown.
    """
    return bool(tx.execute(SQL["expand"], {"team": team, "observation": observation}))


def savings(tx: Transaction, team: str, workspace: str | None) -> list[LiveSavings]:
    """Return the savings from shortened outputs by tool, largest first."""
    rows = tx.fetch(SQL["savings"], {"team": team, "workspace": workspace})
    return [LiveSavings(row[0], *map(int, row[1:])) for row in rows]
