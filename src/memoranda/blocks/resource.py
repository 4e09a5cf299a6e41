"""Methods for blocks, their sharing and agents."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from memoranda.agents import table as agents
from memoranda.clock import MICROSECONDS
from memoranda.exceptions import NotFound, StorageError
from memoranda.measurement import count_one, measured
from memoranda.page import Page, checked_limit, page_of
from memoranda.resource import Resource, member

if TYPE_CHECKING:
    from memoranda.agents.model import Agent, AttachedBlock
    from memoranda.blocks.changes import NewBlock
    from memoranda.blocks.model import Block, BlockHolder, BlockVersion, PromptForm

# What blocks are made of is loaded when the first one is asked for: a search need not pay for it.
SEEN_ANEW = 3_600 * MICROSECONDS
"""Minimum age of an agent's last recorded visit before another is written."""


class BlocksResource(Resource):
    """Blocks, named by label or id; ``workspace`` and ``task`` set the place.

    Of several with one label, that of the narrowest place is used: the task's own, then the
    agent's, then one that is shared with it, the workspace's, the team's. The blocks that every
    task has (persona, project, task, learned) are created when they are first requested.
    """

    @measured("create_block", count_one)
    def block_create(
        self, block: NewBlock, *, workspace: str | None = None, task: str | None = None
    ) -> Block:
        """Create a block for the task if set, else for the workspace or the team.

        Raises:
            Conflict: there is one with this label in the place.
            InvalidInput: the label is not valid, or the value is longer than the limit.
        """
        scope = self._within(workspace, task, new=not task)
        return self._rooms.blocks.create(scope, block)

    def blocks(
        self,
        *,
        workspace: str | None = None,
        task: str | None = None,
        deleted: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Block]:
        """Return the blocks of a place by label, or its ``deleted`` ones."""
        scope = self._within(workspace, task)
        if task and not deleted:
            self._rooms.blocks.ensure_defaults(scope)
        return self._rooms.blocks.list(scope, cursor=cursor, limit=limit, deleted=deleted)

    def block(self, label: str, *, workspace: str | None = None, task: str | None = None) -> Block:
        """Return one block with its value.

        Raises:
            NotFound: there is none here; the message names those that exist.
        """
        scope = self._within(workspace, task)
        if scope.task:
            self._rooms.blocks.ensure_defaults(scope)
        return self._rooms.blocks.get(scope, label)

    @measured("edit_block", count_one)
    def block_replace(
        self,
        label: str,
        old_string: str,
        new_string: str,
        *,
        replace_all: bool = False,
        workspace: str | None = None,
        task: str | None = None,
        reason: str = "",
        version: int | None = None,
    ) -> Block:
        """Replace a text that occurs once in a block, or each occurrence.

        Raises:
            InvalidInput: the text does not occur (the message has the value), or more than once (it
                has the lines), or the result is longer than the limit.
            Conflict: ``version`` is passed and is not the newest; the message has the newest value.
            Forbidden: the block is read-only, and the caller an agent.
        """
        from memoranda.blocks.edit_kinds import replacement

        edit = replacement(old_string, new_string, every=replace_all).noted(reason, version)
        return self._rooms.blocks.edit(self._within(workspace, task), label, edit)

    @measured("edit_block", count_one)
    def block_insert(
        self,
        label: str,
        new_string: str,
        *,
        insert_line: int = -1,
        insert_after: str | None = None,
        workspace: str | None = None,
        task: str | None = None,
        reason: str = "",
        version: int | None = None,
    ) -> Block:
        """Add lines to a block.

        They are added after line ``insert_line`` (0 start, -1 end) or after the line with a text.

        Raises as `block_replace`.
        """
        from memoranda.blocks.edit_kinds import insertion

        edit = insertion(new_string, line=insert_line, after=insert_after).noted(reason, version)
        return self._rooms.blocks.edit(self._within(workspace, task), label, edit)

    @measured("edit_block", count_one)
    def block_rethink(
        self,
        label: str,
        new_memory: str,
        *,
        workspace: str | None = None,
        task: str | None = None,
        reason: str = "",
        version: int | None = None,
    ) -> Block:
        """Replace the whole value of a block. Raises as `block_replace`."""
        from memoranda.blocks.edit_kinds import rewriting

        edit = rewriting(new_memory).noted(reason, version)
        return self._rooms.blocks.edit(self._within(workspace, task), label, edit)

    @measured("edit_block", count_one)
    def block_patch(
        self,
        label: str,
        patch: str,
        *,
        workspace: str | None = None,
        task: str | None = None,
        reason: str = "",
        version: int | None = None,
    ) -> Block:
        """Apply the hunks of a unified diff to a block. Raises as `block_replace`."""
        from memoranda.blocks.edit_kinds import patching

        edit = patching(patch).noted(reason, version)
        return self._rooms.blocks.edit(self._within(workspace, task), label, edit)

    @measured("edit_block", count_one)
    def block_configure(
        self,
        label: str,
        *,
        rename: str | None = None,
        description: str | None = None,
        limit: int | None = None,
        read_only: bool | None = None,
        workspace: str | None = None,
        task: str | None = None,
    ) -> Block:
        """Change a block's label, description, limit or write protection.

        Raises:
            InvalidInput: the limit is below the size of the value.
            Conflict: the new label is taken.
            Forbidden: an agent changes a read-only block, or makes one read-only.
        """
        return self._rooms.blocks.configure(
            self._within(workspace, task),
            label,
            rename=rename,
            description=description,
            limit=limit,
            read_only=read_only,
        )

    def block_history(
        self,
        label: str,
        *,
        workspace: str | None = None,
        task: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[BlockVersion]:
        """Return all versions of a block, newest first, with author and reason.

        Each version has its time.
        """
        scope = self._within(workspace, task)
        return self._rooms.blocks.history(scope, label, cursor=cursor, limit=limit)

    def block_diff(
        self,
        label: str,
        old: int,
        new: int | None = None,
        *,
        workspace: str | None = None,
        task: str | None = None,
    ) -> str:
        """Return the changes between two versions as a unified diff.

        By default up to the newest version.
        """
        return self._rooms.blocks.diff(self._within(workspace, task), label, old, new)

    @measured("edit_block", count_one)
    def block_restore(
        self,
        label: str,
        version: int,
        *,
        workspace: str | None = None,
        task: str | None = None,
        reason: str = "",
    ) -> Block:
        """Set a block to the value of an earlier version, as a new version."""
        return self._rooms.blocks.restore(self._within(workspace, task), label, version, reason)

    @measured("delete_block", count_one)
    def block_delete(
        self, label: str, *, workspace: str | None = None, task: str | None = None
    ) -> Block:
        """Delete a block; its values are kept, and `block_undelete` restores it."""
        return self._rooms.blocks.delete(self._within(workspace, task), label)

    @measured("edit_block", count_one)
    def block_undelete(
        self, label: str, *, workspace: str | None = None, task: str | None = None
    ) -> Block:
        """Restore a deleted block."""
        return self._rooms.blocks.undelete(self._within(workspace, task), label)

    def block_attach(
        self,
        label: str,
        agent: str,
        *,
        role: str = "",
        workspace: str | None = None,
        task: str | None = None,
    ) -> tuple[BlockHolder, ...]:
        """Attach a shared block to an agent; return all holders."""
        self._rooms.sanitiser.checked_name("the id of an agent", agent)
        return self._rooms.sharing.attach(self._within(workspace, task), label, agent, role)

    def block_detach(
        self, label: str, agent: str, *, workspace: str | None = None, task: str | None = None
    ) -> tuple[BlockHolder, ...]:
        """Detach a shared block from an agent; return the remaining holders."""
        return self._rooms.sharing.detach(self._within(workspace, task), label, agent)

    def block_holders(
        self, label: str, *, workspace: str | None = None, task: str | None = None
    ) -> tuple[BlockHolder, ...]:
        """Return the holders of a shared block."""
        return self._rooms.sharing.holders(self._within(workspace, task), label)

    def block_prompt(
        self,
        *,
        workspace: str | None = None,
        task: str | None = None,
        form: PromptForm | str = "xml",
    ) -> str:
        """Render the blocks of a place for a prompt.

        They are escaped so that no value can forge another block.
        """
        from memoranda.blocks import prompt as rendering
        from memoranda.blocks.model import PromptForm
        from memoranda.blocks.prompt import BlockText

        listed = self.blocks(workspace=workspace, task=task, limit=1_000)
        texts = [
            BlockText(one.label, one.description, one.value, one.limit, one.read_only)
            for one in listed
        ]
        if member(PromptForm, form) is PromptForm.XML:
            return rendering.as_xml(texts)
        return rendering.as_markdown(texts)

    def _note_agent(self, id: str) -> None:
        """Record that an agent was seen, at most once an hour.

        A store that cannot be written is no reason not to open it.

        Raises:
            InvalidInput: it is a new one, and its id reads like a secret.
        """
        team, now = self._scope.team, self._rooms.clock.now()
        known = self._database.read(lambda tx: agents.by_id(tx, team, id))
        if known is None:
            self._rooms.sanitiser.checked_name("the id of an agent", id)
        if known is None or now - known.last_seen_at > SEEN_ANEW:
            with suppress(StorageError):
                self._database.write(lambda tx: agents.record_seen(tx, team, id, now))

    def agents(self, *, cursor: str | None = None, limit: int = 50) -> Page[Agent]:
        """Return the agents that were seen, sorted by id."""
        checked_limit(limit)
        team = self._scope.team
        found = self._database.read(
            lambda tx: agents.listed(tx, team, after=cursor or "", limit=limit + 1)
        )
        return page_of(found, limit, lambda one: one.id)

    def agent(self, id: str) -> Agent:
        """Return one agent.

        Raises:
            NotFound: no agent of that id was ever seen.
        """
        found = self._database.read(lambda tx: agents.by_id(tx, self._scope.team, id))
        if found is None:
            raise NotFound(f"no agent {id!r}; `memoranda agent list` shows them")
        return found

    def agent_blocks(self, id: str) -> tuple[AttachedBlock, ...]:
        """Return the shared blocks that an agent holds, and its role in each."""
        return tuple(
            self._database.read(lambda tx: agents.attached_blocks(tx, self._scope.team, id))
        )
