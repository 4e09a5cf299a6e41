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

FORGOTTEN = "it was forgotten here"


def observation_refusals(
    tx: Transaction, team: str, prepared: Sequence[PreparedRow]
) -> dict[int, str]:
    """Return why observations are refused, by position."""
    names = _names(tx, team, prepared)
    keys = [one.row["event_key"] for one in prepared]
    taken = _existing_keys(tx, team, keys)
    numbers = {
        task: _sequences(tx, team, task, prepared) for task in {o.row["task"] for o in prepared}
    }
    buried = tombstones.with_tombstone(tx, team, [key for name in names for key in name])
    reasons: dict[int, str] = {}
    for at, one in enumerate(prepared):
        key, number, there = one.row["event_key"], one.row["sequence"], numbers[one.row["task"]]
        if not buried.isdisjoint(names[at]):
            reasons[at] = FORGOTTEN
        elif key in taken:
            reasons[at] = "another observation has its event_key"
        elif number in there:
            reasons[at] = f"its task has another observation {number}"
        taken.add(key)
        there.add(number)
    return reasons


def add_observations(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> None:
    """Add observations with tags, files, full text, and open errors."""
    places = _places(tx, team, prepared)
    observations.insert(tx, [_new(one, places[one.row["task"]]) for one in prepared])
    quarantine.insert(tx, team, [one.quarantine for one in prepared if one.quarantine])
    standing: dict[str, dict[str, str]] = {}
    for one in prepared:
        task = one.row["task"]
        for target in one.row["open"]:
            if task not in standing:
                standing[task] = observations.standing_errors(tx, team, task)
            if target not in standing[task]:
                observations.open_error(tx, team, task, target, one.row["id"])


def _new(one: PreparedRow, place: tuple[Any, ...]) -> NewObservation:
    workspace, number, *_ = place
    row = one.row | {"workspace": workspace, "ref": f"{number}#{one.row['sequence']}"}
    fields: dict[str, Any] = {name: row[name] for name in Observation.__slots__}
    fields |= {name: tuple(row[name]) for name in ("tags", "files", "constraints")}
    fields["type"] = ObservationType(row["type"])
    fields["origin"] = Origin(row["origin"])
    fields["salience"] = Salience(row["salience"])
    made = Observation(**fields)
    folded = made.repeats is not None and made.salience is Salience.FOLDED
    entry = None if folded else _entry(made, one.text)
    form = ContentFormat(row["format"])
    return NewObservation(made, form, row["source"], row["event_key"], row["target"], entry)


def _entry(made: Observation, text: str) -> TextEntry:
    hidden = not HIDDEN.isdisjoint(made.tags)
    return text_entry(made, indexed_part(text), identifiers(text), hidden=hidden)


def _names(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> list[set[str]]:
    """Return, for each row, the keys under which it could have been forgotten."""
    places = _places(tx, team, prepared)
    names = []
    for one in prepared:
        keys = {one.event_key, one.row["event_key"]}
        if one.row["type"] == ObservationType.MESSAGE and one.row["task"] in places:
            _, _, host, session = places[one.row["task"]]
            keys.add(content_key(host, session, one.row["content_hash"]))
        names.append(keys)
    return names


def _places(
    tx: Transaction, team: str, prepared: Sequence[PreparedRow]
) -> dict[str, tuple[Any, ...]]:
    ids = sorted({one.row["task"] for one in prepared})
    found = tx.fetch(SQL["places"], {"team": team, "ids": dump_json(list(ids))})
    return {id: tuple(place) for id, *place in found}


def _existing_keys(tx: Transaction, team: str, keys: Sequence[str]) -> set[str]:
    bindings = {"team": team, "keys": dump_json([*sorted(set(keys))])}
    return {row[0] for row in tx.fetch(SQL["keys"], bindings)}


def _sequences(tx: Transaction, team: str, task: str, prepared: Sequence[PreparedRow]) -> set[int]:
    numbers = [one.row["sequence"] for one in prepared if one.row["task"] == task]
    bindings = {"team": team, "task": task, "sequences": dump_json(list(numbers))}
    return {row[0] for row in tx.fetch(SQL["sequences"], bindings)}
