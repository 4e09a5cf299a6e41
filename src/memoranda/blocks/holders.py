"""Attaching shared blocks to agents."""

from __future__ import annotations

from memoranda.agents import table as agents
from memoranda.agents.model import checked_id
from memoranda.blocks import places as block_places, table as blocks
from memoranda.blocks.block_writer import BlockChanges
from memoranda.blocks.model import Block, BlockHolder
from memoranda.clock import Clock
from memoranda.exceptions import Forbidden, InvalidInput
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.text import clip, one_line

ROLE = 60
"""Maximum number of characters of a role."""


class BlockHolders:
    """Attaches shared blocks to agents; all holders see a change immediately."""

    def __init__(self, database: Database, changes: BlockChanges, clock: Clock) -> None:
        self._database = database
        self._changes = changes
        self._clock = clock

    def attach(
        self, scope: Scope, label: str, agent: str, role: str = ""
    ) -> tuple[BlockHolder, ...]:
        """Attach a shared block to an agent; return all holders.

        A repeated call changes the role.

        Raises:
            InvalidInput: the block is not shared.
        """
        agent = checked_id(agent)
        role = clip(one_line(self._changes.clean(role)), ROLE)

        def work(tx: Transaction) -> tuple[BlockHolder, ...]:
            block, now = self._shared(tx, scope, label), self._clock.now()
            self._changes.require_unprotected(tx, scope, block)
            agents.record_seen(tx, scope.team, agent, now)
            blocks.attach(tx, scope.team, block.id, BlockHolder(agent, role, now))
            self._changes.put(tx, scope, block, "attach")
            return tuple(blocks.holders(tx, scope.team, block.id))

        return self._database.write(work)

    def detach(self, scope: Scope, label: str, agent: str) -> tuple[BlockHolder, ...]:
        """Detach a shared block from an agent; return the remaining holders.

        An agent can only detach itself.

        Raises:
            Forbidden: an agent tries to detach another agent.
        """
        agent = checked_id(agent)
        if scope.agent not in (None, agent):
            raise Forbidden("an agent can only detach a block from itself")

        def work(tx: Transaction) -> tuple[BlockHolder, ...]:
            block = self._shared(tx, scope, label)
            if blocks.detach(tx, scope.team, block.id, agent):
                self._changes.put(tx, scope, block, "detach")
            return tuple(blocks.holders(tx, scope.team, block.id))

        return self._database.write(work)

    def holders(self, scope: Scope, label: str) -> tuple[BlockHolder, ...]:
        """Return the holders of a shared block."""

        def work(tx: Transaction) -> tuple[BlockHolder, ...]:
            block = block_places.find_block(tx, scope, label)
            return tuple(blocks.holders(tx, scope.team, block.id))

        return self._database.read(work)

    def _shared(self, tx: Transaction, scope: Scope, label: str) -> Block:
        block = self._changes.found(tx, scope, label)
        if not block.place.shared:
            raise InvalidInput(f"{block.label!r} is not shared; only shared blocks can be attached")
        return block
