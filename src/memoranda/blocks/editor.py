"""Block service: each edit is one transaction on the newest value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memoranda.blocks import places as block_places, table as blocks, text_edits
from memoranda.blocks.block_edits import BlockEdit
from memoranda.blocks.block_writer import BlockChanges, NewBlock, require_writable
from memoranda.blocks.model import (
    Block,
    BlockChangeKind,
    BlockHolder,
    BlockPlace,
    BlockVersion,
    checked_label,
    checked_limit_of,
)
from memoranda.clock import MICROSECONDS, Clock
from memoranda.exceptions import Forbidden, InvalidInput, NotFound
from memoranda.page import Page, checked_limit, number_of, page_of, place_of
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.text import clip
from memoranda.workspaces.recognition import with_workspace

DESCRIPTION = 1_000
"""Maximum number of characters of a description."""
OWNER = "owner"
"""Role of the agent that created a shared block."""
SEEN_ANEW = 60 * MICROSECONDS
"""Minimum age of the last recorded read before another one is recorded."""


class Blocks:
    """Blocks that are visible in a scope.

    Agents see their own blocks, the blocks of their workspace and task, and the shared blocks
    attached to them; people see all blocks.
    """

    def __init__(self, database: Database, changes: BlockChanges, clock: Clock) -> None:
        self._database = database
        self._changes = changes
        self._clock = clock

    # ------------------------------------------------------------------ reading

    def list(
        self, scope: Scope, *, cursor: str | None = None, limit: int = 50, deleted: bool = False
    ) -> Page[Block]:
        """Return the blocks that are visible in a scope, sorted by label."""
        checked_limit(limit)
        label, _, id = place_of(cursor, first="").rpartition("#")
        where = replace(block_places.visible_to(scope), deleted=deleted)
        found = self._database.read(
            lambda tx: blocks.visible(tx, scope.team, where, after=(label, id), limit=limit + 1)
        )
        return page_of(found, limit, lambda block: f"{block.label}#{block.id}")

    def get(self, scope: Scope, label: str) -> Block:
        """Return a block by its label or id.

        If several blocks have the label, the block with the narrowest scope is returned.

        Raises:
            NotFound: the scope contains no such block.
        """
        block = self._database.read(lambda tx: block_places.find_block(tx, scope, label))
        if scope.agent and self._clock.now() - block.accessed_at > SEEN_ANEW:
            now = self._clock.now()
            self._database.write(lambda tx: blocks.touch(tx, scope.team, [block.id], now))
            return replace(block, accessed_at=now)
        return block

    def history(
        self, scope: Scope, label: str, *, cursor: str | None = None, limit: int = 50
    ) -> Page[BlockVersion]:
        """Return all versions of a block's value, newest first."""
        checked_limit(limit)
        before = number_of(cursor, first=blocks.NEWEST)

        def work(tx: Transaction) -> list[BlockVersion]:
            block = block_places.find_block(tx, scope, label, deleted=None)
            return blocks.history(tx, scope.team, block.id, before=before, limit=limit + 1)

        versions = self._database.read(work)
        return page_of(versions, limit, lambda version: version.version)

    def diff(self, scope: Scope, label: str, old: int, new: int | None = None) -> str:
        """Return the changes between two versions as a unified diff.

        ``new`` is the newest version by default.
        """

        def work(tx: Transaction) -> str:
            block = block_places.find_block(tx, scope, label, deleted=None)
            before = self._changes.version(tx, block, old).value
            if new is None:
                return text_edits.changed_lines(before, block.value)
            return text_edits.changed_lines(before, self._changes.version(tx, block, new).value)

        return self._database.read(work)

    # ------------------------------------------------------------------ making and deleting

    def create(self, scope: Scope, new: NewBlock) -> Block:
        """Create a block in the workspace, task or agent of the scope.

        Raises:
            Conflict: a block of the same owner has this label.
            InvalidInput: the label is not valid, or the value is longer than the limit.
            Forbidden: an agent takes the label of a read-only block or one that looks like it,
                exceeds the largest usual limit, or creates a deleted block again with a higher
                limit.
        """
        _checked_rights(scope, new)
        checked = replace(
            new,
            label=checked_label(self._changes.clean(new.label)),
            value=self._changes.clean(new.value),
            description=clip(self._changes.clean(new.description), DESCRIPTION),
            limit=None if new.limit is None else checked_limit_of(new.limit),
        )

        self._changes.require_permitted_limit(scope, checked)

        def work(tx: Transaction) -> Block:
            there = with_workspace(tx, scope, self._clock.now())
            owner = there.agent if new.private else None
            block_place = BlockPlace(there.workspace, there.task, owner, new.shared)
            block = self._changes.created(tx, there, checked, block_place)
            if block_place.shared and scope.agent:
                holder = BlockHolder(scope.agent, OWNER, block.created_at)
                blocks.attach(tx, scope.team, block.id, holder)
            return block

        return self._database.write(work)

    def ensure_defaults(self, scope: Scope) -> None:
        """Create the missing default blocks of a task. Idempotent."""
        if not scope.task:
            raise InvalidInput("specify a task by its number or id; see `memoranda task list`")
        if self._database.read(lambda tx: block_places.missing_defaults(tx, scope)):
            self._database.write(lambda tx: self._changes.make_defaults(tx, scope))

    def delete(self, scope: Scope, label: str) -> Block:
        """Delete a block; its values are kept so that `undelete` can restore it."""
        return self._settle(scope, label, "delete", {"deleted_at": self._clock.now()})

    def undelete(self, scope: Scope, label: str) -> Block:
        """Restore a deleted block by its label or id.

        Raises:
            NotFound: no such block was deleted.
            Forbidden: the block is read-only, and the caller is an agent.
            Conflict: another block has taken its label in the meantime.
        """

        def work(tx: Transaction) -> Block:
            block = block_places.find_block_or_none(tx, scope, label, deleted=True)
            if block is None:
                there = block_places.find_block(tx, scope, label)
                raise NotFound(f"the block {there.label!r} is not deleted")
            require_writable(scope, block)
            self._changes.require_free(tx, scope, block)
            return self._changes.put(tx, scope, replace(block, deleted_at=None), "undelete")

        return self._database.write(work)

    def configure(
        self,
        scope: Scope,
        label: str,
        *,
        rename: str | None = None,
        description: str | None = None,
        limit: int | None = None,
        read_only: bool | None = None,
    ) -> Block:
        """Change a block's label, description, limit or write protection.

        Raises:
            Forbidden: an agent raises a limit, changes a read-only block, or takes the label of
                one.
            InvalidInput: the limit is below the size of the value.
            Conflict: the new label is taken.
        """
        changes: dict[str, object] = {}
        if rename is not None:
            changes["label"] = checked_label(self._changes.clean(rename))
        if description is not None:
            changes["description"] = clip(self._changes.clean(description), DESCRIPTION)
        if limit is not None:
            changes["limit"] = checked_limit_of(limit)
        if read_only is not None:
            if scope.agent:
                raise Forbidden("only a user may change whether agents can edit a block")
            changes["read_only"] = read_only
        return self._settle(scope, label, "configure", changes)

    # ------------------------------------------------------------------ editing

    def edit(self, scope: Scope, label: str, edit: BlockEdit) -> Block:
        """Change a value; an unchanged result is not stored.

        Raises:
            NotFound: there is no such block in the scope.
            Forbidden: the block is read-only, and the caller is an agent.
            Conflict: the version is not the newest; the message contains the newest value.
            InvalidInput: the edit does not match the text, or the result exceeds the limit.
        """
        cleaned = edit.with_texts(tuple(map(self._changes.clean, edit.texts)))

        def work(tx: Transaction) -> Block:
            block = self._changes.found(tx, scope, label)
            return self._changes.edited(tx, scope, block, cleaned)

        return self._database.write(work)

    def restore(self, scope: Scope, label: str, version: int, reason: str = "") -> Block:
        """Set a block to the value of an earlier version, as a new version."""

        def work(tx: Transaction) -> Block:
            block = self._changes.found(tx, scope, label)
            value = self._changes.version(tx, block, version).value
            edit = BlockEdit(BlockChangeKind.RESTORE, (value,), lambda _, then: then, reason)
            return self._changes.edited(tx, scope, block, edit)

        return self._database.write(work)

    def _settle(
        self, scope: Scope, label: str, operation: str, changes: Mapping[str, object]
    ) -> Block:
        def work(tx: Transaction) -> Block:
            block = self._changes.found(tx, scope, label)
            require_writable(scope, block)
            changed = replace(block, **changes)  # type: ignore[arg-type]
            if changed == block:
                return block
            if scope.agent and changed.limit > block.limit:
                raise Forbidden(f"only a person can raise the limit of a block, {block.limit:,}")
            if changed.limit < block.limit and changed.limit < block.size:
                raise InvalidInput(
                    f"{block.label!r} has {block.size:,} characters; a limit of "
                    f"{changed.limit:,} would truncate the text: shorten the text first"
                )
            if changed.label != block.label:
                self._changes.require_free(tx, scope, changed)
            return self._changes.put(tx, scope, changed, operation)

        return self._database.write(work)


def _checked_rights(scope: Scope, new: NewBlock) -> None:
    if new.private and scope.agent is None:
        raise InvalidInput("a private block needs an agent in its scope")
    if new.private and new.shared:
        raise InvalidInput("a block cannot be both private and shared")
    if new.read_only and scope.agent:
        raise Forbidden("only a user may change whether agents can edit a block")
