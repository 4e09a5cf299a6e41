"""The journal in the model."""

from __future__ import annotations

import hashlib
import json

from contract.model.content import Model
from memoranda.journal.filter import MEMORY_CHANGE, JournalFilter
from memoranda.journal.model import GENESIS, JournalCheck, JournalEntry
from memoranda.journal.table import NEWEST, NewJournalEntry


def append(model: Model, team: str, note: NewJournalEntry) -> JournalEntry:
    """Add one entry, sealed with the one before."""
    entries = model.of(team).journal
    sequence = len(entries) + 1
    previous = entries[sequence - 1].hash if entries else GENESIS
    detail = _written(note.detail)
    fields = (team, sequence, note.at, note.actor, note.operation, note.subject)
    seal = hashlib.sha256(_written([*fields, detail, previous]).encode()).hexdigest()
    entries[sequence] = JournalEntry(*fields, json.loads(detail), previous, seal)
    return entries[sequence]


def version(model: Model, team: str) -> str:
    """Return the version of the team's data."""
    entries = model.of(team).journal
    return f"{len(entries)}-{entries[len(entries)].hash}" if entries else ""


def listed(
    model: Model,
    team: str,
    *,
    operation: str | None = None,
    subject: str | None = None,
    before: int = NEWEST,
    limit: int = 50,
) -> list[JournalEntry]:
    """Return entries newest first."""
    found = [
        entry
        for entry in reversed(model.of(team).journal.values())
        if entry.sequence < before
        and operation in (None, entry.operation)
        and subject in (None, entry.subject)
    ]
    return found[:limit]


def matching(
    model: Model, team: str, where: JournalFilter, *, before: int = NEWEST, limit: int = 50
) -> list[JournalEntry]:
    """Return the entries of a filter, newest first."""
    found = [
        entry
        for entry in listed(model, team, subject=where.subject, before=before, limit=1 << 62)
        if where.actor in (None, entry.actor)
        and (where.since is None or entry.at >= where.since)
        and (where.until is None or entry.at < where.until)
        and (
            where.operation is None
            or entry.operation in where.operations
            or (entry.operation == MEMORY_CHANGE and entry.detail.get("act") == where.act)
        )
    ]
    return found[:limit]


def verify(model: Model, team: str) -> JournalCheck:
    """Return an intact chain, because nothing can change it here."""
    entries = model.of(team).journal
    head = entries[len(entries)].hash if entries else GENESIS
    return JournalCheck(len(entries), head, None, None)


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
