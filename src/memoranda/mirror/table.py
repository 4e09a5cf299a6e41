"""Rows of mirrors: the folder of a team, and the state of each file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from memoranda.jobs.model import JobKind
from memoranda.json_data import dump_json
from memoranda.mirror.model import FileKind, Mirror, MirrorFile, MirrorNote
from memoranda.store.database import RowType, Transaction, load_statements, row_of

SQL = load_statements(__file__)

FILE = RowType(MirrorFile, kind=FileKind, entries=json.loads, next_entries=json.loads)

PAGE = 1_000


def of(tx: Transaction, team: str) -> Mirror | None:
    """Return the mirror of a team; None if it is off."""
    row = tx.first(SQL["of"], {"team": team})
    if row is None:
        return None
    entries, folder, mark, created_at, synced_at, notes = row
    noted = tuple(MirrorNote(*note) for note in json.loads(notes))
    return Mirror(entries, folder, mark, created_at, synced_at, noted)


def put(tx: Transaction, mirror: Mirror) -> None:
    """Store the location and the notes of a team's mirror."""
    notes = dump_json([[note.path, note.what, note.noted_at] for note in mirror.notes])
    row = row_of(mirror, notes=notes)
    tx.execute(SQL["put"], row)


def drop(tx: Transaction, team: str) -> bool:
    """Delete a mirror and its file records; return False if there is none."""
    return tx.execute(SQL["drop"], {"team": team}) > 0


def files(tx: Transaction, team: str) -> dict[str, MirrorFile]:
    """Return the records of all files, by path."""
    result: dict[str, MirrorFile] = {}
    after = ""
    while rows := tx.fetch(SQL["files"], {"team": team, "after": after, "limit": PAGE}):
        result |= {row[1]: FILE(row) for row in rows}
        after = rows[-1][1]
    return result


def put_files(tx: Transaction, files: Iterable[MirrorFile]) -> None:
    """Store the records of files."""
    rows = [
        asdict(file)
        | {
            "entries": dump_json(dict(file.entries)),
            "next_entries": dump_json(dict(file.next_entries)),
        }
        for file in files
    ]
    tx.many(SQL["put_file"], rows)


def drop_files(tx: Transaction, team: str, paths: Sequence[str]) -> int:
    """Delete the records of files; return how many."""
    return tx.execute(SQL["drop_files"], {"team": team, "paths": dump_json(list(paths))})


def touch(tx: Transaction, team: str, id: str, now: int) -> bool:
    """Enqueue a job that updates the files, if there is a mirror.

    No job is added if such a job is already waiting.
    """
    bindings = {"team": team, "id": id, "kind": JobKind.MIRROR, "now": now}
    return tx.execute(SQL["touch"], bindings) > 0


def versions(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, int]:
    """Return how often memories were changed, by id; omit unchanged ones."""
    rows = tx.fetch(SQL["versions"], {"team": team, "ids": dump_json(list(ids))})
    return {memory: int(number) for memory, number in rows}


def memories_of_task(tx: Transaction, team: str, task: str, limit: int) -> list[str]:
    """Return approved memories based on a task's observations.

    The oldest come first; private memories are excluded.
    """
    rows = tx.fetch(SQL["learned"], {"team": team, "task": task, "limit": limit})
    return [row[0] for row in rows]
