"""Totals of observations: numbers by type, tokens, redactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def count_redactions(tx: Transaction, team: str, task: str, counts: Mapping[str, int]) -> None:
    """Add to a task's redaction counts by rule."""
    rows = [
        {"team": team, "task": task, "rule": rule, "count": count} for rule, count in counts.items()
    ]
    tx.many(SQL["redacted"], rows)


def redactions(
    tx: Transaction, team: str, workspace: str | None, task: str | None = None
) -> dict[str, int]:
    """Return redaction counts by rule."""
    bindings = {"team": team, "workspace": workspace, "task": task}
    return {rule: int(count) for rule, count in tx.fetch(SQL["redactions"], bindings)}


def by_type(
    tx: Transaction, team: str, workspace: str | None, task: str | None = None
) -> dict[str, int]:
    """Return the number of observations of each type."""
    bindings = {"team": team, "workspace": workspace, "task": task}
    rows = tx.fetch(SQL["by_type_in" if task else "by_type"], bindings)
    return {kind: int(number) for kind, number in rows}


@dataclass(frozen=True, slots=True)
class ScopeTotals:
    """Size of a scope's content."""

    observations: int
    folded: int
    tokens: int
    redactions: int
    last_recorded_at: int | None


def measures(
    tx: Transaction, team: str, workspace: str | None, task: str | None = None
) -> ScopeTotals:
    """Return the size of a workspace or task."""
    bindings = {"team": team, "workspace": workspace, "task": task}
    row = tx.first(SQL["measures_in" if task else "measures"], bindings)
    return ScopeTotals(*(row or (0, 0, 0, 0, None)))


@dataclass(frozen=True, slots=True)
class CaptureTotals:
    """Overview of what was captured."""

    observations: int
    lately: int
    last_recorded_at: int | None
    tokens: int
    summary_characters: int


def captured(tx: Transaction, team: str, workspace: str | None, since: int) -> CaptureTotals:
    """Return totals of a workspace or team; ``lately`` counts since a time."""
    bindings = {"team": team, "workspace": workspace, "since": since}
    return CaptureTotals(*(tx.first(SQL["captured"], bindings) or (0, 0, None, 0, 0)))


def captured_days(tx: Transaction, team: str, workspace: str | None, since: int) -> dict[int, int]:
    """Return the number of recorded observations by day since the epoch."""
    bindings = {"team": team, "workspace": workspace, "since": since}
    return {int(day): int(count) for day, count in tx.fetch(SQL["captured_days"], bindings)}


def recount(tx: Transaction, team: str) -> None:
    """Recompute the totals that every write updates."""
    tx.execute(SQL["drop_totals"], {"team": team})
    tx.execute(SQL["total"], {"team": team})


def tokens_in(tx: Transaction, team: str, workspace: str | None) -> int:
    """Return the tokens captured in a workspace or team, without repeats."""
    row = tx.first(SQL["tokens_in"], {"team": team, "workspace": workspace})
    return int(row[0]) if row else 0
