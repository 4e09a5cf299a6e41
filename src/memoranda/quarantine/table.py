"""Rows of quarantined observations, with reasons and decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoranda.json_data import dump_json
from memoranda.observations.model import Salience
from memoranda.quarantine.model import QuarantineRecord
from memoranda.store.database import Row, Transaction, load_statements

SQL = load_statements(__file__)

NEWEST = "~"
"""Value above every id."""


def insert(tx: Transaction, team: str, found: Iterable[QuarantineRecord]) -> None:
    """Insert reasons for withholding observations; existing ones stay."""
    tx.many(SQL["insert"], [_row(team, one) for one in found])


def decide(tx: Transaction, team: str, id: str, quarantined: bool, by: str, now: int) -> bool:
    """Release an observation or withhold it again; return if that was new."""
    bindings = {
        "team": team,
        "observation": id,
        "held": int(quarantined),
        "decided_by": by,
        "decided_at": now,
    }
    return bool(tx.execute(SQL["decide"], bindings))


def mark(tx: Transaction, team: str, id: str, salience: Salience) -> bool:
    """Set the salience of an observation; return whether it exists."""
    bindings = {"team": team, "observation": id, "salience": salience.value}
    return bool(tx.execute(SQL["mark"], bindings))


def with_repeats(tx: Transaction, team: str, id: str) -> list[str]:
    """Return an observation and its repeats, oldest first."""
    return sorted(row[0] for row in tx.fetch(SQL["with_repeats"], _one(team, id)))


def by_ids(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, QuarantineRecord]:
    """Return the records of withheld observations, by id.

    Those that never were withheld are left out.
    """
    rows = tx.fetch(SQL["by_ids"], {"team": team, "ids": dump_json(list(ids))})
    return {row[0]: _record(row) for row in rows}


def listed(
    tx: Transaction,
    team: str,
    workspace: str | None,
    task: str | None,
    *,
    quarantined: bool = True,
    before: str = NEWEST,
    limit: int,
) -> list[QuarantineRecord]:
    """Return what is withheld, or what was released, newest first."""
    bindings = {
        "team": team,
        "workspace": workspace,
        "task": task,
        "held": int(quarantined),
        "before": before,
        "limit": limit,
    }
    return [_record(row) for row in tx.fetch(SQL["listed"], bindings)]


def any_quarantined(tx: Transaction, team: str) -> bool:
    """Return whether anything of a team is withheld."""
    return tx.first(SQL["any_quarantined"], {"team": team}) is not None


def quarantined_among(tx: Transaction, team: str, ids: Iterable[str]) -> set[str]:
    """Return those of some observations that are withheld."""
    bindings = {"team": team, "ids": dump_json(list(ids))}
    return {row[0] for row in tx.fetch(SQL["quarantined_ids"], bindings)}


def quarantined_refs(tx: Transaction, team: str, refs: Iterable[str]) -> set[str]:
    """Return those of some short names whose observations are withheld."""
    bindings = {"team": team, "refs": dump_json(list(refs))}
    return {row[0] for row in tx.fetch(SQL["quarantined_refs"], bindings)}


def released_contents(tx: Transaction, team: str, hashes: Iterable[str]) -> set[str]:
    """Return those of some contents that a person reviewed and released."""
    bindings = {"team": team, "hashes": dump_json(list(hashes))}
    return {row[0] for row in tx.fetch(SQL["released_contents"], bindings)}


def counts(
    tx: Transaction,
    team: str,
    workspace: str | None,
    task: str | None = None,
    *,
    quarantined: bool = True,
) -> dict[str, int]:
    """Return how many are withheld, or were released, by reason."""
    rows = tx.fetch(SQL["counts"], {"team": team, "workspace": workspace, "task": task})
    return {reason: int(count) for reason, state, count in rows if bool(state) is quarantined}


def _one(team: str, id: str) -> dict[str, object]:
    return {"team": team, "observation": id}


def _row(team: str, one: QuarantineRecord) -> dict[str, object]:
    row: dict[str, object] = {name: getattr(one, name) for name in one.__slots__}
    return row | {"team": team, "held": int(one.held)}


def _record(row: Row) -> QuarantineRecord:
    observation, reason, salience, created_at, quarantined, by, at = row
    return QuarantineRecord(
        observation, reason, Salience(salience), created_at, bool(quarantined), by, at
    )
