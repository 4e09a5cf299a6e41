"""Lookup of blocks: all blocks in a scope, or the one with a given label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memoranda.blocks import table as blocks
from memoranda.blocks.model import DEFAULTS, Author, Block, BlockPlace, label_of
from memoranda.blocks.table import BlockFilter
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.text import clip, normalise

MAXIMUM = 200
"""Maximum number of blocks with the same label that are considered."""
COMPARED = 1_000
"""Maximum number of blocks whose labels are compared with a new label."""
NAMED = 20
"""Maximum number of blocks that an error message lists."""
ID = 36
"""Length of an id in characters."""


def visible_to(scope: Scope) -> BlockFilter:
    """Return the filter for the blocks that are visible in a scope."""
    return BlockFilter(scope.workspace, scope.task, scope.agent, scope.sees_private_blocks)


def find_block(tx: Transaction, scope: Scope, name: str, *, deleted: bool | None = False) -> Block:
    """Return the block with the given label or id in a scope.

    Args:
        deleted: whether to search for deleted blocks; None to return a deleted block only if no
            other block has the label.

    Raises:
        NotFound: the scope contains no such block.
        InvalidInput: several blocks of different owners match, and none of them has the narrowest
            scope.
    """
    block = find_block_or_none(tx, scope, name, deleted=deleted)
    if block is None:
        raise _unknown(tx, scope, name)
    return block


def find_block_or_none(
    tx: Transaction, scope: Scope, name: str, *, deleted: bool | None = False
) -> Block | None:
    """Return the block with the given label or id in a scope, or None.

    Raises as `found`.
    """
    where = replace(visible_to(scope), deleted=deleted)
    id = normalise(name).strip()
    if len(id) == ID and (by_id := blocks.visible_among(tx, scope.team, where, [id])):
        return by_id[id]
    label = label_of(normalise(name))
    several = unshadowing(
        blocks.visible(tx, scope.team, replace(where, label=label), limit=MAXIMUM)
    )
    return _narrowest(scope, several) if several else None


def protected_below(tx: Transaction, scope: Scope, block: Block) -> Block | None:
    """Return the read-only block that a block would shadow or imitate, if any."""
    block_place = block.place
    where = BlockFilter(block_place.workspace, block_place.task, scope.agent)
    found = [
        *blocks.visible(tx, scope.team, replace(where, label=block.label), limit=MAXIMUM),
        *blocks.visible(tx, scope.team, where, limit=COMPARED),
    ]
    return next((item for item in found if item.read_only and _precedes(block, item)), None)


def unshadowing(found: Sequence[Block]) -> list[Block]:
    """Return blocks except agents' blocks that shadow a read-only block.

    Such a block was created before a person protected the label, or its author could not see the
    read-only one.
    """
    protected = [block for block in found if block.read_only and block.deleted_at is None]
    return [
        item
        for item in found
        if item.read_only
        or item.author is not Author.AGENT
        or not any(_precedes(item, other) for other in protected)
    ]


def _precedes(block: Block, other: Block) -> bool:
    """Return whether a block would shadow another, or be mistaken for it.

    A label that only looks like the other block's label is misleading in every scope.
    """
    if block.id == other.id:
        return False
    if block.label != other.label:
        return _look_alike(block.label, other.label)
    block_place, wider = block.place, (None, block.place.workspace)
    anywhere = block_place.workspace is None and bool(block_place.shared or block_place.agent)
    within = anywhere or other.place.workspace in wider
    return within and other.place.task in (None, block_place.task)


def _look_alike(label: str, other: str) -> bool:
    from memoranda.quarantine.normalization import name_skeleton  # rarely needed

    return name_skeleton(label) == name_skeleton(other)


def default_place(scope: Scope, label: str) -> BlockPlace:
    """Return the owner of a default block."""
    return BlockPlace(scope.workspace, scope.task if DEFAULTS[label].of_task else None)


def missing_defaults(tx: Transaction, scope: Scope) -> list[str]:
    """Return the labels of missing default blocks of a task.

    A deleted block does not count as missing.
    """
    return [label for label in DEFAULTS if not _has_default(tx, scope, label)]


def _has_default(tx: Transaction, scope: Scope, label: str) -> bool:
    block_place = default_place(scope, label)
    places = [block_place]
    if not DEFAULTS[label].of_task:
        places += [BlockPlace(scope.workspace, scope.task), BlockPlace()]
    if any(blocks.at_place(tx, scope.team, item, label) for item in places):
        return True
    return blocks.at_place(tx, scope.team, block_place, label, deleted=True) is not None


def _narrowest(scope: Scope, several: list[Block]) -> Block:
    several.sort(key=lambda block: (_narrowness(scope, block), block.updated_at), reverse=True)
    first = several[0]
    narrow = _narrowness(scope, first)
    rivals = [one for one in several if _narrowness(scope, one) == narrow]
    if any(rival.place != first.place for rival in rivals):
        ids = ", ".join(item.id for item in rivals[:NAMED])
        raise InvalidInput(
            f"more than one block {first.label!r} is visible here; specify the workspace, the task"
            f" or an id: {ids}"
        )
    return first


def _narrowness(scope: Scope, block: Block) -> tuple[bool, ...]:
    """Return a sort key: deleted blocks and other agents' blocks come last."""
    block_place = block.place
    return (
        block.deleted_at is None,
        block_place.agent in (None, scope.agent),
        block_place.task is not None,
        block_place.agent is not None,
        block_place.shared,
        block_place.workspace is not None,
    )


def _unknown(tx: Transaction, scope: Scope, name: str) -> NotFound:
    listed = blocks.visible(tx, scope.team, visible_to(scope), limit=NAMED)
    labels = ", ".join(dict.fromkeys(block.label for block in listed)) or "none yet"
    return NotFound(f"no block {clip(normalise(name), 80)!r} here; there are: {labels}")
