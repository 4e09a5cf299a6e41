"""Patcher that applies a patch to several blocks in one transaction."""

from __future__ import annotations

from dataclasses import replace

from memoranda.blocks import places as block_places, table as blocks
from memoranda.blocks.block_edits import BlockEdit
from memoranda.blocks.block_writer import BlockChanges, NewBlock, require_writable
from memoranda.blocks.model import Block, BlockChangeKind, BlockPlace, checked_label
from memoranda.blocks.patch_parser import (
    AddedBlock,
    BlockChange,
    DeletedBlock,
    RenamedBlock,
    UpdatedBlock,
    patched,
)
from memoranda.clock import Clock
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

MAXIMUM = 200
"""Maximum number of blocks that a patch can refer to."""


class BlockPatcher:
    """Adds, changes, renames and deletes several blocks, all or none."""

    def __init__(self, database: Database, changes: BlockChanges, clock: Clock) -> None:
        self._database = database
        self._changes = changes
        self._clock = clock

    def apply(self, scope: Scope, patch: str, reason: str = "") -> tuple[Block, ...]:
        """Apply a patch; return the affected blocks in patch order.

        New blocks belong to the workspace, task or agent of the scope.

        Raises:
            InvalidInput: the patch cannot be parsed, does not match a text, or a text exceeds its
                limit.
            NotFound: a block that the patch names does not exist.
            Conflict: a label that the patch adds or renames a block to is taken.
            Forbidden: a block is read-only, and the caller is an agent.
        """
        cleaned = self._changes.clean(patch)

        def work(tx: Transaction) -> tuple[Block, ...]:
            seen = blocks.visible(tx, scope.team, block_places.visible_to(scope), limit=MAXIMUM)
            labels = dict.fromkeys(block.label for block in seen)
            by_label = {label: block_places.find_block(tx, scope, label) for label in labels}
            values = {label: block.value for label, block in by_label.items()}
            steps = patched(values, cleaned).changes
            return tuple(self._carry_out(tx, scope, step, by_label, reason) for step in steps)

        return self._database.write(work)

    def _carry_out(
        self,
        tx: Transaction,
        scope: Scope,
        step: BlockChange,
        by_label: dict[str, Block],
        reason: str,
    ) -> Block:
        if isinstance(step, AddedBlock):
            new = NewBlock(checked_label(step.label), step.value)
            block_place = BlockPlace(scope.workspace, scope.task)
            by_label[step.label] = self._changes.created(tx, scope, new, block_place)
            return by_label[step.label]
        block = by_label.pop(step.label)
        require_writable(scope, block)
        if isinstance(step, UpdatedBlock):
            edit = BlockEdit(BlockChangeKind.PATCH, (step.value,), lambda _, value: value, reason)
            by_label[step.label] = self._changes.edited(tx, scope, block, edit)
            return by_label[step.label]
        if isinstance(step, RenamedBlock):
            named = replace(block, label=checked_label(step.new_label))
            self._changes.require_free(tx, scope, named)
            by_label[step.new_label] = self._changes.put(tx, scope, named, "rename")
            return by_label[step.new_label]
        assert isinstance(step, DeletedBlock)
        gone = replace(block, deleted_at=self._clock.now())
        return self._changes.put(tx, scope, gone, "delete")
