"""The command that shows how to undo recent acts; it changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.output import Output, command, day, write
from memoranda.ids import short

if TYPE_CHECKING:
    from memoranda.journal.model import JournalEntry

READ = 1_000
"""Maximum number of newest journal entries that are examined."""
TOGETHER = 100
"""Maximum number of changes by one command that a single command can undo."""
TITLES = 3
"""Number of titles shown for changes made together."""
_ARCHIVE = "memoranda memory archive "
_OPPOSITES = {
    "remember": "memory archive",
    "block create": "block delete",
    "block delete": "block undelete",
    "block undelete": "block delete",
    "profile optimise": "optimize --undo",
    "quarantine hold": "quarantine release",
    "quarantine release": "quarantine hold",
}
"""Commands that undo an operation on a subject."""
_OF_MEMORIES = frozenset(("remember", "memory change"))
_VALUES = frozenset(
    f"block {item}" for item in ("replace", "insert", "rethink", "patch", "restore", "rollback")
)
"""Operations that store a new value of a block as a version."""


@click.command(epilog="Example: memoranda undo")
@click.option("--limit", type=click.IntRange(1, READ), default=10, help="Maximum number of rows.")
@command
def undo_command(out: Output, data_dir: str | None, limit: int) -> None:
    """List recent actions, each with the command that undoes it.

    A change to a memory or block is undone together with the later changes to it. To undo a
    rollback of a task, roll back to the checkpoint that it saved: memoranda checkpoint list. A
    rejected proposal to add a memory is approved by the command in its row. All changes by one
    command or request are shown in one row. `forget` cannot be undone.
    """
    with opened(data_dir) as memory:
        undoable = list(_grouped(_undoable(memory.journal.list(limit=READ))))
    acts = undoable[:limit]
    rows = [(day(act.at), act.actor, act.act, act.title, act.command) for act in acts]
    payload = [
        {"at": act.at, "actor": act.actor, "act": act.act, "subject": act.subjects[0],
         "subjects": act.subjects, "command": act.command}
        for act in acts
    ]  # fmt: skip
    out.rows(payload, ("time", "actor", "act", "what", "undo with"), rows)
    if len(undoable) > limit and out.format != "json":
        write(f"{len(undoable) - limit:,} more: --limit {len(undoable)}")


@dataclass(frozen=True, slots=True)
class UndoableAct:
    """Changes of one kind by one command or request, with their undo command."""

    entries: Sequence[JournalEntry]
    """Entries of the journal, newest first."""
    commands: Sequence[str]
    """Command that undoes each entry."""

    @property
    def at(self) -> int:
        """Time of the newest change in microseconds."""
        return self.entries[0].at

    @property
    def actor(self) -> str:
        """Author of the changes."""
        return self.entries[0].actor

    @property
    def act(self) -> str:
        """Name of the act."""
        return command_of(self.entries[0])

    @property
    def subjects(self) -> Sequence[str]:
        """Ids of the changed records."""
        return [entry.subject for entry in self.entries]

    @property
    def title(self) -> str:
        """Title of the changed record; the first titles if there are several."""
        if len(self.entries) == 1:
            return self.entries[0].title
        titles = [entry.title for entry in self.entries if entry.title]
        more = "; …" if len(titles) > TITLES else ""
        return f"{len(self.entries)}: {'; '.join(titles[:TITLES])}{more}"

    @property
    def command(self) -> str:
        """Command that undoes all changes."""
        if len(self.commands) > 1 and all(item.startswith(_ARCHIVE) for item in self.commands):
            return _ARCHIVE + " ".join(map(short, self.subjects))
        return " && ".join(self.commands)


def undo_of(entry: JournalEntry) -> str:
    """Return the command that undoes an act; empty if there is none."""
    version, subject = entry.detail.get("version"), entry.subject
    if entry.operation == "memory change" and entry.detail.get("act") == "approve":
        return f"{_ARCHIVE}{subject}"
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
        if entry.operation in _OF_MEMORIES and not entry.title:
            continue  # the memory was forgotten
        if how and not (entry.operation in _OPPOSITES and entry.subject in changed):
            yield entry, how
        if how:
            changed.add(entry.subject)


def _grouped(found: Iterable[tuple[JournalEntry, str]]) -> Iterator[UndoableAct]:
    """Group adjacent acts of one kind by the same command or request."""
    group: list[tuple[JournalEntry, str]] = []
    for item in found:
        if group and not (_are_together(group[-1][0], item[0]) and len(group) < TOGETHER):
            yield UndoableAct(*zip(*group, strict=True))
            group = []
        group.append(item)
    if group:
        yield UndoableAct(*zip(*group, strict=True))


def _are_together(newer: JournalEntry, older: JournalEntry) -> bool:
    same = (newer.trace_id, command_of(newer)) == (older.trace_id, command_of(older))
    return bool(newer.trace_id) and same


def command_of(entry: JournalEntry) -> str:
    """Return the command that writes journal entries like this one."""
    act = str(entry.detail.get("act"))
    if entry.operation != "memory change" or act in ("promote", "demote"):
        return act if entry.operation == "memory change" else entry.operation
    return f"pending {act}" if act in ("approve", "reject") else f"memory {act}"
