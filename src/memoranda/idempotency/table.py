"""The first answers to requests that may be repeated."""

from __future__ import annotations

from memoranda.idempotency.model import IdempotencyRecord
from memoranda.store.database import Row, Transaction, load_statements

SQL = load_statements(__file__)


def reserve(tx: Transaction, answer: IdempotencyRecord) -> bool:
    """Write down that a request is begun; False where its key is taken."""
    row = {
        "team": answer.team,
        "caller": answer.caller,
        "key": answer.key,
        "request_hash": answer.request_hash,
        "created_at": answer.created_at,
    }
    return tx.execute(SQL["reserve"], row) > 0


def of(tx: Transaction, team: str, caller: str, key: str) -> IdempotencyRecord | None:
    """Return what is known of a key of somebody."""
    row = tx.first(SQL["of"], {"team": team, "caller": caller, "key": key})
    return _answer(row) if row else None


def finish(
    tx: Transaction, team: str, caller: str, key: str, status: int, body: str | None
) -> bool:
    """Keep the answer of a request that was begun."""
    given = {"team": team, "caller": caller, "key": key, "status": status, "body": body}
    return tx.execute(SQL["finish"], given) > 0


def release(tx: Transaction, team: str, caller: str, key: str) -> bool:
    """Let go of a key whose request was begun and did nothing."""
    return tx.execute(SQL["release"], {"team": team, "caller": caller, "key": key}) > 0


def drop_before(tx: Transaction, team: str, time: int) -> int:
    """Drop keys that were begun before a time; return how many."""
    return tx.execute(SQL["drop_before"], {"team": team, "time": time})


def clear(tx: Transaction, team: str) -> int:
    """Drop the texts of all answers, since they may hold what is to be forgotten; the keys stay."""
    return tx.execute(SQL["clear"], {"team": team})


def _answer(row: Row) -> IdempotencyRecord:
    return IdempotencyRecord(*row)
