"""Queries that complete observation rows from a more detailed source.

A row keeps its id; it is never replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memoranda.capture.event import EventSource
from memoranda.json_data import dump_json
from memoranda.observations.model import ContentFormat, Observation, ObservationType
from memoranda.observations.table import NewObservation, read_observation
from memoranda.store.database import Row, Transaction, load_statements

SQL = load_statements(__file__)

SUPERSEDED = "superseded"
"""Tag of an observation that keeps the previous content of a completed one."""


@dataclass(frozen=True, slots=True)
class SourcedObservation:
    """An observation with its internal columns (key, source, target, format)."""

    observation: Observation
    event_key: str
    source: str
    target: str | None
    format: ContentFormat


@dataclass(frozen=True, slots=True)
class StoredCall:
    """Tool call that was reported by a hook or a transcript."""

    id: str
    created_at: int
    content_hash: str
    target: str | None


def calls(
    tx: Transaction, team: str, task: str, source: EventSource, times: range
) -> list[StoredCall]:
    """Return a task's tool calls from one source and time range, in order."""
    bindings = {"team": team, "task": task, "source": source}
    span = {"since": times.start, "until": times.stop - 1}
    return [StoredCall(*row) for row in tx.fetch(SQL["calls"], bindings | span)]


def by_event_keys(tx: Transaction, team: str, keys: Iterable[str]) -> dict[str, SourcedObservation]:
    """Return observations by event key; unknown keys are omitted."""
    rows = tx.fetch(SQL["rows"], {"team": team, "keys": dump_json(list(keys))})
    return {row[0]: _sourced(row) for row in rows}


def by_ids(tx: Transaction, team: str, ids: Iterable[str]) -> dict[str, SourcedObservation]:
    """Return observations by id; unknown ids are omitted."""
    rows = tx.fetch(SQL["rows_by_id"], {"team": team, "ids": dump_json(list(ids))})
    return {observation.observation.id: observation for observation in map(_sourced, rows)}


def _sourced(row: Row) -> SourcedObservation:
    key, source, target, form, *rest = row
    return SourcedObservation(
        read_observation(tuple(rest)), key, source, target, ContentFormat(form)
    )


def complete(tx: Transaction, old: Observation, new: NewObservation) -> None:
    """Update an observation's row, tags, files and full-text entry.

    The full-text entry is unchanged if ``new`` has none.
    """
    observation = new.observation
    row: dict[str, object] = {
        name: getattr(observation, name)
        for name in (
            "team", "id", "type", "summary", "salience", "tokens", "tokens_used", "duration_ms",
            "repeats", "content_hash", "redactions", "created_at", "branch",
        )
    }  # fmt: skip
    for name in ("tags", "files", "constraints"):
        row[name] = dump_json(list(getattr(observation, name)))
    if new.text:
        tx.text("observation").remove(observation.team, [observation.id])
    tx.execute(SQL["complete"], row | _known_by(new))
    tx.many(
        SQL["insert_ref"], [_ref(observation, *item) for item in _refs(observation) - _refs(old)]
    )
    tx.many(SQL["delete_ref"], [_ref(observation, *one) for one in _refs(old) - _refs(observation)])
    if new.text:
        tx.text("observation").add([new.text])


def _known_by(new: NewObservation) -> dict[str, object]:
    """Return the values of an observation's internal columns."""
    return {
        "format": new.format,
        "target": new.target,
        "source": new.source,
        "event_key": new.event_key,
    }


def set_event_keys(tx: Transaction, team: str, keys: Mapping[str, str]) -> None:
    """Replace the event keys of observations; ``keys`` maps ids to new keys."""
    rows = [{"team": team, "id": id, "event_key": key} for id, key in keys.items()]
    tx.many(SQL["set_event_key"], rows)


def retotal(tx: Transaction, team: str, task: str) -> None:
    """Recompute the totals of a task from its observations."""
    tx.execute(SQL["retotal"], {"team": team, "task": task})


def superseded(tx: Transaction, team: str, ids: Sequence[str]) -> list[str]:
    """Return the ids of observations with the previous content of these."""
    bindings = {"team": team, "ids": dump_json(list(ids))}
    return [row[0] for row in tx.fetch(SQL["superseded"], bindings)]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call with a target, and its evidence of failure or resolution."""

    id: str
    type: ObservationType
    target: str
    resolves: str | None


def attempts(tx: Transaction, team: str, task: str) -> list[Attempt]:
    """Return the calls of a task that have a target, in order of time."""
    rows = tx.fetch(SQL["attempts"], {"team": team, "task": task})
    return [
        Attempt(id, ObservationType(kind), target, resolves) for id, kind, target, resolves in rows
    ]


def classify(
    tx: Transaction, team: str, task: str, changed: Sequence[Attempt], current: Mapping[str, str]
) -> None:
    """Update the results of attempts, and replace a task's open errors."""
    rows = [
        {"team": team, "id": attempt.id, "type": attempt.type, "resolves": attempt.resolves}
        for attempt in changed
    ]
    tx.many(SQL["classify"], rows)
    tx.execute(SQL["close_all"], {"team": team, "task": task})
    opened = [
        {"team": team, "task": task, "target": target, "observation": id}
        for target, id in current.items()
    ]
    tx.many(SQL["open"], opened)


def _refs(one: Observation) -> set[tuple[str, str]]:
    return {("tag", tag) for tag in one.tags} | {("file", file) for file in one.files}


def _ref(one: Observation, kind: str, value: str) -> dict[str, object]:
    return {"team": one.team, "kind": kind, "value": value, "observation": one.id}
