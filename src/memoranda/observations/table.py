"""Rows of observations, with their tags, files and full-text entries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from memoranda.json_data import JsonValue, dump_json, texts_of
from memoranda.observations.model import (
    ContentFormat,
    Observation,
    ObservationType,
    Origin,
    Salience,
)
from memoranda.store.database import RowType, TextEntry, Transaction, load_statements
from memoranda.tasks.model import Task

SQL = load_statements(__file__)

read_observation = RowType(
    Observation,
    type=ObservationType,
    origin=Origin,
    tags=texts_of,
    files=texts_of,
    constraints=texts_of,
    salience=Salience,
)

END = 1 << 62
IDENTITY_DIGITS = 16
"""Number of leading digits of an event's key that are the same in all sessions."""


@dataclass(frozen=True, slots=True)
class NewObservation:
    """Observation to be inserted, with data that only the store needs."""

    observation: Observation
    format: ContentFormat
    source: str
    event_key: str
    target: str | None
    text: TextEntry | None
    """Entry in the full-text index; None for a folded repeat."""


@dataclass(frozen=True, slots=True)
class ObservationFilter:
    """Filter for a list of observations; None and empty values mean "any"."""

    type: ObservationType | None = None
    agent: str | None = None
    since: int | None = None
    until: int | None = None
    tags: Sequence[str] = ()
    any_tag: bool = False
    """Whether an observation needs only one of the tags."""
    files: Sequence[str] = ()
    with_repeats: bool = False

    def bindings(self) -> dict[str, object]:
        """Return the parameters of the statements that use the filter."""
        return {
            "type": self.type,
            "agent": self.agent,
            "since": self.since,
            "until": self.until,
            "tags": dump_json(list(self.tags)),
            "tags_needed": min(1, len(self.tags)) if self.any_tag else len(set(self.tags)),
            "files": dump_json(list(self.files)),
            "files_needed": min(1, len(self.files)),
            "with_repeats": int(self.with_repeats),
        }


ANY = ObservationFilter()


def content_key(host: str, session: str, content_hash: str) -> str:
    """Return the key of a message's content in a session.

    The key identifies messages to which hook and transcript assign different event keys.
    """
    parts = "\0".join(("content", host, session, content_hash))
    return hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()[:32]


def copied_key(event_key: str, created_at: int) -> str:
    """Return the key that identifies copies of a deleted event."""
    parts = f"copied\0{event_key[:IDENTITY_DIGITS]}\0{created_at}"
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class SameKeyObservation:
    """Stored observation of an event with the same host and event key."""

    task: str
    source: str
    created_at: int
    content_hash: str
    tool: str | None
    target: str | None


def namesakes(tx: Transaction, team: str, event_key: str) -> list[SameKeyObservation]:
    """Return observations in any session with the event's host and key."""
    low = event_key[:IDENTITY_DIGITS]
    bindings = {"team": team, "low": low, "high": low + "~"}
    return [SameKeyObservation(*row) for row in tx.fetch(SQL["namesakes"], bindings)]


def has_content_at(tx: Transaction, team: str, content_hash: str, created_at: int) -> bool:
    """Return whether an observation in any task has this content and time."""
    bindings = {"team": team, "hash": content_hash, "at": created_at}
    return tx.first(SQL["has_content_at"], bindings) is not None


def known_keys(tx: Transaction, team: str, keys: Iterable[str]) -> set[str]:
    """Return which of the event keys are stored or were deleted."""
    bindings = {"team": team, "keys": dump_json(list(keys))}
    return {row[0] for row in tx.fetch(SQL["known_keys"], bindings)}


def insert(tx: Transaction, news: Sequence[NewObservation]) -> None:
    """Insert observations with their tags, files and full-text entries."""
    tx.many(SQL["insert"], [_row(new) for new in news])
    refs = [
        {"team": o.team, "kind": kind, "value": value, "observation": o.id}
        for o in (new.observation for new in news)
        for kind, values in (("tag", o.tags), ("file", o.files))
        for value in values
    ]
    tx.many(SQL["insert_ref"], refs)
    tx.text("observation").add(new.text for new in news if new.text)


def _row(new: NewObservation) -> dict[str, object]:
    o = new.observation
    row: dict[str, object] = {name: getattr(o, name) for name in o.__slots__}
    for name in ("tags", "files", "constraints"):
        row[name] = dump_json(list(getattr(o, name)))
    for name in ("format", "source", "event_key", "target"):
        row[name] = getattr(new, name)
    return row


@dataclass(frozen=True, slots=True)
class DuplicateObservation:
    """Earlier observation in the same task with the same content."""

    id: str
    source: str
    created_at: int
    repeats: str | None
    tags: tuple[str, ...]


def same_content(
    tx: Transaction, team: str, task: str, hashes: Sequence[str]
) -> dict[str, list[DuplicateObservation]]:
    """Return a task's earlier observations by content, newest first."""
    result: dict[str, list[DuplicateObservation]] = {digest: [] for digest in hashes}
    bindings = {"team": team, "task": task, "hashes": dump_json(list(result))}
    for digest, id, source, at, repeats, tags in tx.fetch(SQL["same_content"], bindings):
        result[digest].append(DuplicateObservation(id, source, at, repeats, texts_of(tags)))
    return result


def standing_errors(tx: Transaction, team: str, task: str) -> dict[str, str]:
    """Return the id of the open error of each target in a task."""
    return {
        row[0]: row[1] for row in tx.fetch(SQL["open_error_targets"], {"team": team, "task": task})
    }


def errors_left(tx: Transaction, task: Task, limit: int) -> list[tuple[str, str, str]]:
    """Return the newest open errors of earlier tasks of the workspace.

    Earlier tasks are those that had ended when this task began. An item is (task, target, id).
    """
    bindings = {"team": task.team, "workspace": task.workspace, "task": task.id}
    rows = tx.fetch(SQL["left"], bindings | {"before": task.started_at, "limit": limit})
    return [(owner, target, id) for owner, target, id in rows]


def open_error(tx: Transaction, team: str, task: str, target: str, id: str) -> None:
    """Record that a target has an open error."""
    row = {"team": team, "task": task, "target": target, "observation": id}
    tx.execute(SQL["open"], row)


def close_error(tx: Transaction, team: str, task: str, target: str) -> None:
    """Record that a target no longer has an open error."""
    tx.execute(SQL["close"], {"team": team, "task": task, "target": target})


def close_observed(tx: Transaction, team: str, id: str) -> None:
    """Record that an error is no longer open for any target."""
    tx.execute(SQL["close_forgotten"], {"team": team, "ids": dump_json([id])})


def ids_after(tx: Transaction, team: str, after: str, limit: int) -> list[str]:
    """Return ids of observations in the full-text index after an id, in order."""
    bindings = {"team": team, "after": after, "limit": limit}
    return [row[0] for row in tx.fetch(SQL["ids_after"], bindings)]


def by_ids(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, Observation]:
    """Return observations by id; omit unknown ids."""
    if not ids:
        return {}
    rows = tx.fetch(SQL["by_ids"], {"team": team, "ids": dump_json(list(ids))})
    return {row[1]: read_observation(row) for row in rows}


def content_format(tx: Transaction, team: str, id: str) -> ContentFormat:
    """Return the content format of an observation."""
    row = tx.first(SQL["format"], {"team": team, "id": id})
    return ContentFormat(row[0]) if row else ContentFormat.TEXT


def matching_name(tx: Transaction, team: str, name: str) -> list[str]:
    """Return the id for a short name, or at most six ids with a prefix."""
    if "#" in name:
        return [row[0] for row in tx.fetch(SQL["by_ref"], {"team": team, "ref": name})]
    bindings = {"team": team, "low": name, "high": name + "~"}
    return [row[0] for row in tx.fetch(SQL["by_prefix"], bindings)]


def by_event_prefix(tx: Transaction, team: str, beginning: str) -> list[str]:
    """Return at most two observation ids by a prefix of the event key."""
    bindings = {"team": team, "low": beginning, "high": beginning + "~"}
    return [row[0] for row in tx.fetch(SQL["by_event_prefix"], bindings)]


def in_task(
    tx: Transaction,
    team: str,
    task: str,
    *,
    where: ObservationFilter = ANY,
    span: tuple[int, int] = (0, END),
    limit: int,
) -> list[Observation]:
    """Return a task's observations strictly between two sequence numbers."""
    bindings = where.bindings() | {
        "team": team,
        "task": task,
        "after": span[0],
        "before": span[1],
        "limit": limit,
    }
    name = "in_task_typed" if where.type else "in_task"
    return [read_observation(row) for row in tx.fetch(SQL[name], bindings)]


def recent(
    tx: Transaction,
    team: str,
    workspace: str | None,
    *,
    where: ObservationFilter = ANY,
    before: str = "~",
    limit: int,
) -> list[Observation]:
    """Return observations with an id below ``before``, newest first."""
    bindings = where.bindings() | {
        "team": team,
        "workspace": workspace,
        "before_id": before,
        "limit": limit,
    }
    if len(where.tags) == 1:
        tagged = bindings | {"tag": where.tags[0]}
        return [read_observation(row) for row in tx.fetch(SQL["recent_tagged"], tagged)]
    name = "recent_typed" if where.type and workspace else "recent"
    return [read_observation(row) for row in tx.fetch(SQL[name], bindings)]


@dataclass(frozen=True, slots=True)
class ResolvedError:
    """Resolved error with the step that resolved it."""

    fix: str
    ref: str
    """Short name of the fix."""
    task: str
    origin: Origin
    done: str
    """Summary of the fix."""
    created_at: int
    error: str
    tags: tuple[str, ...]
    """Tags of the error."""
    summary: str
    """Summary of the error."""


def ended(tx: Transaction, team: str, workspace: str | None, *, limit: int) -> list[ResolvedError]:
    """Return the errors that a workspace's newest fixes resolved.

    ``limit`` is the number of fixes; the newest come first.
    """
    bindings = {"team": team, "workspace": workspace, "limit": limit}
    rows = tx.fetch(SQL["ended" if workspace else "ended_anywhere"], bindings)
    return [
        ResolvedError(id, ref, task, Origin(origin), done, at, error, texts_of(tags), summary)
        for id, ref, task, origin, done, at, error, tags, summary in rows
    ]


def critical(tx: Transaction, team: str, task: str) -> list[Observation]:
    """Return a person's constraints in a task, oldest first."""
    return [read_observation(r) for r in tx.fetch(SQL["critical"], {"team": team, "task": task})]


def open_errors(tx: Transaction, team: str, task: str, limit: int) -> list[Observation]:
    """Return a task's errors that no later success resolved, newest first."""
    bindings = {"team": team, "task": task, "limit": limit}
    return [read_observation(row) for row in tx.fetch(SQL["open_errors"], bindings)]


def has_open_errors_elsewhere(tx: Transaction, team: str, workspace: str, task: str) -> bool:
    """Return whether other tasks of the workspace have unresolved errors."""
    bindings = {"team": team, "workspace": workspace, "task": task}
    return tx.first(SQL["open_elsewhere"], bindings) is not None


def summaries(
    tx: Transaction, team: str, workspace: str | None, task: str | None = None
) -> list[str]:
    """Return every summary in a scope, without folded repeats."""
    bindings = {"team": team, "workspace": workspace, "task": task}
    return [row[0] for row in tx.fetch(SQL["summaries"], bindings)]


@dataclass(frozen=True, slots=True)
class ObservationSpan:
    """Time span, optionally in a workspace or task; None means "any"."""

    workspace: str | None = None
    task: str | None = None
    since: int | None = None
    until: int | None = None
    routine_only: bool = False
    """Whether to include only routine observations and folded repeats."""


def matching(
    tx: Transaction, team: str, span: ObservationSpan, *, after: str = "", limit: int
) -> list[str]:
    """Return ids of the observations in a span, oldest first.

    Only observations after the id ``after`` are included.
    """
    bindings = asdict(span) | {
        "routine_only": int(span.routine_only),
        "team": team,
        "after": after,
        "limit": limit,
    }
    return [row[0] for row in tx.fetch(SQL["matching"], bindings)]


@dataclass(frozen=True, slots=True)
class RemovedObservations:
    """Number of deleted observations, and references to their data."""

    observations: int
    hashes: tuple[str, ...]
    tasks: tuple[str, ...]


def delete(tx: Transaction, team: str, ids: Sequence[str], now: int) -> RemovedObservations:
    """Delete observations with their full-text entries; add tombstones.

    The contents must be deleted with `blobs.delete_unused`, which takes the returned hashes.
    """
    from memoranda.memories import tombstone_table as tombstones

    listed = dump_json(list(ids))
    doomed = tx.fetch(SQL["ids_of"], {"team": team, "ids": listed})
    tx.text("observation").remove(team, [row[0] for row in doomed])
    refs: list[dict[str, JsonValue]] = [
        {"team": team, "kind": kind, "value": value, "observation": row[0]}
        for row in doomed
        for kind, values in (("tag", row[3]), ("file", row[4]))
        for value in json.loads(values)
    ]
    tx.many(SQL["delete_ref"], refs)
    tx.execute(SQL["close_forgotten"], {"team": team, "ids": listed})
    tx.execute(SQL["unlink_repeats"], {"team": team, "ids": listed})
    keys = [row[2] for row in doomed]
    messages = (row for row in doomed if row[6] == ObservationType.MESSAGE)
    keys += [content_key(row[7], row[8], row[1]) for row in messages]
    keys += [copied_key(row[2], row[9]) for row in doomed]
    tombstones.add_tombstones(tx, team, keys, now)
    deleted = tx.execute(SQL["delete"], {"team": team, "ids": listed})
    hashes = tuple(sorted({row[1] for row in doomed}))
    return RemovedObservations(deleted, hashes, tuple(sorted({row[5] for row in doomed})))


def last_messages(tx: Transaction, team: str, task: str, limit: int = 1) -> list[Observation]:
    """Return the last messages of agents in a task, newest first.

    Messages of the main agent precede those of others.
    """
    rows = tx.fetch(SQL["last_messages"], {"team": team, "task": task, "limit": limit})
    return [read_observation(row) for row in rows]


def closing_messages(tx: Transaction, team: str, task: str, limit: int) -> list[Observation]:
    """Return the main agent's closing messages, newest first.

    If there are none, return the last messages.
    """
    rows = tx.fetch(SQL["closing_messages"], {"team": team, "task": task, "limit": limit})
    return [read_observation(row) for row in rows] or last_messages(tx, team, task, limit)


def has_hook_events(tx: Transaction, team: str, task: str) -> bool:
    """Return whether a hook reported any event of a task."""
    return tx.first(SQL["hooked"], {"team": team, "task": task}) is not None


def in_time(found: Iterable[Observation]) -> list[Observation]:
    """Sort observations by time of occurrence.

    This order may differ from that of the sequence numbers, which is the order of arrival.
    """
    return sorted(found, key=lambda observation: (observation.created_at, observation.sequence))


def has_observations(tx: Transaction, team: str, task: str) -> bool:
    """Return whether a task still has observations."""
    return tx.first(SQL["remain"], {"team": team, "task": task}) is not None


def by_event(tx: Transaction, team: str, event_key: str) -> Observation | None:
    """Return the observation of an event by the event key."""
    row = tx.first(SQL["by_event"], {"team": team, "event_key": event_key})
    return read_observation(row) if row else None
