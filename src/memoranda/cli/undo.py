"""The command that shows how recent acts are undone; it changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.output import Output, command, day, write

if TYPE_CHECKING:
    from memoranda.journal.model import JournalEntry

READ = 1_000
"""Maximum number of newest journal entries that are looked at."""
_OPPOSITES = {
    "remember": "memory archive",
    "block create": "block delete",
    "block delete": "block undelete",
    "block undelete": "block delete",
    "profile optimise": "optimize --undo",
    "quarantine hold": "quarantine release",
    "quarantine release": "quarantine hold",
}
"""Commands that undo an operation, given its subject."""
_VALUES = frozenset(
    f"block {one}" for one in ("replace", "insert", "rethink", "patch", "restore", "rollback")
)
"""Operations that gave a block a new value, as a version."""


@click.command(epilog="Example: memoranda undo")
@click.option("--limit", type=click.IntRange(1, READ), default=10, help="Maximum number of rows.")
@command
def undo_command(out: Output, data_dir: str | None, limit: int) -> None:
    """List recent acts, each with the command that undoes it.

    A change of a memory or a block is undone together with the later changes of the same one. To
    undo a rollback of a task, roll back to the checkpoint that it saved: memoranda checkpoint list.
    A rejected proposal to add a memory is approved by the command of its row. `forget` is final.
    """
    with opened(data_dir) as memory:
        undoable = list(_undoable(memory.journal.list(limit=READ)))
    found = undoable[:limit]
    rows = [(day(one.at), one.actor, _act(one), one.title, how) for one, how in found]
    payload = [
        {"at": one.at, "actor": one.actor, "act": _act(one), "subject": one.subject, "command": how}
        for one, how in found
    ]
    out.rows(payload, ("time", "actor", "act", "what", "undo with"), rows)
    if len(undoable) > limit and out.format != "json":
        write(f"{len(undoable) - limit:,} more: --limit {len(undoable)}")


def undo_of(entry: JournalEntry) -> str:
    """Return the command that undoes an act; empty if there is none."""
    version, subject = entry.detail.get("version"), entry.subject
    if entry.operation == "memory change" and entry.detail.get("act") == "approve":
        return f"memoranda memory archive {subject}"
    if entry.operation == "memory change" and isinstance(version, int):
        return f"memoranda memory restore {subject} {version}"
    if entry.operation in _VALUES and isinstance(version, int) and version > 1:
        return f"memoranda block restore {subject} {version - 1}"
    opposite = _OPPOSITES.get(entry.operation)
    return f"memoranda {opposite} {subject}" if opposite else ""


def _undoable(entries: Iterable[JournalEntry]) -> Iterator[tuple[JournalEntry, str]]:
    """Yield changes with the command that undoes them, newest first.

    A change that a later one prevents from being undone is omitted.
    """
    changed: set[str] = set()
    for entry in entries:
        how = undo_of(entry)
        if how and not (entry.operation in _OPPOSITES and entry.subject in changed):
            yield entry, how
        if how:
            changed.add(entry.subject)


def _act(entry: JournalEntry) -> str:
    act = entry.detail.get("act")
    return f"{act} memory" if entry.operation == "memory change" else entry.operation
