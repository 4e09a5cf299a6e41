"""Operations on blocks within a transaction: find, create, edit, record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from memoranda.blocks import places as block_places, table as blocks
from memoranda.blocks.block_edits import BlockEdit
from memoranda.blocks.model import (
    DEFAULTS,
    FILE_LIMIT,
    FILES,
    LIMIT,
    Author,
    Block,
    BlockChangeKind,
    BlockPlace,
    BlockVersion,
    label_of,
)
from memoranda.clock import Clock
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound, Stale
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.ports import Sanitiser, TokenCounter
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.text import clip, normalise
from memoranda.workspaces import table as workspaces

SHOWN = 2_000
"""Maximum number of characters of a value that an error message quotes."""
REASON = 500


@dataclass(frozen=True, slots=True)
class NewBlock:
    """A block to be created."""

    label: str
    value: str = ""
    description: str = ""
    """Description, shown to agents."""
    limit: int | None = None
    """Maximum number of characters. Default: default_block_limit."""
    read_only: bool = False
    """Make the block read-only for agents."""
    shared: bool = False
    """Make the block visible only to the agents that it is attached to."""
    private: bool = False
    """Make the block visible only to the acting agent."""


class BlockChanges:
    """Changes of blocks within the caller's transaction."""

    def __init__(
        self,
        counter: TokenCounter,
        sanitiser: Callable[[], Sanitiser],
        clock: Clock,
        ids: IdSource,
        usual_limit: int = LIMIT,
    ) -> None:
        self._counter = counter
        self._sanitiser = sanitiser
        self._clock = clock
        self._ids = ids
        self._usual_limit = usual_limit

    def found(self, tx: Transaction, scope: Scope, label: str) -> Block:
        """Return the block with the given label or id in a scope.

        A default block, which every task has, is created if it does not exist.

        Raises:
            NotFound: the scope contains no such block.
            InvalidInput: several blocks of different owners match, and none of them has the
                narrowest scope.
        """
        if scope.task and label_of(label) in DEFAULTS:
            self.make_defaults(tx, scope)
        return block_places.find_block(tx, scope, label)

    def make_defaults(self, tx: Transaction, scope: Scope) -> None:
        """Create the missing default blocks of a task."""
        for label in block_places.missing_defaults(tx, scope):
            usual = DEFAULTS[label]
            new = NewBlock(label, "", usual.description, usual.limit, usual.read_only)
            block_place = block_places.default_place(scope, label)
            self.created(tx, scope, new, block_place, Author.SYSTEM)

    def version(self, tx: Transaction, block: Block, number: int) -> BlockVersion:
        """Return one version of a block.

        Raises:
            NotFound: the block has no version with this number.
        """
        exists = 1 <= number <= block.version
        version = blocks.version(tx, block.team, block.id, number) if exists else None
        if version is None:
            raise NotFound(f"{block.label!r} has no version {number}; it has 1 to {block.version}")
        return version

    def edited(self, tx: Transaction, scope: Scope, block: Block, edit: BlockEdit) -> Block:
        """Change the value of a block that was found in this transaction."""
        require_writable(scope, block)
        self.require_unprotected(tx, scope, block, exists=True)
        if edit.version not in (None, block.version):
            raise Stale(
                f"{block.label!r} has version {block.version} now, not {edit.version}; "
                f"edit this instead:\n{clip(block.value, SHOWN)}"
            )
        value = edit.apply(block.value, *edit.texts)
        if value == block.value:
            return block
        require_room(block, value)
        return self.written(tx, scope, block, value, edit)

    def written(
        self,
        tx: Transaction,
        scope: Scope,
        block: Block,
        value: str,
        edit: BlockEdit,
        by: Author | None = None,
    ) -> Block:
        """Write a value as the next version, regardless of the limit."""
        now = self._clock.now()
        changed = replace(
            block,
            value=value,
            version=block.version + 1,
            tokens=self._counter.count(value),
            author=by or author(scope),
            updated_at=now,
        )
        reason = clip(self.clean(edit.reason), REASON)
        blocks.write(tx, changed, _version(changed, edit.change, scope.agent, reason, now))
        self._journal(tx, scope, changed, edit.change)
        return changed

    def put(self, tx: Transaction, scope: Scope, block: Block, operation: str) -> Block:
        """Store changes of a block's attributes other than its value."""
        block = replace(block, updated_at=self._clock.now())
        blocks.update(tx, block)
        self._journal(tx, scope, block, operation)
        return block

    def created(
        self,
        tx: Transaction,
        scope: Scope,
        new: NewBlock,
        place: BlockPlace,
        by: Author | None = None,
    ) -> Block:
        now = self._clock.now()
        block = Block(
            team=scope.team,
            id=self._ids.new(),
            label=new.label,
            place=place,
            description=new.description,
            value=new.value,
            limit=self._usual_limit if new.limit is None else new.limit,
            read_only=new.read_only,
            version=1,
            tokens=self._counter.count(new.value),
            author=by or author(scope),
            created_at=now,
            updated_at=now,
            accessed_at=now,
        )
        self.require_free(tx, scope, block)
        if by is None:
            self._require_former_limit(tx, scope, block)
        require_room(replace(block, value=""), block.value)
        blocks.insert(tx, block, _version(block, BlockChangeKind.CREATE, scope.agent, "", now))
        self._journal(tx, scope, block, BlockChangeKind.CREATE)
        return block

    def _require_former_limit(self, tx: Transaction, scope: Scope, block: Block) -> None:
        """Refuse an agent's recreation of a deleted block with a higher limit.

        Raises:
            Forbidden: the caller is an agent, and the deleted block had a lower limit.
        """
        if scope.agent is None:
            return
        former = blocks.at_place(tx, block.team, block.place, block.label, deleted=True)
        if former is not None and block.limit > former.limit:
            raise Forbidden(
                f"only a person can raise the limit of a block; {block.label!r} was deleted with "
                f"{former.limit:,}: undelete it, or create it with at most this limit"
            )

    def require_permitted_limit(self, scope: Scope, new: NewBlock) -> None:
        """Refuse an agent's block with a limit above the largest default limit.

        Files of a memory tool have a higher default limit.

        Raises:
            Forbidden: the caller is an agent, and the limit is higher.
        """
        if scope.agent is None or new.limit is None:
            return
        most = max(self._usual_limit, *(usual.limit for usual in DEFAULTS.values()))
        if new.label.startswith(FILES):
            most = max(most, FILE_LIMIT)
        if new.limit > most:
            raise Forbidden(
                f"only a person can create a block with a limit above {most:,}; use a lower limit, "
                "or let a person raise it"
            )

    def require_unprotected(
        self, tx: Transaction, scope: Scope, block: Block, *, exists: bool = False
    ) -> None:
        """Refuse an agent's block that would shadow a read-only block.

        A block that is itself read-only is permitted. So is one that ``exists`` under its label if
        no agent created it: a person has made the default block editable.

        Raises:
            Forbidden: the caller is an agent, and a read-only block has the label.
        """
        if scope.agent is None or block.read_only:
            return
        from memoranda.quarantine.normalization import name_skeleton  # rarely needed

        usual = DEFAULTS.get(name_skeleton(block.label))
        reserved = usual and usual.read_only and not (exists and self._is_common(tx, block))
        if reserved or block_places.protected_below(tx, scope, block):
            raise Forbidden(
                f"{block.label!r}, or a label that looks like it, is read-only for agents, and an "
                "agent cannot shadow it with its own block; choose another label"
            )

    def _is_common(self, tx: Transaction, block: Block) -> bool:
        """Return whether a block was created by a person or by default."""
        return self.version(tx, block, 1).author is not Author.AGENT

    def require_free(self, tx: Transaction, scope: Scope, block: Block) -> None:
        """Refuse a label that another block of the same owner has.

        Raises:
            Conflict: another block has the label.
            Forbidden: the caller is an agent, and a read-only block has the label.
        """
        self.require_unprotected(tx, scope, block)
        other = blocks.at_place(tx, block.team, block.place, block.label)
        if other is not None and other.id != block.id:
            raise Conflict(f"a block {block.label!r} already exists here; choose another label")

    def clean(self, text: str) -> str:
        text = normalise(text)
        return self._sanitiser().clean(text) if text.strip() else text

    def _journal(self, tx: Transaction, scope: Scope, block: Block, operation: str) -> None:
        detail = {"version": block.version, "size": block.size}
        actor = scope.actor
        note = journal.NewJournalEntry(
            block.updated_at, actor, f"block {operation}", block.id, detail
        )
        journal.append(tx, block.team, note)
        self._have_rendered(tx, block)

    def _have_rendered(self, tx: Transaction, block: Block) -> None:
        """Enqueue the rendering of prepared contexts that include a block."""
        place = block.place.workspace
        now = self._clock.now()
        for item in [place] if place else workspaces.ids(tx, block.team):
            kind, id = JobKind.RENDER_CONTEXT, self._ids.new()
            jobs.enqueue(tx, Job.waiting(block.team, id, kind, item, now), now)


def author(scope: Scope) -> Author:
    """Return the author of changes in a scope: its agent, or else a person."""
    return Author.AGENT if scope.agent else Author.HUMAN


def require_writable(scope: Scope, block: Block) -> None:
    """Refuse changes of a read-only block by an agent.

    Raises:
        Forbidden: the block is read-only, and the caller is an agent.
    """
    if block.read_only and scope.agent:
        raise Forbidden(f"{block.label!r} is read-only for agents; a person can change it")


def require_room(block: Block, value: str) -> None:
    """Refuse a value longer than the limit, unless it shortens the block.

    Raises:
        InvalidInput: the value is too long; the message states by how much and what to do.
    """
    if len(value) > block.limit and len(value) > block.size:
        raise InvalidInput(
            f"{block.label!r} would have {len(value):,} characters, but its limit"
            f" is {block.limit:,}; "
            f"it now has {block.size:,}: shorten it with `replace` or `rethink`; a person can"
            f" raise the limit"
        )


def _version(
    block: Block, change: BlockChangeKind, agent: str | None, reason: str, now: int
) -> BlockVersion:
    return BlockVersion(
        block=block.id,
        version=block.version,
        value=block.value,
        tokens=block.tokens,
        change=change,
        author=block.author,
        agent=agent,
        reason=reason,
        created_at=now,
    )
