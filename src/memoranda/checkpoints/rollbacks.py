"""Restoring the blocks of a checkpoint within a transaction."""

from __future__ import annotations

from dataclasses import replace

from memoranda.blocks import table as blocks
from memoranda.blocks.block_edits import BlockEdit
from memoranda.blocks.block_writer import BlockChanges
from memoranda.blocks.model import Block, BlockChangeKind
from memoranda.blocks.places import visible_to
from memoranda.checkpoints.model import CheckpointBlock, Snapshot
from memoranda.scope import Scope
from memoranda.store.database import Transaction

MAX_BLOCKS = 1_000


def restore(
    tx: Transaction, changes: BlockChanges, scope: Scope, target: Snapshot, now: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Restore the blocks of a checkpoint.

    Returns the labels of the changed blocks, and the labels of the blocks that an agent may not
    change.
    """
    restoring = _BlockRestorer(tx, changes, scope, target, now)
    restoring.delete_absent_blocks()
    for saved in target.blocks:
        restoring.bring_back(saved)
    return tuple(restoring.changed), tuple(restoring.left_alone)


class _BlockRestorer:
    def __init__(
        self, tx: Transaction, changes: BlockChanges, scope: Scope, target: Snapshot, now: int
    ) -> None:
        self._tx = tx
        self._changes = changes
        self._scope = scope
        self._reason = f"back to checkpoint {target.checkpoint.sequence}"
        self._taken_at = target.checkpoint.created_at
        self._then = {saved.block for saved in target.blocks}
        where = replace(visible_to(scope), deleted=None)
        self._known = blocks.visible_among(tx, scope.team, where, sorted(self._then))
        self._now = now
        self.changed: list[str] = []
        self.left_alone: list[str] = []

    def delete_absent_blocks(self) -> None:
        """Delete blocks that did not exist at the time of the checkpoint.

        Of the task's own blocks, all that did not exist at that time are deleted; of the blocks of
        the workspace and team, only those that were in a deleted state at that time, because others
        may have created the rest since.
        """
        seen = blocks.visible(self._tx, self._scope.team, visible_to(self._scope), limit=MAX_BLOCKS)
        for block in seen:
            own = block.place.task == self._scope.task
            absent = block.id not in self._then and (own or block.created_at < self._taken_at)
            if absent and self._allowed(block):
                gone = replace(block, deleted_at=self._now)
                self._changes.put(self._tx, self._scope, gone, BlockChangeKind.ROLLBACK)
                self.changed.append(block.label)

    def bring_back(self, saved: CheckpointBlock) -> None:
        """Restore the limit and value of a block, and undelete the block.

        The block is undeleted only if its label is free. A block that is not visible in the scope
        is not changed.
        """
        block = self._known.get(saved.block)
        if block is None:
            return
        value = self._changes.version(self._tx, block, saved.version).value
        same = (block.value, block.limit, block.deleted_at) == (value, saved.limit, None)
        if same or not self._allowed(block):
            return
        if block.deleted_at is not None:
            self._changes.require_free(self._tx, self._scope, block)
        then = replace(block, limit=saved.limit, deleted_at=None)
        if value == block.value:
            self._changes.put(self._tx, self._scope, then, BlockChangeKind.ROLLBACK)
        else:
            edit = BlockEdit(BlockChangeKind.ROLLBACK, (), lambda _: value, self._reason)
            self._changes.written(self._tx, self._scope, then, value, edit)
        self.changed.append(block.label)

    def _allowed(self, block: Block) -> bool:
        if block.read_only and self._scope.agent:
            self.left_alone.append(block.label)
            return False
        return True
