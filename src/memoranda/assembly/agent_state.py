"""What holds, put together."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.assembly.open_store import StoreContext
from memoranda.working.model import LONGEST

if TYPE_CHECKING:
    from memoranda.blocks.changes import BlockChanges
    from memoranda.blocks.editor import Blocks
    from memoranda.blocks.holders import BlockHolders
    from memoranda.blocks.patch import BlockPatcher
    from memoranda.blocks.usage import BlockUsage
    from memoranda.checkpoints.forks import Forks
    from memoranda.checkpoints.snapshots import Checkpoints
    from memoranda.conversations.messages import Conversations
    from memoranda.documents.documents import Documents
    from memoranda.ports import Cache, WorkingMemory
    from memoranda.store.redis.server import RedisServer
    from memoranda.tasks.resumption import Resumptions


class AgentStateServices(StoreContext):
    """Blocks, checkpoints, conversations and what tasks note down."""

    @cached_property
    def _block_changes(self) -> BlockChanges:
        from memoranda.blocks.changes import BlockChanges

        return BlockChanges(self.counter, lambda: self.sanitiser, self.clock, self.ids)

    @cached_property
    def blocks(self) -> Blocks:
        """What agents edit."""
        from memoranda.blocks.editor import Blocks

        return Blocks(self.database, self._block_changes, self.clock)

    @cached_property
    def patching(self) -> BlockPatcher:
        """What changes several blocks at once."""
        from memoranda.blocks.patch import BlockPatcher

        return BlockPatcher(self.database, self._block_changes, self.clock)

    @cached_property
    def documents(self) -> Documents:
        """What programs keep."""
        from memoranda.documents.documents import Documents

        return Documents(self.database, self.clock)

    @cached_property
    def crowding(self) -> BlockUsage:
        """What offers nearly full blocks for compression."""
        from memoranda.blocks.usage import BlockUsage

        return BlockUsage(self.database, self.clock)

    @cached_property
    def sharing(self) -> BlockHolders:
        """Who holds what."""
        from memoranda.blocks.holders import BlockHolders

        return BlockHolders(self.database, self._block_changes, self.clock)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        """What can be gone back to."""
        from memoranda.checkpoints.snapshots import Checkpoints

        return Checkpoints(
            self.database, self._block_changes, lambda: self.sanitiser, self.clock, self.ids
        )

    @cached_property
    def forks(self) -> Forks:
        """What can be gone on from."""
        from memoranda.checkpoints.forks import Forks

        return Forks(self.database, self._block_changes, self.checkpoints, self.clock, self.ids)

    @cached_property
    def resumptions(self) -> Resumptions:
        """What is needed to go on with a task."""
        from memoranda.tasks.resumption import Resumptions

        return Resumptions(self.database, self.blocks, self.checkpoints)

    @cached_property
    def redis(self) -> RedisServer | None:
        """The server for what may be lost, if there is one; connected when it is first needed."""
        if not self.settings.redis_url:
            return None
        from memoranda.store.redis.server import RedisServer

        return RedisServer(self.settings.redis_url, self.clock)

    @cached_property
    def working(self) -> WorkingMemory:
        """What tasks note down for a while."""
        from memoranda.working.entries import TableWorkingMemory

        if self.redis is None:
            return TableWorkingMemory(self.database, self.clock)
        from memoranda.store.redis.working import RedisWorkingMemory
        from memoranda.working.fallback import FallbackWorkingMemory

        table = TableWorkingMemory(self.database, self.clock, keep=LONGEST)
        server = RedisWorkingMemory(self.redis, self.clock)
        return FallbackWorkingMemory(server, table, self.clock)

    @cached_property
    def conversations(self) -> Conversations:
        """What was said, with the older part in fewer words.

        Raises:
            InvalidInput: the shares of the window contradict each other.
        """
        from memoranda.conversations.messages import Conversations
        from memoranda.conversations.model import CompactionMode, CompactionRules
        from memoranda.conversations.summary import FactSummariser

        settings = self.settings
        rules = CompactionRules(
            settings.context_window,
            settings.compaction_enabled,
            CompactionMode(settings.compaction_mode),
            settings.compaction_window_percentage,
            settings.compaction_trigger_threshold,
            settings.compaction_clip_chars,
        )
        summariser = FactSummariser(self.counter)
        return Conversations(self.database, self.counter, self.clock, summariser, rules)

    @cached_property
    def cache(self) -> Cache:
        """What can be had again."""
        if self.redis is None:
            from memoranda.store.cache import ProcessCache

            return ProcessCache(self.clock)
        from memoranda.store.redis.cache import RedisCache

        return RedisCache(self.redis)
