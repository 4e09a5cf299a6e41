"""Differences between two checkpoints, as unified diffs."""

from __future__ import annotations

from dataclasses import replace

from memoranda.blocks import table as blocks
from memoranda.blocks.model import Block
from memoranda.blocks.places import visible_to
from memoranda.blocks.text_edits import changed_lines
from memoranda.checkpoints.model import Snapshot
from memoranda.json_data import dump_json
from memoranda.scope import Scope
from memoranda.store.database import Transaction

STATE = "state"
"""Name of the state, used alongside the labels of blocks."""


def compared(tx: Transaction, scope: Scope, old: Snapshot, new: Snapshot) -> dict[str, str]:
    """Return unified diffs of the changed visible blocks, by label.

    The diff of the state is under ``state``.
    """
    ids = {saved.block for snapshot in (old, new) for saved in snapshot.blocks}
    where = replace(visible_to(scope), deleted=None)
    by_id = blocks.visible_among(tx, scope.team, where, sorted(ids))
    before, after = (_values(tx, snapshot, by_id) for snapshot in (old, new))
    pairs = {name: (before.get(id, ""), after.get(id, "")) for id, name in _names(by_id).items()}
    pairs[STATE] = (_state(old), _state(new))
    return {name: changed_lines(*pair) for name, pair in pairs.items() if pair[0] != pair[1]}


def _names(by_id: dict[str, Block]) -> dict[str, str]:
    """Return a unique name for each block.

    The name is the block's label, followed by the block's id if another block has the same label.
    """
    named: dict[str, str] = {}
    for id, block in sorted(by_id.items(), key=lambda item: (item[1].label, item[0])):
        taken = block.label == STATE or block.label in named.values()
        named[id] = f"{block.label} ({id})" if taken else block.label
    return named


def _values(tx: Transaction, snapshot: Snapshot, by_id: dict[str, Block]) -> dict[str, str]:
    values = {}
    for saved in snapshot.blocks:
        if saved.block in by_id:
            version = blocks.version(tx, snapshot.checkpoint.team, saved.block, saved.version)
            values[saved.block] = version.value if version else ""
    return values


def _state(snapshot: Snapshot) -> str:
    return dump_json(dict(snapshot.state), indent=2)
