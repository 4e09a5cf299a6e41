"""A mirror of a team, and its functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from contract.clock import START
from contract.records import Records
from memoranda.memories.model import Memory
from memoranda.mirror import table as mirrors
from memoranda.mirror.model import FileKind, Mirror, MirrorFile, MirrorNote
from memoranda.store.database import Transaction

PATH = "Memory/Global/patterns.md"

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "mirrors.files": lambda tx, team, h: mirrors.files(tx, team),
    "mirrors.memories_of_task": lambda tx, team, h: mirrors.memories_of_task(
        tx, team, h.task.id, 9
    ),
    "mirrors.of": lambda tx, team, h: mirrors.of(tx, team),
    "mirrors.versions": lambda tx, team, h: mirrors.versions(tx, team, [h.memory.id]),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "mirrors.drop": lambda tx, team, h: mirrors.drop(tx, team),
    "mirrors.drop_files": lambda tx, team, h: mirrors.drop_files(tx, team, [PATH]),
    "mirrors.touch": lambda tx, team, h: mirrors.touch(tx, team, h.records.ids.new(), START),
}

ADDS = frozenset({"mirrors.put", "mirrors.put_files"})


def mirror(team: str) -> Mirror:
    """Make a mirror."""
    notes = (MirrorNote(PATH, f"was deleted by {team}", START),)
    return Mirror(team, f"/srv/{team}", f"mark of {team}", START, START + 1, notes)


def hold_mirror(tx: Transaction, records: Records, memory: Memory) -> None:
    """Store a mirror with a file."""
    team = records.team
    mirrors.put(tx, mirror(team))
    entries = {memory.id: f"text of {team}"}
    stored = MirrorFile(team, PATH, FileKind.PAGE, "", f"hash of {team}", entries, START)
    mirrors.put_files(tx, [stored])
