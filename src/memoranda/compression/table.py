"""Rows of stage and task summaries.

The summarised observations are kept.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

from memoranda.compression.model import CompressedLine, Compression, PassageSpeaker, excess_reason
from memoranda.json_data import JsonValue, dump_json
from memoranda.observations import blob_table as blobs
from memoranda.observations.blob_table import Blob
from memoranda.store.database import Row, Transaction, load_statements, row_of

SQL = load_statements(__file__)

READ = 512
"""Number of cached stage summaries, since a context needs all of a task's summaries."""


def put(tx: Transaction, made: Compression) -> None:
    """Store a compression; replace the earlier one of this stage or task."""
    before = tx.first(SQL["hash_of"], _place(made.team, made.task, made.stage))
    lines = Blob.of(dump_json([made.text, [_plain(line) for line in made.lines]]))
    blobs.insert(tx, made.team, [lines])
    row = row_of(made, lines_hash=lines.hash)
    tx.execute(SQL["put"], row)
    if before:
        blobs.delete_unused(tx, made.team, [before[0]])


def of(tx: Transaction, team: str, task: str, stage: int) -> Compression | None:
    """Return the summary of a stage (0: the task); None if missing.

    Raises:
        CorruptData: the summary is not what was stored.
    """
    row = tx.first(SQL["columns"] + SQL["of"], _place(team, task, stage))
    return _compression(row) if row else None


def listed(tx: Transaction, team: str, task: str) -> list[Compression]:
    """Return a task's stage summaries in order; the task's own is first.

    Raises:
        CorruptData: one of the summaries is not what was stored.
    """
    rows = tx.fetch(SQL["columns"] + SQL["listed"], {"team": team, "task": task})
    return [_compression(row) for row in rows]


def sizes(tx: Transaction, team: str, task: str) -> dict[int, int]:
    """Return the token counts of a task's stage summaries, in order.

    The summary of the task itself comes first.
    """
    rows = tx.fetch(SQL["sizes"], {"team": team, "task": task})
    return {stage: int(tokens) for stage, tokens in rows}


def token_debt(tx: Transaction, team: str, task: str, stage: int, target: float) -> int:
    """Return how many tokens of earlier stages exceed their common target."""
    row = tx.first(SQL["owed"], _place(team, task, stage) | {"target": target})
    return round(float(row[0])) if row and row[0] is not None else 0


def of_stages(tx: Transaction, team: str, task: str, stages: Sequence[int]) -> list[Compression]:
    """Return the summaries of the given stages of a task, in order.

    Raises:
        CorruptData: one of the summaries is not what was stored.
    """
    bindings = {"team": team, "task": task, "stages": dump_json(list(stages))}
    return [_compression(row) for row in tx.fetch(SQL["columns"] + SQL["some"], bindings)]


def agreement(tx: Transaction, team: str, task: str) -> float:
    """Return how well the summaries of a task agree with the task's record.

    The result is 1 if each summary keeps every fact and contradicts nothing, otherwise the score of
    the worst summary. The texts of the summaries are not read.
    """
    rows = tx.fetch(SQL["kept"], {"team": team, "task": task})
    shares = (
        (retained / facts if facts else 1.0) / (1 + against) for facts, retained, against in rows
    )
    return min(shares, default=1.0)


def summarised_extents(tx: Transaction, team: str, task: str) -> dict[int, tuple[int, int]]:
    """Return the extent of each stage of a task that has a summary.

    An extent is the last sequence and the tokens of the summary's source.
    """
    rows = tx.fetch(SQL["standing"], {"team": team, "task": task})
    return {number: (until, tokens) for number, until, tokens in rows}


def recent(
    tx: Transaction, team: str, workspace: str | None, task: str | None = None, *, limit: int
) -> list[Compression]:
    """Return the latest compressions, newest first, without text and lines."""
    bindings = {"team": team, "workspace": workspace, "task": task, "limit": limit}
    return [_compression(row) for row in tx.fetch(SQL["recent"], bindings)]


def drop(tx: Transaction, team: str, tasks: Sequence[str]) -> list[str]:
    """Delete the summaries of the given tasks and their stages.

    The summaries can be rebuilt afterwards. The texts remain until `blobs.delete_unused` is called
    with the returned hashes.
    """
    bindings = {"team": team, "tasks": dump_json(list(tasks))}
    hashes = [row[0] for row in tx.fetch(SQL["hashes"], bindings)]
    tx.execute(SQL["drop"], bindings)
    return hashes


def _place(team: str, task: str, stage: int) -> dict[str, object]:
    return {"team": team, "task": task, "stage": stage}


def _plain(line: CompressedLine) -> list[JsonValue]:
    fields: list[JsonValue] = [line.ref, line.speaker, line.text]
    return [*fields, line.outdated, round(line.worth, 4), line.pinned, line.times]


@lru_cache(maxsize=READ)
def _read(digest: str, codec: str, data: bytes) -> tuple[str, tuple[CompressedLine, ...]]:
    text, plain = json.loads(blobs.checked(digest, codec, data))
    return text, tuple(
        CompressedLine(ref, PassageSpeaker(speaker), *more) for ref, speaker, *more in plain
    )


def _compression(row: Row) -> Compression:
    *columns, digest, codec, data = row
    team, task, stage, until, tokens, source_tokens, target, *rest = columns
    text, lines = _read(digest, codec, data) if data else ("", ())
    facts, retained, contradictions, method, cost, declined, tries, created_at = rest
    return Compression(
        team=team,
        task=task,
        stage=stage,
        until_sequence=until,
        text=text,
        lines=lines,
        tokens=tokens,
        source_tokens=source_tokens,
        target=float(target),
        facts=facts,
        kept=retained,
        contradictions=contradictions,
        method=method,
        cost=cost,
        declined=declined,
        tries=tries,
        created_at=created_at,
        beyond=excess_reason(tokens, source_tokens, float(target)) if stage else "",
    )
