"""Rows of blocks, their versions, and the agents they are attached to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.blocks.model import (
    Author,
    Block,
    BlockChangeKind,
    BlockHolder,
    BlockPlace,
    BlockVersion,
)
from memoranda.json_data import dump_json
from memoranda.observations import blob_table as blobs
from memoranda.observations.blob_table import Blob
from memoranda.store.database import Row, Transaction, load_statements, row_of

SQL = load_statements(__file__)

NEWEST = 1 << 62
START = ("", "")
"""The (label, id) pair that precedes every block in a list."""


@dataclass(frozen=True, slots=True)
class BlockFilter:
    """Filter for blocks."""

    workspace: str | None = None
    task: str | None = None
    agent: str | None = None
    """The calling agent; None for a person."""
    private: bool = True
    """Whether a person sees the private blocks of agents."""
    label: str | None = None
    deleted: bool | None = False
    """Whether to return deleted blocks instead; None for both kinds."""


def insert(tx: Transaction, block: Block, first: BlockVersion) -> None:
    """Add a block with its first value.

    Raises:
        StorageError: a block of the same owner already has this label; `at_place` returns it.
    """
    tx.execute(SQL["insert"], _row(block))
    _add(tx, block.team, first)


def write(tx: Transaction, block: Block, version: BlockVersion) -> None:
    """Set a new value of a block, and keep the previous one."""
    _add(tx, block.team, version)
    update(tx, block)


def update(tx: Transaction, block: Block) -> None:
    """Store label, description, limit, and the read-only and deleted states."""
    tx.execute(SQL["update"], _row(block))


def touch(tx: Transaction, team: str, ids: Sequence[str], now: int) -> None:
    """Record that blocks were read."""
    tx.execute(SQL["touch"], {"team": team, "ids": dump_json(list(ids)), "now": now})


def by_ids(tx: Transaction, team: str, ids: Sequence[str]) -> dict[str, Block]:
    """Return blocks with their newest value, including deleted ones.

    Visibility is not checked.
    """
    bindings = {"team": team, "ids": dump_json(list(ids))}
    rows = tx.fetch(SQL["columns"] + SQL["by_ids"], bindings)
    return {row[1]: _block(row) for row in rows}


def visible(
    tx: Transaction, team: str, where: BlockFilter, *, after: tuple[str, str] = START, limit: int
) -> list[Block]:
    """Return the blocks that are visible to a caller, sorted by label.

    The list starts after a (label, id) pair.
    """
    bindings = _bindings(team, where)
    bindings |= {"after_label": after[0], "after_id": after[1], "limit": limit}
    return [_block(row) for row in tx.fetch(_seen(where) + SQL["by_label"], bindings)]


def visible_among(
    tx: Transaction, team: str, where: BlockFilter, ids: Sequence[str]
) -> dict[str, Block]:
    """Return the passed blocks that are visible to a caller."""
    bindings = _bindings(team, where) | {"ids": dump_json(list(ids))}
    rows = tx.fetch(_seen(where) + SQL["of_ids"], bindings)
    return {row[1]: _block(row) for row in rows}


def at_place(
    tx: Transaction, team: str, place: BlockPlace, label: str, *, deleted: bool = False
) -> Block | None:
    """Return the block with the given label and exactly this owner.

    With ``deleted``, return the most recently deleted block of this owner.
    """
    bindings = {
        "team": team,
        "label": label,
        "workspace": place.workspace or "",
        "task": place.task or "",
        "agent": place.agent or "",
        "shared": int(place.shared),
    }
    state = SQL["gone" if deleted else "there"]
    row = tx.first(SQL["columns"] + SQL["in_place"] + state + SQL["newest"], bindings)
    return _block(row) if row else None


def history(
    tx: Transaction, team: str, block: str, *, before: int = NEWEST, limit: int
) -> list[BlockVersion]:
    """Return a block's versions below the given number, newest first."""
    bindings = {"team": team, "block": block, "before": before, "limit": limit}
    return [_version(row) for row in tx.fetch(SQL["history"], bindings)]


def version(tx: Transaction, team: str, block: str, number: int) -> BlockVersion | None:
    """Return one version of a block's value."""
    versions = history(tx, team, block, before=number + 1, limit=1)
    return versions[0] if versions and versions[0].version == number else None


def attach(tx: Transaction, team: str, block: str, holder: BlockHolder) -> None:
    """Attach a block to an agent, or change the role of a holder."""
    row = {"team": team, "block": block, "agent": holder.agent, "role": holder.role}
    tx.execute(SQL["attach"], row | {"attached_at": holder.attached_at})


def detach(tx: Transaction, team: str, block: str, agent: str) -> bool:
    """Detach a block from an agent; return whether it was attached."""
    return tx.execute(SQL["detach"], {"team": team, "block": block, "agent": agent}) > 0


def holders(tx: Transaction, team: str, block: str) -> list[BlockHolder]:
    """Return the holders of a block."""
    rows = tx.fetch(SQL["holders"], {"team": team, "block": block})
    return [BlockHolder(*row) for row in rows]


def _add(tx: Transaction, team: str, version: BlockVersion) -> None:
    blob = Blob.of(version.value)
    blobs.insert(tx, team, [blob])
    row = row_of(
        version,
        team=team,
        value_hash=blob.hash,
        size=len(version.value),
        kind=version.change,
        source=version.author,
    )
    tx.execute(SQL["insert_version"], row)


def _seen(where: BlockFilter) -> str:
    parts = [SQL["columns"], SQL["seen"]]
    if where.deleted is not None:
        parts.append(SQL["gone" if where.deleted else "there"])
    if where.task or where.agent:
        parts.append(SQL["of_task"])
    if where.label is not None:
        parts.append(SQL["of_label"])
    return "".join(parts)


def _bindings(team: str, where: BlockFilter) -> dict[str, object]:
    return {
        "team": team,
        "workspace": where.workspace,
        "task": where.task,
        "agent": where.agent,
        "private": int(where.private),
        "label": where.label,
    }


def _row(block: Block) -> dict[str, object]:
    return {
        "team": block.team,
        "id": block.id,
        "label": block.label,
        "workspace": block.place.workspace,
        "task": block.place.task,
        "agent": block.place.agent,
        "shared": int(block.place.shared),
        "description": block.description,
        "size_limit": block.limit,
        "read_only": int(block.read_only),
        "version": block.version,
        "created_at": block.created_at,
        "updated_at": block.updated_at,
        "accessed_at": block.accessed_at,
        "deleted_at": block.deleted_at,
    }


def _block(row: Row) -> Block:
    team, id, label, workspace, task, agent, shared, description, limit, *rest = row
    read_only, version, tokens, author, created, updated, accessed, deleted, *value = rest
    return Block(
        team=team,
        id=id,
        label=label,
        place=BlockPlace(workspace, task, agent, bool(shared)),
        description=description,
        value=blobs.checked(*value),
        limit=limit,
        read_only=bool(read_only),
        version=version,
        tokens=tokens,
        author=Author(author),
        created_at=created,
        updated_at=updated,
        accessed_at=accessed,
        deleted_at=deleted,
    )


def _version(row: Row) -> BlockVersion:
    block, version, tokens, change, author, agent, reason, created_at, *value = row
    return BlockVersion(
        block=block,
        version=version,
        value=blobs.checked(*value),
        tokens=tokens,
        change=BlockChangeKind(change),
        author=Author(author),
        agent=agent,
        reason=reason,
        created_at=created_at,
    )
