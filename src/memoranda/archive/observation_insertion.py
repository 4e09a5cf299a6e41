"""Insertion of observations, with their full-text entries.

Observations that were forgotten in this store are not added again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memoranda.archive.preparation import PreparedRow
from memoranda.capture.analysis.event_subjects import identifiers
from memoranda.capture.event_preparation import HIDDEN, indexed_part
from memoranda.capture.observation_builder import text_entry
from memoranda.json_data import dump_json
from memoranda.memories import tombstone_table as tombstones
from memoranda.observations import table as observations
from memoranda.observations.model import (
    ContentFormat,
    Observation,
    ObservationType,
    Origin,
    Salience,
)
from memoranda.observations.table import NewObservation, content_key
from memoranda.quarantine import table as quarantine
from memoranda.store.database import TextEntry, Transaction, load_statements

SQL = load_statements(__file__)

FORGOTTEN = "it was forgotten in this store"


def observation_refusals(
    tx: Transaction, team: str, prepared: Sequence[PreparedRow]
) -> dict[int, str]:
    """Return the reasons for refusing observations, by position."""
    names = _names(tx, team, prepared)
    keys = [prepared_row.row["event_key"] for prepared_row in prepared]
    taken = _existing_keys(tx, team, keys)
    numbers = {
        task: _sequences(tx, team, task, prepared) for task in {o.row["task"] for o in prepared}
    }
    buried = tombstones.with_tombstone(tx, team, [key for name in names for key in name])
    reasons: dict[int, str] = {}
    for at, row in enumerate(prepared):
        key, number, there = row.row["event_key"], row.row["sequence"], numbers[row.row["task"]]
        if not buried.isdisjoint(names[at]):
            reasons[at] = FORGOTTEN
        elif key in taken:
            reasons[at] = "another observation has the same event_key"
        elif number in there:
            reasons[at] = f"its task has another observation with the number {number}"
        taken.add(key)
        there.add(number)
    return reasons


def add_observations(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> None:
    """Add observations with tags, files, full-text entries and open errors."""
    places = _places(tx, team, prepared)
    observations.insert(
        tx, [_new(prepared_row, places[prepared_row.row["task"]]) for prepared_row in prepared]
    )
    quarantine.insert(tx, team, [row.quarantine for row in prepared if row.quarantine])
    standing: dict[str, dict[str, str]] = {}
    for item in prepared:
        task = item.row["task"]
        for target in item.row["open"]:
            if task not in standing:
                standing[task] = observations.standing_errors(tx, team, task)
            if target not in standing[task]:
                observations.open_error(tx, team, task, target, item.row["id"])


def _new(one: PreparedRow, place: tuple[Any, ...]) -> NewObservation:
    workspace, number, *_ = place
    row = one.row | {"workspace": workspace, "ref": f"{number}#{one.row['sequence']}"}
    fields: dict[str, Any] = {name: row[name] for name in Observation.__slots__}
    fields |= {name: tuple(row[name]) for name in ("tags", "files", "constraints")}
    fields["type"] = ObservationType(row["type"])
    fields["origin"] = Origin(row["origin"])
    fields["salience"] = Salience(row["salience"])
    observation = Observation(**fields)
    folded = observation.repeats is not None and observation.salience is Salience.FOLDED
    entry = None if folded else _entry(observation, one.text)
    form = ContentFormat(row["format"])
    return NewObservation(observation, form, row["source"], row["event_key"], row["target"], entry)


def _entry(made: Observation, text: str) -> TextEntry:
    hidden = not HIDDEN.isdisjoint(made.tags)
    return text_entry(made, indexed_part(text), identifiers(text), hidden=hidden)


def _names(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> list[set[str]]:
    """Return, for each row, the keys under which it may have been forgotten."""
    places = _places(tx, team, prepared)
    names = []
    for row in prepared:
        keys = {row.event_key, row.row["event_key"]}
        if row.row["type"] == ObservationType.MESSAGE and row.row["task"] in places:
            _, _, host, session = places[row.row["task"]]
            keys.add(content_key(host, session, row.row["content_hash"]))
        names.append(keys)
    return names


def _places(
    tx: Transaction, team: str, prepared: Sequence[PreparedRow]
) -> dict[str, tuple[Any, ...]]:
    ids = sorted({row.row["task"] for row in prepared})
    rows = tx.fetch(SQL["places"], {"team": team, "ids": dump_json(list(ids))})
    return {id: tuple(place) for id, *place in rows}


def _existing_keys(tx: Transaction, team: str, keys: Sequence[str]) -> set[str]:
    bindings = {"team": team, "keys": dump_json([*sorted(set(keys))])}
    return {row[0] for row in tx.fetch(SQL["keys"], bindings)}


def _sequences(tx: Transaction, team: str, task: str, prepared: Sequence[PreparedRow]) -> set[int]:
    numbers = [
        prepared_row.row["sequence"]
        for prepared_row in prepared
        if prepared_row.row["task"] == task
    ]
    bindings = {"team": team, "task": task, "sequences": dump_json(list(numbers))}
    return {row[0] for row in tx.fetch(SQL["sequences"], bindings)}
