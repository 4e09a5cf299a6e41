"""Journal rows: append-only, each with the hash of the previous entry."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from memoranda.ids import trace_id
from memoranda.journal.filter import JournalFilter
from memoranda.journal.model import GENESIS, JournalCheck, JournalEntry
from memoranda.json_data import JsonValue, dump_json
from memoranda.store.database import Row, Transaction, load_statements

SQL = load_statements(__file__)

NEWEST = 1 << 62
COMMON_OPERATION = "observe"
"""Operation of most entries."""
TRACE = "trace_id"
"""Name of the trace id in the stored details, which the hash covers."""
_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class NewJournalEntry:
    """Content of a new entry: ids and counts, never text from a memory."""

    at: int
    actor: str
    operation: str
    subject: str
    detail: Mapping[str, JsonValue]


def append(tx: Transaction, team: str, note: NewJournalEntry) -> JournalEntry:
    """Add one entry in the transaction of the change that the entry records."""
    newest, previous = _head(tx, team)
    sequence = newest + 1
    trace: dict[str, JsonValue] = {TRACE: present} if (present := trace_id()) else {}
    row = {
        "team": team,
        "sequence": sequence,
        "at": note.at,
        "actor": note.actor,
        "operation": note.operation,
        "subject": note.subject,
        "detail": dump_json({**note.detail, **trace}),
        "previous": previous,
    }
    row["hash"] = _seal(tuple(row.values()))
    tx.execute(SQL["insert"], row)
    tx.execute(SQL["set_head"], {"team": team, "sequence": sequence, "hash": row["hash"]})
    return _entry(tuple(row.values()))


def version(tx: Transaction, team: str) -> str:
    """Return the version of a team's data; equal versions mean equal data.

    The version is the sequence number of the newest entry with its hash, since a restored backup
    reuses sequence numbers.
    """
    sequence, digest = _head(tx, team)
    return f"{sequence}-{digest}" if sequence else ""


def listed(
    tx: Transaction,
    team: str,
    *,
    operation: str | None = None,
    subject: str | None = None,
    before: int = NEWEST,
    limit: int = 50,
) -> list[JournalEntry]:
    """Return entries with a sequence number below ``before``, newest first."""
    bindings = {
        "team": team,
        "before": before,
        "operation": operation,
        "subject": subject,
        "limit": limit,
    }
    return [_entry(row) for row in tx.fetch(SQL[_listing(operation, subject)], bindings)]


def matching(
    tx: Transaction, team: str, where: JournalFilter, *, before: int = NEWEST, limit: int = 50
) -> list[JournalEntry]:
    """Return the entries of a filter with a sequence number below ``before``, newest first."""
    bindings = {
        "team": team,
        "before": before,
        "named": int(where.operation is not None),
        "operations": dump_json(list(where.operations)),
        "act": "" if where.act is None else f"%{dump_json({'act': where.act})[1:-1]}%",
        "subject": where.subject,
        "actor": where.actor,
        "since": where.since,
        "until": where.until,
        "limit": limit,
    }
    return [_entry(row) for row in tx.fetch(SQL["list_matching"], bindings)]


def following(tx: Transaction, team: str, after: int, limit: int) -> list[JournalEntry]:
    """Return entries with a sequence number above ``after``, oldest first."""
    bindings = {"team": team, "after": after, "limit": limit}
    return [_entry(row) for row in tx.fetch(SQL["chain"], bindings)]


def verify(tx: Transaction, team: str) -> JournalCheck:
    """Verify the hash chain; locate the first entry that breaks it.

    If an entry was edited, deleted, reordered or cut off, its position is returned.
    """
    previous, sequence = GENESIS, 0
    while rows := tx.fetch(SQL["chain"], {"team": team, "after": sequence, "limit": _PAGE}):
        for row in rows:
            reason = _misfit(row, sequence + 1, previous)
            if reason:
                return JournalCheck(sequence, previous, sequence + 1, reason)
            sequence, previous = row[1], row[8]
    if _head(tx, team) != (sequence, previous):
        return JournalCheck(sequence, previous, sequence + 1, "entries are missing at the end")
    return JournalCheck(sequence, previous, None, None)


def _head(tx: Transaction, team: str) -> tuple[int, str]:
    """Return the sequence and hash of the newest entry."""
    row = tx.first(SQL["head"], {"team": team})
    return (row[0], row[1]) if row else (0, GENESIS)


def _misfit(row: Row, sequence: int, previous: str) -> str | None:
    if row[1] != sequence:
        return "an entry is missing"
    if row[7] != previous:
        return "the entry does not follow the previous one"
    if row[8] != _seal(row[:8]):
        return "the entry was changed"
    return None


def _seal(fields: Row) -> str:
    """Return the SHA-256 over the canonical JSON of all fields.

    The previous hash is one of the fields.
    """
    return hashlib.sha256(dump_json(list(fields)).encode()).hexdigest()


def _listing(operation: str | None, subject: str | None) -> str:
    """Return the SQL statement that lists entries with the best index."""
    if subject is not None:
        return "list_about"
    return "list" if operation in (None, COMMON_OPERATION) else "list_of"


def _entry(row: Row) -> JournalEntry:
    team, sequence, at, actor, operation, subject, detail, previous, digest = row
    fields = json.loads(detail)
    trace = fields.pop(TRACE, "")
    return JournalEntry(
        team, sequence, at, actor, operation, subject, fields, previous, digest, trace_id=trace
    )
