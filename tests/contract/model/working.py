"""Working memory in the model."""

from __future__ import annotations

from collections.abc import Sequence

from contract.model.content import Model, demand
from memoranda.working.model import WorkingEntry, WorkingKey
from memoranda.working.table import END


def put(model: Model, entry: WorkingEntry) -> None:
    """Store an entry, replacing one with the same key."""
    content = model.of(entry.team)
    demand(entry.task in content.tasks, "an entry belongs to a task")
    content.working[entry.task, entry.key] = entry


def get(model: Model, team: str, task: str, key: str, alive_at: int) -> WorkingEntry | None:
    """Return the entry if it has not expired at a time, or None."""
    entry = model.of(team).working.get((task, key))
    return entry if entry and entry.expires_at > alive_at else None


def listed(
    model: Model, team: str, task: str, alive_at: int, *, after: str = "", limit: int
) -> list[WorkingKey]:
    """Return unexpired entries at a time by key, from above ``after``."""
    found = [
        WorkingKey(one.key, one.written_at, one.expires_at)
        for one in model.of(team).working.values()
        if one.task == task and one.expires_at > alive_at and one.key > after
    ]
    return sorted(found, key=lambda one: one.key)[:limit]


def delete(model: Model, team: str, task: str, key: str, written_until: int = END) -> bool:
    """Delete an entry unless it was written after a time; return whether."""
    working = model.of(team).working
    entry = working.get((task, key))
    if entry is None or entry.written_at > written_until:
        return False
    del working[task, key]
    return True


def clear(model: Model, team: str, tasks: Sequence[str]) -> int:
    """Delete every entry of some tasks; return how many."""
    return _drop(model, team, {key for key in model.of(team).working if key[0] in tasks})


def sweep(model: Model, team: str, until: int) -> int:
    """Delete the entries that expired up to a time; return how many."""
    entries = model.of(team).working
    return _drop(model, team, {key for key, one in entries.items() if one.expires_at <= until})


def _drop(model: Model, team: str, keys: set[tuple[str, str]]) -> int:
    for key in keys:
        del model.of(team).working[key]
    return len(keys)
