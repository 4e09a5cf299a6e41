"""Methods that create, show, edit, restore and share blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.instrumentation import count_one, measured
from memoranda.operation_declaration import read, write
from memoranda.page import Page
from memoranda.ports import Figures
from memoranda.resource import Resource, member
from memoranda.tasks.reference import TaskReference

if TYPE_CHECKING:
    from memoranda.blocks.block_writer import NewBlock
    from memoranda.blocks.model import Block, BlockHolder, BlockVersion, CompressedBlock, PromptForm


_REPLACE = {"old_string": "old", "new_string": "new"}
_INSERT = {"new_string": "text", "insert_line": "line", "insert_after": "after"}
"""Former names of arguments, used by the tools that models know."""


def _changed(blocks: tuple[Block, ...]) -> Figures:
    return {"records": len(blocks)}


class BlocksResource(Resource):
    """``memory.blocks``: labelled texts that an agent has in context and may edit.

    A block is identified by label or id; ``workspace`` and ``task`` set the scope. If several
    blocks have the same label, the one with the narrowest scope is used: the block of the task,
    then of the agent, then one that is shared with the agent, then of the workspace, then of the
    team. The blocks that every task has (persona, project, task, learned) are created when they are
    first requested.
    """

    @write("blocks.create", alias=("block.create",))
    @measured("create_block", count_one)
    def create(
        self, block: NewBlock, *, workspace: str | None = None, task: TaskReference | None = None
    ) -> Block:
        """Create a block for the task, or the workspace, or else the team.

        Raises:
            Conflict: a block of the same owner has this label.
            InvalidInput: the label is not valid or looks like a secret, or the value is longer than
                the limit.
            Forbidden: an agent takes the label of a read-only block or one that looks like it,
                exceeds the largest usual limit, or creates a deleted block again with a higher
                limit.
        """
        self._services.sanitiser.checked_name("the label of a block", block.label)
        scope = self._within(workspace, task, new=not task)
        return self._services.blocks.create(scope, block)

    @read("blocks.list", alias=("block.list",))
    def list(
        self,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        deleted: bool = False,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Block]:
        """List blocks with their size and limit.

        With ``deleted``, the deleted blocks of the same scope are listed.

        Args:
            deleted: list deleted blocks.
        """
        scope = self._within(workspace, task)
        if task and not deleted:
            self._services.blocks.ensure_defaults(scope)
        return self._services.blocks.list(scope, cursor=cursor, limit=limit, deleted=deleted)

    @read("blocks.show", alias=("block.show",))
    def show(
        self, label: str, *, workspace: str | None = None, task: TaskReference | None = None
    ) -> Block:
        """Show a block.

        Raises:
            NotFound: no such block exists in the scope; the message names the blocks that exist.
        """
        scope = self._within(workspace, task)
        if scope.task:
            self._services.blocks.ensure_defaults(scope)
        return self._services.blocks.get(scope, label)

    @read("blocks.prompt", alias=("block.prompt",))
    def prompt(
        self,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        form: PromptForm | str = "xml",
    ) -> str:
        """Show blocks as they appear in a prompt.

        The blocks are escaped so that no value can forge another block.

        Args:
            form: output format.
        """
        from memoranda.blocks import prompt as rendering
        from memoranda.blocks.model import PromptForm
        from memoranda.blocks.places import unshadowing
        from memoranda.blocks.prompt import BlockText

        page = self.list(workspace=workspace, task=task, limit=1_000)
        texts = [
            BlockText(block.label, block.description, block.value, block.limit, block.read_only)
            for block in unshadowing(page.items)
        ]
        if member(PromptForm, form) is PromptForm.XML:
            return rendering.as_xml(texts)
        return rendering.as_markdown(texts)

    @write("blocks.replace", alias=("block.replace",), former=_REPLACE)
    @measured("edit_block", count_one)
    def replace(
        self,
        label: str,
        old: str,
        new: str,
        *,
        replace_all: bool = False,
        workspace: str | None = None,
        task: TaskReference | None = None,
        reason: str = "",
        version: int | None = None,
    ) -> Block:
        """Replace a text that occurs once in a block, or each occurrence.

        Args:
            replace_all: replace every occurrence.
            version: expected version. Default: the newest.

        Raises:
            InvalidInput: the text does not occur (the message contains the value), or occurs more
                than once (the message contains the line numbers), or the result is longer than the
                limit.
            Conflict: ``version`` is passed and is not the newest; the message contains the newest
                value.
            Forbidden: the block is read-only, and the caller is an agent.
        """
        from memoranda.blocks.block_edits import replacement

        edit = replacement(old, new, every=replace_all).noted(reason, version)
        return self._services.blocks.edit(self._within(workspace, task), label, edit)

    @write("blocks.insert", alias=("block.insert",), former=_INSERT)
    @measured("edit_block", count_one)
    def insert(
        self,
        label: str,
        text: str,
        *,
        line: int = -1,
        after: str | None = None,
        workspace: str | None = None,
        task: TaskReference | None = None,
        reason: str = "",
        version: int | None = None,
    ) -> Block:
        """Add lines to a block.

        The lines are added after line ``line`` (0: start, -1: end), or after the line that contains
        the text ``after``.

        Raises the same errors as `replace`.

        Args:
            line: insert after this line; 0: start, -1: end.
            after: insert after the line that contains this text.
            version: expected version. Default: the newest.
        """
        from memoranda.blocks.block_edits import insertion

        edit = insertion(text, line=line, after=after).noted(reason, version)
        return self._services.blocks.edit(self._within(workspace, task), label, edit)

    @write("blocks.rethink", alias=("block.rethink",), former={"new_memory": "text"})
    @measured("edit_block", count_one)
    def rethink(
        self,
        label: str,
        text: str,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        reason: str = "",
        version: int | None = None,
    ) -> Block:
        """Replace the full text of a block.

        Raises the same errors as `replace`.

        Args:
            version: expected version. Default: the newest.
        """
        from memoranda.blocks.block_edits import rewriting

        edit = rewriting(text).noted(reason, version)
        return self._services.blocks.edit(self._within(workspace, task), label, edit)

    @write("blocks.patch", alias=("block.patch",))
    @measured("edit_block", count_one)
    def patch(
        self,
        label: str,
        patch: str,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        reason: str = "",
        version: int | None = None,
    ) -> Block:
        """Apply a unified diff to a block.

        Raises the same errors as `replace`.

        Args:
            version: expected version. Default: the newest.
        """
        from memoranda.blocks.block_edits import patching

        edit = patching(patch).noted(reason, version)
        return self._services.blocks.edit(self._within(workspace, task), label, edit)

    @write("blocks.apply", alias=("block.apply",))
    @measured("edit_block", _changed)
    def apply(
        self,
        patch: str,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        reason: str = "",
    ) -> tuple[Block, ...]:
        """Add, change, rename and delete blocks by one patch.

        The patch is applied completely or not at all.

        Raises:
            InvalidInput: the patch cannot be parsed or does not match a text, or a text would
                exceed its limit.
            NotFound: a block that the patch names does not exist.
            Conflict: a label that the patch adds or renames a block to is taken.
        """
        return self._services.patching.apply(self._within(workspace, task), patch, reason)

    @write("blocks.configure", alias=("block.configure",))
    @measured("edit_block", count_one)
    def configure(
        self,
        label: str,
        *,
        rename: str | None = None,
        description: str | None = None,
        limit: int | None = None,
        read_only: bool | None = None,
        workspace: str | None = None,
        task: TaskReference | None = None,
    ) -> Block:
        """Change a block's label, description, limit or write protection.

        Args:
            rename: new label.
            description: new description.
            limit: maximum number of characters.

        Raises:
            InvalidInput: the limit is below the size of the value.
            Conflict: the new label is taken.
            Forbidden: an agent changes a read-only block, takes the label of one, raises a limit,
                or makes a block read-only.
        """
        return self._services.blocks.configure(
            self._within(workspace, task),
            label,
            rename=rename,
            description=description,
            limit=limit,
            read_only=read_only,
        )

    @write("blocks.compress", alias=("block.compress",))
    def compress(
        self,
        label: str,
        *,
        ratio: float = 2.0,
        apply: bool = False,
        workspace: str | None = None,
        task: TaskReference | None = None,
    ) -> CompressedBlock:
        """Compress a block by extraction; no text is added.

        ``apply`` writes the result. Sentences that state a requirement are kept; decisions, errors
        with their fixes and values are dropped last. A block from which nothing can be removed
        remains unchanged. The former text is kept as a version in the block's history.

        Args:
            ratio: compression ratio.
            apply: write the result instead of only showing it.

        Raises:
            NotFound: there is no such block.
            Conflict: another caller edited the block in the meantime.
            Forbidden: the block is read-only, and the caller is an agent.
        """
        from memoranda.blocks.block_edits import rewriting
        from memoranda.blocks.model import CompressedBlock
        from memoranda.blocks.text_edits import changed_lines
        from memoranda.capture.analysis.constraints import constraints
        from memoranda.compression.model import Passage, PassageSpeaker

        scope = self._within(workspace, task)
        block = self._services.blocks.get(scope, label)
        passage = Passage("1", PassageSpeaker.SYSTEM, block.value, tuple(constraints(block.value)))
        shorter = self.memory.compression._compressed(passage, None, ratio, critical=True)
        value = "\n".join(line.text for line in shorter.lines)
        if not value or len(value) >= block.size:
            value = block.value
        diff = changed_lines(block.value, value)
        if apply and value != block.value:
            edit = rewriting(value).noted(f"compressed {ratio:g} : 1", block.version)
            block = self._services.blocks.edit(scope, label, edit)
        return CompressedBlock(block, value, self._services.counter.count(value), diff)

    @read("blocks.history", alias=("block.history",))
    def history(
        self,
        label: str,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[BlockVersion]:
        """List the versions of a block: who changed it, when and why.

        Each version includes its time.
        """
        scope = self._within(workspace, task)
        return self._services.blocks.history(scope, label, cursor=cursor, limit=limit)

    @read("blocks.diff", alias=("block.diff",))
    def diff(
        self,
        label: str,
        old: int,
        new: int | None = None,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
    ) -> str:
        """Show the changes between two versions of a block.

        By default, the changes up to the newest version are shown.
        """
        return self._services.blocks.diff(self._within(workspace, task), label, old, new)

    @write("blocks.restore", alias=("block.restore",))
    @measured("edit_block", count_one)
    def restore(
        self,
        label: str,
        version: int,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        reason: str = "",
    ) -> Block:
        """Restore an earlier version of a block, as a new version."""
        return self._services.blocks.restore(self._within(workspace, task), label, version, reason)

    @write("blocks.delete", alias=("block.delete",))
    @measured("delete_block", count_one)
    def delete(
        self, label: str, *, workspace: str | None = None, task: TaskReference | None = None
    ) -> Block:
        """Delete a block; its versions are kept.

        `undelete` restores it.
        """
        return self._services.blocks.delete(self._within(workspace, task), label)

    @write("blocks.undelete", alias=("block.undelete",))
    @measured("edit_block", count_one)
    def undelete(
        self, label: str, *, workspace: str | None = None, task: TaskReference | None = None
    ) -> Block:
        """Restore a deleted block."""
        return self._services.blocks.undelete(self._within(workspace, task), label)

    @write("blocks.attach", alias=("block.attach",), former={"agent": "holder"})
    def attach(
        self,
        label: str,
        holder: str,
        *,
        role: str = "",
        workspace: str | None = None,
        task: TaskReference | None = None,
    ) -> tuple[BlockHolder, ...]:
        """Attach a shared block to an agent.

        Return all agents that the block is attached to.

        Args:
            role: role of the agent in the group.
        """
        self._services.sanitiser.checked_name("the id of an agent", holder)
        return self._services.sharing.attach(self._within(workspace, task), label, holder, role)

    @write("blocks.detach", alias=("block.detach",), former={"agent": "holder"})
    def detach(
        self,
        label: str,
        holder: str,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
    ) -> tuple[BlockHolder, ...]:
        """Detach a shared block from an agent.

        Return the other agents that the block is attached to.
        """
        return self._services.sharing.detach(self._within(workspace, task), label, holder)

    @read("blocks.holders", alias=("block.holders",))
    def holders(
        self, label: str, *, workspace: str | None = None, task: TaskReference | None = None
    ) -> tuple[BlockHolder, ...]:
        """List the agents that a shared block is attached to."""
        return self._services.sharing.holders(self._within(workspace, task), label)
