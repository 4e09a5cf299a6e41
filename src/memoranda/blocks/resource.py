"""Hold: blocks, who shares them, and the agents that act."""

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
"""How old the note of an agent's last visit gets before another is written."""


class BlocksResource(Resource):
    """Blocks are named by their label, or by their id; ``workspace`` and ``task`` say where.

    Of several with one label, that of the narrowest place is meant: the task's own, then the
    agent's, then one that is shared with it, the workspace's, the team's. The blocks that every
    task has (persona, project, task, learned) are made when they are first asked for.
    """

    @measured("create_block", count_one)
    def block_create(
        self, block: NewBlock, *, workspace: str | None = None, task: str | None = None
    ) -> Block:
        """Make a block. With a task it is the task's, else the workspace's, else the team's.

        Raises:
            Conflict: there is one with this label in the place.
            InvalidInput: the label is none, or the value is longer than the limit.
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
        """Return the blocks of a place by label; with ``deleted`` those that were put away."""
        scope = self._within(workspace, task)
        if task and not deleted:
            self._rooms.blocks.ensure_defaults(scope)
        return self._rooms.blocks.list(scope, cursor=cursor, limit=limit, deleted=deleted)

    def block(self, label: str, *, workspace: str | None = None, task: str | None = None) -> Block:
        """Return one block with its value.

        Raises:
            NotFound: there is none here; the message names those that are.
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
        """Put a text in the place of another that occurs once, or of each occurrence.

        Raises:
            InvalidInput: the text is not there (the message has what is), or more than once (it
                has the lines), or the result is longer than the limit.
            Conflict: ``version`` was given and is not the newest; the message has what is.
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
        """Add lines: after line ``insert_line`` (0 start, -1 end) or after the line with a text.

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
        """Write a block anew. Raises as `block_replace`."""
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
        """Change what a block is called, tells of itself or may hold.

        Raises:
            InvalidInput: the limit is below the size of the value.
            Conflict: the new label is taken.
            Forbidden: an agent asks for a read-only block, or for it to be one.
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
        """Return every value that a block has and had, newest first: who, why, when."""
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
        """Return what changed from one version to another, or to the newest, as a unified diff."""
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
        """Give a block the value of an earlier version, as a new version."""
        return self._rooms.blocks.restore(self._within(workspace, task), label, version, reason)

    @measured("delete_block", count_one)
    def block_delete(
        self, label: str, *, workspace: str | None = None, task: str | None = None
    ) -> Block:
        """Put a block away; its values stay, and `block_undelete` brings it back."""
        return self._rooms.blocks.delete(self._within(workspace, task), label)

    @measured("edit_block", count_one)
    def block_undelete(
        self, label: str, *, workspace: str | None = None, task: str | None = None
    ) -> Block:
        """Bring back a block that was deleted."""
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
        """Have an agent hold a shared block; return all who do."""
        self._rooms.sanitiser.checked_name("the id of an agent", agent)
        return self._rooms.sharing.attach(self._within(workspace, task), label, agent, role)

    def block_detach(
        self, label: str, agent: str, *, workspace: str | None = None, task: str | None = None
    ) -> tuple[BlockHolder, ...]:
        """Have an agent no longer hold a shared block; return who still does."""
        return self._rooms.sharing.detach(self._within(workspace, task), label, agent)

    def block_holders(
        self, label: str, *, workspace: str | None = None, task: str | None = None
    ) -> tuple[BlockHolder, ...]:
        """Return who holds a shared block."""
        return self._rooms.sharing.holders(self._within(workspace, task), label)

    def block_prompt(
        self,
        *,
        workspace: str | None = None,
        task: str | None = None,
        form: PromptForm | str = "xml",
    ) -> str:
        """Render the blocks of a place for a prompt, so that no value can forge another block."""
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
        """Note that an agent was seen, at most once an hour; a store that cannot be written is no
        reason not to open it.

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
        """Return the agents that were seen, in the order of their ids."""
        checked_limit(limit)
        team = self._scope.team
        found = self._database.read(
            lambda tx: agents.listed(tx, team, after=cursor or "", limit=limit + 1)
        )
        return page_of(found, limit, lambda one: one.id)

    def agent(self, id: str) -> Agent:
        """Return one agent.

        Raises:
            NotFound: none of that id was ever seen.
        """
        found = self._database.read(lambda tx: agents.by_id(tx, self._scope.team, id))
        if found is None:
            raise NotFound(f"no agent {id!r}; `memoranda agent list` shows them")
        return found

    def agent_blocks(self, id: str) -> tuple[AttachedBlock, ...]:
        """Return the shared blocks that an agent holds, and in which role."""
        return tuple(
            self._database.read(lambda tx: agents.attached_blocks(tx, self._scope.team, id))
        )
