"""Cache of language model answers, by request and task.

An answer contains text of its sources, so it is deleted with its task and whenever an observation
of the task is deleted. An answer is stored only in a row that was reserved before the call: if the
row is deleted during the call, the answer is not stored.
"""

from __future__ import annotations

import zlib

from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)

MAXIMUM = 2_000
"""Maximum number of answers per team; the oldest are removed first."""


def expect(tx: Transaction, team: str, task: str, digest: str, now: int) -> None:
    """Reserve a row for an answer, if the task exists and has no such row."""
    tx.execute(SQL["trim"], {"team": team, "most": MAXIMUM - 1})
    tx.execute(SQL["expect"], _place(team, task, digest) | {"now": now})


def put(tx: Transaction, team: str, task: str, digest: str, answer: str) -> bool:
    """Store an answer (JSON) in its reserved row; False if not stored."""
    data = zlib.compress(answer.encode())
    return tx.execute(SQL["put"], _place(team, task, digest) | {"data": data}) > 0


def release(tx: Transaction, team: str, task: str, digest: str) -> bool:
    """Remove the reserved row of a failed call; False if there is none."""
    return tx.execute(SQL["give_up"], _place(team, task, digest)) > 0


def find(tx: Transaction, team: str, task: str, digest: str) -> str | None:
    """Return an answer (JSON), or None."""
    row = tx.first(SQL["find"], _place(team, task, digest))
    return zlib.decompress(row[0]).decode() if row else None


def _place(team: str, task: str, digest: str) -> dict[str, object]:
    return {"team": team, "task": task, "hash": digest}
