"""Constructs the services for blocks, checkpoints and conversations."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.assembly.compression_services import CompressionServices
from memoranda.working.model import MAX_MICROSECONDS

if TYPE_CHECKING:
    from memoranda.blocks.block_writer import BlockChanges
    from memoranda.blocks.editor import Blocks
    from memoranda.blocks.holders import BlockHolders
    from memoranda.blocks.patcher import BlockPatcher
    from memoranda.blocks.usage import BlockUsage
    from memoranda.checkpoints.checkpoint_service import Checkpoints
    from memoranda.checkpoints.forks import Forks
    from memoranda.conversations.conversation_service import Conversations
    from memoranda.documents.document_service import Documents
    from memoranda.ports import WorkingMemory
    from memoranda.scope import Scope
    from memoranda.store.redis.server import RedisServer
    from memoranda.tasks.creation import TaskCreation
    from memoranda.tasks.resumption import Resumptions


class AgentStateServices(CompressionServices):
    """Services for blocks, checkpoints, conversations and working memory."""

    @cached_property
    def _block_changes(self) -> BlockChanges:
        from memoranda.blocks.block_writer import BlockChanges

        limit = self.settings.default_block_limit
        return BlockChanges(self.counter, lambda: self.sanitiser, self.clock, self.ids, limit)

    @cached_property
    def task_creation(self) -> TaskCreation:
        """Service that creates tasks by name."""
        from memoranda.tasks.creation import TaskCreation

        return TaskCreation(self.database, self.sanitiser, self.clock, self.ids)

    @cached_property
    def blocks(self) -> Blocks:
        """Service that edits blocks."""
        from memoranda.blocks.editor import Blocks

        return Blocks(self.database, self._block_changes, self.clock)

    @cached_property
    def patching(self) -> BlockPatcher:
        """Service that changes several blocks at once."""
        from memoranda.blocks.patcher import BlockPatcher

        return BlockPatcher(self.database, self._block_changes, self.clock)

    @cached_property
    def documents(self) -> Documents:
        """Service for documents that programs store."""
        from memoranda.documents.document_service import Documents

        return Documents(self.database, self.clock)

    @cached_property
    def crowding(self) -> BlockUsage:
        """Service that suggests nearly full blocks for compression."""
        from memoranda.blocks.usage import BlockUsage

        return BlockUsage(self.database, self.clock)

    @cached_property
    def sharing(self) -> BlockHolders:
        """Service for the holders of shared blocks."""
        from memoranda.blocks.holders import BlockHolders

        return BlockHolders(self.database, self._block_changes, self.clock)

    @cached_property
    def checkpoints(self) -> Checkpoints:
        """Service for checkpoints, which can be restored."""
        from memoranda.checkpoints.checkpoint_service import Checkpoints

        return Checkpoints(
            self.database, self._block_changes, lambda: self.sanitiser, self.clock, self.ids
        )

    @cached_property
    def forks(self) -> Forks:
        """Service that creates tasks from checkpoints of other tasks."""
        from memoranda.checkpoints.forks import Forks

        return Forks(self.database, self._block_changes, self.checkpoints, self.clock, self.ids)

    @cached_property
    def resumptions(self) -> Resumptions:
        """Service for the state that is needed to resume a task."""
        from memoranda.tasks.resumption import Resumptions

        return Resumptions(self.database, self.blocks, self.checkpoints)

    @cached_property
    def redis(self) -> RedisServer | None:
        """Redis server for data that may be lost; None if none is configured.

        The server is connected when it is first needed.
        """
        if not self.settings.redis_url:
            return None
        from memoranda.store.redis.server import RedisServer

        return RedisServer(self.settings.redis_url, self.clock)

    def unavailable(self) -> str:
        """Return which configured server or model does not respond; empty if none.

        A Redis server that did not respond is retried every few seconds; the model is not retried.
        """
        troubles = []
        if self.redis is not None and not self.redis.answers():
            troubles.append("Redis does not answer; the store is used instead")
        if model := self.settings.language_model:
            from memoranda.models.factory import language_model_problem

            if trouble := language_model_problem(self.settings):
                troubles.append(f"the language model {model} is not used: {trouble}")
        return "; ".join(troubles)

    @cached_property
    def working(self) -> WorkingMemory:
        """Service for temporary notes of tasks."""
        from memoranda.working.table_memory import TableWorkingMemory

        if self.redis is None:
            return TableWorkingMemory(self.database, self.clock)
        from memoranda.store.redis.working import RedisWorkingMemory
        from memoranda.working.fallback import FallbackWorkingMemory

        table = TableWorkingMemory(self.database, self.clock, keep=MAX_MICROSECONDS)
        server = RedisWorkingMemory(self.redis, self.clock)
        return FallbackWorkingMemory(server, table, self.clock)

    @cached_property
    def conversations(self) -> Conversations:
        """Service that reads and compacts conversations.

        Raises:
            InvalidInput: the configured shares of the window contradict each other.
        """
        from memoranda.conversations.conversation_service import Conversations
        from memoranda.conversations.model import CompactionRules
        from memoranda.conversations.summary import FactSummariser
        from memoranda.settings import CompactionMode

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
        return Conversations(
            self.database, self.counter, self.clock, summariser, rules, self._reworded_summary
        )

    def _reworded_summary(self, scope: Scope, summary: str) -> str:
        if not self.settings.compaction_model:
            return summary
        from memoranda.conversations.model_summary import SummaryRewriter

        models = self.rewriters.for_conversations
        return SummaryRewriter(models, self.counter).rewrite(scope, summary)
