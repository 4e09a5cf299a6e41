"""Queries for quarantined observations, their reasons and decisions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoranda.json_data import dump_json
from memoranda.observations.model import Salience
from memoranda.quarantine.model import QuarantineRecord
from memoranda.store.database import RowType, Transaction, load_statements

SQL = load_statements(__file__)

RECORD = RowType(QuarantineRecord, salience=Salience, held=bool)

NEWEST = "~"
"""Value that sorts after every id."""


def insert(tx: Transaction, team: str, found: Iterable[QuarantineRecord]) -> None:
    """Insert quarantine records; keep existing ones unchanged."""
    tx.many(SQL["insert"], [_row(team, record) for record in found])


def decide(tx: Transaction, team: str, id: str, quarantined: bool, by: str, now: int) -> bool:
    """Release or quarantine an observation; return whether it changed."""
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
    """Return quarantine records by observation id.

    Observations that were never quarantined are left out.
    """
    rows = tx.fetch(SQL["by_ids"], {"team": team, "ids": dump_json(list(ids))})
    return {row[0]: RECORD(row) for row in rows}


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
    """Return quarantined or released observations, newest first."""
    bindings = {
        "team": team,
        "workspace": workspace,
        "task": task,
        "held": int(quarantined),
        "before": before,
        "limit": limit,
    }
    return [RECORD(row) for row in tx.fetch(SQL["listed"], bindings)]


def any_quarantined(tx: Transaction, team: str) -> bool:
    """Return whether a team has any quarantined observation."""
    return tx.first(SQL["any_quarantined"], {"team": team}) is not None


def quarantined_among(tx: Transaction, team: str, ids: Iterable[str]) -> set[str]:
    """Return the ids of the given observations that are quarantined."""
    bindings = {"team": team, "ids": dump_json(list(ids))}
    return {row[0] for row in tx.fetch(SQL["quarantined_ids"], bindings)}


def quarantined_refs(tx: Transaction, team: str, refs: Iterable[str]) -> set[str]:
    """Return the short names that refer to quarantined observations."""
    bindings = {"team": team, "refs": dump_json(list(refs))}
    return {row[0] for row in tx.fetch(SQL["quarantined_refs"], bindings)}


def released_contents(tx: Transaction, team: str, hashes: Iterable[str]) -> set[str]:
    """Return the hashes of the given contents that a person has released."""
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
    """Return the number of quarantined or released observations by reason."""
    rows = tx.fetch(SQL["counts"], {"team": team, "workspace": workspace, "task": task})
    return {reason: int(count) for reason, state, count in rows if bool(state) is quarantined}


def _one(team: str, id: str) -> dict[str, object]:
    return {"team": team, "observation": id}


def _row(team: str, one: QuarantineRecord) -> dict[str, object]:
    row: dict[str, object] = {name: getattr(one, name) for name in one.__slots__}
    return row | {"team": team, "held": int(one.held)}
