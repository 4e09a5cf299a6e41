"""Updates of imported blocks that have since changed in their source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memoranda.archive.other_system_records import ImportedBlock
from memoranda.archive.other_system_updates import UpdateResult, change_reason
from memoranda.blocks import table as blocks
from memoranda.blocks.block_edits import BlockEdit
from memoranda.blocks.block_writer import BlockChanges
from memoranda.blocks.model import MAX_LIMIT, Author, Block, BlockChangeKind
from memoranda.scope import Scope
from memoranda.store.database import Transaction

VERSIONS = 1_000
"""Maximum number of versions of a block that are searched for its last import."""


class ForeignBlockUpdates:
    """Writes a source's new value as the next version of its block.

    A value that was edited in this store is kept.
    """

    def __init__(self, changes: BlockChanges, source: str) -> None:
        """``source`` names the system that the blocks come from."""
        self._changes = changes
        self._source = source

    def update(
        self,
        tx: Transaction,
        scope: Scope,
        known: Sequence[tuple[str, ImportedBlock]],
        *,
        dry_run: bool,
    ) -> UpdateResult:
        """Update stored blocks, passed as pairs of id and imported block."""
        result = UpdateResult()
        stored = blocks.by_ids(tx, scope.team, [id for id, _ in known])
        for id, imported in known:
            value = self._changes.clean(imported.value)
            decision = self._refusal(tx, stored[id], value) if id in stored else None
            if decision == "" and not dry_run:
                self._write(tx, scope, stored[id], imported, value)
            result.count(id, decision, f"{imported.label}: {value}")
        return result

    def _refusal(self, tx: Transaction, block: Block, value: str) -> str | None:
        """Return why a value is refused; "" to write it, None if it is not new."""
        if value == block.value or block.deleted_at is not None:
            return None
        own = {f"from {self._source}", change_reason(self._source)}
        history = blocks.history(tx, block.team, block.id, before=blocks.NEWEST, limit=VERSIONS)
        imported = next((version for version in history if version.reason in own), None)
        if imported is not None and imported.version == block.version:
            return ""
        if imported is not None and imported.value == value:
            return None
        return f"it was edited here, and {change_reason(self._source)}"

    def _write(
        self, tx: Transaction, scope: Scope, block: Block, imported: ImportedBlock, value: str
    ) -> None:
        limit = min(MAX_LIMIT, max(block.limit, imported.limit, len(value)))
        edit = BlockEdit(
            BlockChangeKind.REPLACE, (value,), lambda _, new: new, change_reason(self._source)
        )
        roomier = replace(block, limit=limit)
        self._changes.written(tx, scope, roomier, value, edit, by=Author.SYSTEM)
