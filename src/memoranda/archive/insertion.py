"""Insertion of prepared rows in one transaction; existing rows are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from memoranda.archive import rows
from memoranda.archive.kinds import (
    AGENTS,
    BLOCK_VERSIONS,
    BLOCKS,
    CHECKPOINTS,
    COMPACTIONS,
    FLAGS,
    HOLDERS,
    LISTS,
    MEMORIES,
    MEMORY_VERSIONS,
    OBSERVATIONS,
    TASK_STATES,
    TASKS,
    WORKSPACES,
    RowKind,
)
from memoranda.archive.observation_insertion import (
    FORGOTTEN,
    add_observations,
    observation_refusals,
)
from memoranda.archive.preparation import PreparedRow
from memoranda.json_data import dump_json
from memoranda.memories import table as memories, tombstone_table as tombstones
from memoranda.memories.memory_service import text_entry
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.memories.tombstone_table import memory_key
from memoranda.observations import blob_table as blobs, total_table as observation_totals
from memoranda.proposals import table as proposals
from memoranda.proposals.model import (
    IMPORTED_FROM,
    MemoryState,
    Notification,
    NotificationKind,
    Proposal,
    ProposalKind,
    ProposalStatus,
)
from memoranda.store.database import Transaction, load_statements
from memoranda.store.table_catalogue import TABLES
from memoranda.tasks.model import Workspace
from memoranda.workspaces import table as workspaces

SQL = load_statements(__file__)

Refused: TypeAlias = Set[tuple[str, str]]
"""Refused rows, as pairs of kind and id."""

_SAVED_BLOCKS = next(table for table in TABLES if table.name == "checkpoint_block")


@dataclass(slots=True)
class InsertResult:
    """Outcome of inserting rows of a kind."""

    added: list[PreparedRow] = field(default_factory=list)
    there: list[PreparedRow] = field(default_factory=list)
    refused: list[tuple[PreparedRow, str]] = field(default_factory=list)
    """Refused rows with their reasons."""


def add(
    tx: Transaction,
    team: str,
    kind: RowKind,
    prepared: Sequence[PreparedRow],
    refused: Refused,
    *,
    dry_run: bool,
) -> InsertResult:
    """Add new rows; return the added, existing and refused rows.

    A dry run writes nothing. ``refused`` contains the refused rows of earlier kinds; rows that
    refer to one of these rows are refused as well.
    """
    outcome = InsertResult()
    existing = rows.by_key(tx, kind, team, [str(row.key(kind)[0]) for row in prepared])
    edited = _edited(tx, team, prepared, existing) if kind is BLOCKS else set()
    fresh: list[PreparedRow] = []
    for prepared_row in prepared:
        found = existing.get(prepared_row.key(kind))
        if found is not None and (
            prepared_row.key(kind) in edited or not _is_same(kind, found, prepared_row.row)
        ):
            outcome.refused.append((prepared_row, "it already exists here with different content"))
        elif found is not None:
            outcome.there.append(prepared_row)
        elif reason := _without(kind, prepared_row.row, refused):
            outcome.refused.append((prepared_row, reason))
        else:
            fresh.append(prepared_row)
    hindrances = _HINDRANCES.get(kind.name)
    reasons = hindrances(tx, team, fresh) if hindrances and fresh else {}
    for at, prepared_row in enumerate(fresh):
        if at in reasons:
            outcome.refused.append((prepared_row, reasons[at]))
        else:
            outcome.added.append(prepared_row)
    if outcome.added and not dry_run:
        blobs.insert(tx, team, [item.blob for item in outcome.added if item.blob])
        _ADDERS.get(kind.name, _adder(kind))(tx, team, outcome.added)
    return outcome


def _is_same(kind: RowKind, found: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    if kind is TASKS and found["observations"] < row["observations"]:
        # the stored task is shorter: its next observations would get the same numbers
        return False
    return all(found[name] == row[name] for name in kind.compared)


def _edited(
    tx: Transaction,
    team: str,
    prepared: Sequence[PreparedRow],
    existing: Mapping[tuple[Any, ...], Any],
) -> set[tuple[Any, ...]]:
    """Return the keys of blocks whose history differs from the archived one."""
    there = [item for item in prepared if item.key(BLOCKS) in existing]
    found = rows.by_key(tx, BLOCK_VERSIONS, team, [row.row["id"] for row in there])
    return {
        prepared_row.key(BLOCKS)
        for prepared_row in there
        for part in prepared_row.parts.get(BLOCK_VERSIONS.name, ())
        if (version := found.get(part.key(BLOCK_VERSIONS))) is None
        or not _is_same(BLOCK_VERSIONS, version, part.row)
    }


def _without(kind: RowKind, row: Mapping[str, Any], refused: Refused) -> str:
    """Return why a row is refused with the row that it belongs to, or ""."""
    if not refused:
        return ""
    wanted = [(of, row[name]) for name, of in kind.inside.items()]
    if kind is CHECKPOINTS:
        wanted += [(BLOCKS.name, entry["block"]) for entry in row["blocks"]]
    for of, id in wanted:
        if (of, id) in refused:
            return f"one of the {of} that the row belongs to was refused: {id}"
    return ""


# ------------------------------------------------------------------ refusals

RefusalReasons: TypeAlias = Callable[[Transaction, str, Sequence[PreparedRow]], dict[int, str]]
"""Callable that returns the reasons for refusing rows, by position."""


def _task_hindrances(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> dict[int, str]:
    sessions = dump_json([row.row["session"] for row in prepared])
    found = tx.fetch(SQL["sessions"], {"team": team, "sessions": sessions})
    taken = {(host, session): f"task {id} has its session" for host, session, id in found}
    reasons: dict[int, str] = {}
    for at, prepared_row in enumerate(prepared):
        place = prepared_row.row["host"], prepared_row.row["session"]
        if place in taken:
            reasons[at] = taken[place]
        else:
            taken[place] = "another task of the archive has the same session"
    return reasons


def _checkpoint_hindrances(
    tx: Transaction, team: str, prepared: Sequence[PreparedRow]
) -> dict[int, str]:
    taken: dict[str, set[int]] = {}
    for task in {prepared_row.row["task"] for prepared_row in prepared}:
        numbers = [one.row["sequence"] for one in prepared if one.row["task"] == task]
        bindings = {"team": team, "task": task, "sequences": dump_json(list(numbers))}
        taken[task] = {row[0] for row in tx.fetch(SQL["checkpoint_sequences"], bindings)}
    reasons: dict[int, str] = {}
    for at, item in enumerate(prepared):
        number, there = item.row["sequence"], taken[item.row["task"]]
        if number in there:
            reasons[at] = f"its task has another checkpoint with the number {number}"
        there.add(number)
    return reasons


def _memory_hindrances(
    tx: Transaction, team: str, prepared: Sequence[PreparedRow]
) -> dict[int, str]:
    """Refuse memories that were forgotten in this store, even with new ids."""
    names = [{memory_key(id) for id in (row.id, row.row["id"])} for row in prepared]
    buried = tombstones.with_tombstone(tx, team, [key for name in names for key in name])
    return {at: FORGOTTEN for at, name in enumerate(names) if not buried.isdisjoint(name)}


_HINDRANCES: Mapping[str, RefusalReasons] = {
    TASKS.name: _task_hindrances,
    OBSERVATIONS.name: observation_refusals,
    MEMORIES.name: _memory_hindrances,
    CHECKPOINTS.name: _checkpoint_hindrances,
}

# ------------------------------------------------------------------ writing

Adder: TypeAlias = Callable[[Transaction, str, Sequence[PreparedRow]], None]


def _adder(kind: RowKind) -> Adder:
    def insert(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> None:
        kind.table.insert(tx, [stored_row(kind, row.row) for row in prepared])

    return insert


def stored_row(kind: RowKind, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Convert a row to a tuple in the column order of its table."""
    return tuple(
        dump_json(row[name]) if name in LISTS else int(row[name]) if name in FLAGS else row[name]
        for name in kind.table.columns
    )


def _add_workspaces(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> None:
    for prepared_row in prepared:
        row = prepared_row.row
        workspace = Workspace(team, row["id"], row["name"], row["root"], row["created_at"])
        workspaces.insert(tx, workspace, row["aliases"])


def _add_tasks(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> None:
    """Add tasks; a task whose number is taken gets the next free number."""
    numbers = dump_json([prepared_row.row["number"] for prepared_row in prepared])
    taken = {row[0] for row in tx.fetch(SQL["numbers"], {"team": team, "numbers": numbers})}
    (highest,) = tx.first(SQL["highest"], {"team": team}) or (0,)
    free = max(highest, *(item.row["number"] for item in prepared))
    for one in prepared:
        number = one.row["number"]
        if number in taken:
            free = number = free + 1
        taken.add(number)
        TASKS.table.insert(tx, [stored_row(TASKS, one.row | {"number": number})])
        observation_totals.count_redactions(tx, team, one.row["id"], one.row["redactions"])


def _add_memories(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> None:
    for prepared_row in prepared:
        row = stored_row(MEMORIES, prepared_row.row | {"content_hash": ""})
        memory = memories.as_value(dict(zip(MEMORIES.table.columns, row, strict=True)))
        memories.insert(tx, memory, text_entry(memory), prepared_row.row["evidence"])
        if memory.status is MemoryStatus.PENDING:
            _propose(tx, memory, prepared_row)


def _propose(tx: Transaction, memory: Memory, prepared: PreparedRow) -> None:
    """Create a proposal for an imported memory that is not approved yet."""
    state = MemoryState.of(memory)
    waits = Proposal(
        team=memory.team,
        id=memory.id,
        kind=ProposalKind.ADD,
        memory=memory.id,
        workspace=memory.workspace,
        agent=None,
        task=None,
        reason=f"{IMPORTED_FROM} {prepared.source or 'an archive'}",
        before=state,
        after=replace(state, status=MemoryStatus.APPROVED),
        status=ProposalStatus.PENDING,
        created_at=prepared.at or memory.updated_at,
        decided_at=None,
        decided_by=None,
        note="",
    )
    proposals.put(tx, waits)
    notification = Notification(
        memory.team, memory.id, NotificationKind.PENDING, waits.id, waits.created_at
    )
    proposals.put_notification(tx, notification)


def _add_blocks(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> None:
    """Add blocks with all their versions and holders.

    If a label is already taken by a block of the same owner, a number is appended to the label.
    """
    for row in prepared:
        label = _free_label(tx, team, row.row)
        BLOCKS.table.insert(tx, [stored_row(BLOCKS, row.row | {"label": label})])
        for kind in (BLOCK_VERSIONS, HOLDERS):
            parts = row.parts.get(kind.name, [])
            blobs.insert(tx, team, [part.blob for part in parts if part.blob])
            kind.table.insert(tx, [stored_row(kind, part.row) for part in parts])


def _free_label(tx: Transaction, team: str, row: Mapping[str, Any]) -> str:
    names = ("workspace", "task", "agent")
    bindings = {name: row[name] for name in names} | {"team": team, "shared": int(row["shared"])}
    label, number = str(row["label"]), 1
    while row["deleted_at"] is None and tx.first(SQL["label"], bindings | {"label": label}):
        number += 1
        label = f"{row['label']}-{number}"
    return label


def _add_checkpoints(tx: Transaction, team: str, prepared: Sequence[PreparedRow]) -> None:
    CHECKPOINTS.table.insert(
        tx, [stored_row(CHECKPOINTS, prepared_row.row) for prepared_row in prepared]
    )
    entries = [
        (team, row.row["id"], block["block"], block["version"], block["size_limit"])
        for row in prepared
        for block in row.row["blocks"]
    ]
    _SAVED_BLOCKS.insert(tx, entries)


_ADDERS: Mapping[str, Adder] = {
    WORKSPACES.name: _add_workspaces,
    AGENTS.name: _adder(AGENTS),
    TASKS.name: _add_tasks,
    OBSERVATIONS.name: add_observations,
    MEMORIES.name: _add_memories,
    MEMORY_VERSIONS.name: _adder(MEMORY_VERSIONS),
    BLOCKS.name: _add_blocks,
    CHECKPOINTS.name: _add_checkpoints,
    TASK_STATES.name: _adder(TASK_STATES),
    COMPACTIONS.name: _adder(COMPACTIONS),
}
