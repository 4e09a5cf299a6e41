"""Rows of stored first responses to requests, by idempotency key."""

from __future__ import annotations

from memoranda.idempotency.model import IdempotencyRecord
from memoranda.store.database import Row, Transaction, load_statements, row_of

SQL = load_statements(__file__)


def reserve(tx: Transaction, answer: IdempotencyRecord) -> bool:
    """Record that a request has started; return False if its key is in use."""
    row = row_of(answer)
    return tx.execute(SQL["reserve"], row) > 0


def of(tx: Transaction, team: str, caller: str, key: str) -> IdempotencyRecord | None:
    """Return the record for a caller's key."""
    row = tx.first(SQL["of"], {"team": team, "caller": caller, "key": key})
    return _answer(row) if row else None


def finish(
    tx: Transaction, team: str, caller: str, key: str, status: int, body: str | None
) -> bool:
    """Store the response to a request that was started."""
    bindings = {"team": team, "caller": caller, "key": key, "status": status, "body": body}
    return tx.execute(SQL["finish"], bindings) > 0


def release(tx: Transaction, team: str, caller: str, key: str) -> bool:
    """Release the key of a started request that has not changed anything."""
    return tx.execute(SQL["release"], {"team": team, "caller": caller, "key": key}) > 0


def drop_before(tx: Transaction, team: str, time: int) -> int:
    """Delete the keys of requests that began before a time; return how many."""
    return tx.execute(SQL["drop_before"], {"team": team, "time": time})


def clear(tx: Transaction, team: str) -> int:
    """Delete the texts of all responses; keep the keys.

    Responses may contain text of forgotten records.
    """
    return tx.execute(SQL["clear"], {"team": team})


def _answer(row: Row) -> IdempotencyRecord:
    return IdempotencyRecord(*row)
