"""Blocks as a checkpoint has them, brought back inside a transaction."""

from __future__ import annotations

from dataclasses import replace

from memoranda.hold.block_changes import BlockChanges, seen_by
from memoranda.hold.block_edits import Edit
from memoranda.store.database import Transaction
from memoranda.store.tables import blocks
from memoranda.values.block import Block, Change
from memoranda.values.checkpoint import HeldBlock, Snapshot
from memoranda.values.scope import Scope

MOST_BLOCKS = 1_000


def restore(
    tx: Transaction, changes: BlockChanges, scope: Scope, target: Snapshot, now: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Bring the blocks of a checkpoint back; return the labels of those that changed, and of those
    that an agent may not change."""
    restoring = _Restoring(tx, changes, scope, target, now)
    restoring.put_away_later_ones()
    for held in target.blocks:
        restoring.bring_back(held)
    return tuple(restoring.changed), tuple(restoring.left_alone)


class _Restoring:
    def __init__(
        self, tx: Transaction, changes: BlockChanges, scope: Scope, target: Snapshot, now: int
    ) -> None:
        self._tx = tx
        self._changes = changes
        self._scope = scope
        self._reason = f"back to checkpoint {target.checkpoint.sequence}"
        self._then = {held.block for held in target.blocks}
        self._known = blocks.by_ids(tx, scope.team, list(self._then))
        self._now = now
        self.changed: list[str] = []
        self.left_alone: list[str] = []

    def put_away_later_ones(self) -> None:
        """Put away what the task itself made since; blocks of wider places are not the task's."""
        seen = blocks.seen(self._tx, self._scope.team, seen_by(self._scope), limit=MOST_BLOCKS)
        for block in seen:
            later = block.id not in self._then and block.place.task == self._scope.task
            if later and self._allowed(block):
                gone = replace(block, deleted_at=self._now)
                self._changes.put(self._tx, self._scope, gone, Change.ROLLBACK)
                self.changed.append(block.label)

    def bring_back(self, held: HeldBlock) -> None:
        """Give a block the limit and value of then, and undelete it if its label is free."""
        block = self._known[held.block]
        value = self._changes.version(self._tx, block, held.version).value
        same = (block.value, block.limit, block.deleted_at) == (value, held.limit, None)
        if same or not self._allowed(block):
            return
        if block.deleted_at is not None:
            self._changes.require_free(self._tx, block)
        then = replace(block, limit=held.limit, deleted_at=None)
        if value == block.value:
            self._changes.put(self._tx, self._scope, then, Change.ROLLBACK)
        else:
            edit = Edit(Change.ROLLBACK, (), lambda _: value, self._reason)
            self._changes.written(self._tx, self._scope, then, value, edit)
        self.changed.append(block.label)

    def _allowed(self, block: Block) -> bool:
        if block.read_only and self._scope.agent:
            self.left_alone.append(block.label)
            return False
        return True
