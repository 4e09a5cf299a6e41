"""Answers of language models, to be given again to the same question about the same task.

An answer has words of what it was made from. It goes with its task and with every observation of
the task, also while it is waited for: it is only kept where a place was made for it beforehand.
"""

from __future__ import annotations

import zlib

from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)

MOST = 2_000
"""Answers of a team; the oldest go first."""


def expect(tx: Transaction, team: str, task: str, digest: str, now: int) -> None:
    """Make a place for the answer to a question, if the task is there and has none."""
    tx.execute(SQL["trim"], {"team": team, "most": MOST - 1})
    tx.execute(SQL["expect"], _place(team, task, digest) | {"now": now})


def put(tx: Transaction, team: str, task: str, digest: str, answer: str) -> bool:
    """Keep an answer (JSON) in its place; False when the place is gone or taken."""
    data = zlib.compress(answer.encode())
    return tx.execute(SQL["put"], _place(team, task, digest) | {"data": data}) > 0


def give_up(tx: Transaction, team: str, task: str, digest: str) -> bool:
    """Take the place back of an answer that will not come; False when there is none."""
    return tx.execute(SQL["give_up"], _place(team, task, digest)) > 0


def find(tx: Transaction, team: str, task: str, digest: str) -> str | None:
    """Return an answer (JSON), or None."""
    row = tx.first(SQL["find"], _place(team, task, digest))
    return zlib.decompress(row[0]).decode() if row else None


def _place(team: str, task: str, digest: str) -> dict[str, object]:
    return {"team": team, "task": task, "hash": digest}
