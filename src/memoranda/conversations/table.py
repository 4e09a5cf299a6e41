"""Rows of compactions, the summaries of conversations.

The messages themselves are kept. An agent of None denotes the conversation of all agents of the
task.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.conversations.model import Compaction
from memoranda.json_data import dump_json
from memoranda.observations import blob_table as blobs
from memoranda.observations.blob_table import Blob
from memoranda.settings import CompactionMode
from memoranda.store.database import Row, Transaction, load_statements, row_of

SQL = load_statements(__file__)

END = 1 << 62
EVERYBODY = ""


def add(tx: Transaction, team: str, compaction: Compaction) -> bool:
    """Insert a compaction with its summary; return False if it exists already."""
    summary = Blob.of(compaction.summary)
    row = row_of(
        compaction, team=team, agent=compaction.agent or EVERYBODY, summary_hash=summary.hash
    )
    if not tx.execute(SQL["insert"], row):
        return False
    blobs.insert(tx, team, [summary])
    return True


def newest(tx: Transaction, team: str, task: str, agent: str | None) -> Compaction | None:
    """Return the compaction that covers most messages, or None."""
    return next(iter(listed(tx, team, task, agent, limit=1)), None)


def listed(
    tx: Transaction, team: str, task: str, agent: str | None, *, before: int = END, limit: int
) -> list[Compaction]:
    """Return the compactions that end before a message, latest first.

    Raises:
        CorruptData: a stored summary does not match its hash.
    """
    bindings = {
        "team": team,
        "task": task,
        "agent": agent or EVERYBODY,
        "before": before,
        "limit": limit,
    }
    return [_compaction(row) for row in tx.fetch(SQL["list"], bindings)]


def extent(
    tx: Transaction, team: str, task: str, agent: str | None, span: tuple[int, int] = (0, END)
) -> tuple[int, int]:
    """Return the number and the tokens of the messages within ``span``.

    The ends of ``span`` are exclusive sequence numbers. Messages of an abandoned branch do not
    count.
    """
    bindings = {
        "team": team,
        "task": task,
        "agent": agent or EVERYBODY,
        "after": span[0],
        "before": span[1],
    }
    count, tokens = tx.first(SQL["extent"], bindings) or (0, 0)
    return int(count), int(tokens)


def drop_outdated(tx: Transaction, team: str, tasks: Sequence[str]) -> list[str]:
    """Delete compactions that cover deleted messages of tasks.

    Their summaries remain stored until `blobs.delete_unused` is called with the returned hashes.
    """
    bindings = {"team": team, "tasks": dump_json(list(tasks))}
    rows = tx.fetch(SQL["outdated"], bindings)
    for _, task, agent, until in rows:
        place = {"team": team, "task": task, "agent": agent, "until_sequence": until}
        tx.execute(SQL["delete"], place)
    return [row[0] for row in rows]


def _compaction(row: Row) -> Compaction:
    task, agent, until, tokens, source_tokens, mode, created_at, digest, codec, data = row
    return Compaction(
        task,
        agent or None,
        until,
        blobs.checked(digest, codec, data),
        tokens,
        source_tokens,
        CompactionMode(mode),
        created_at,
    )
