"""A LlamaIndex memory block: context from earlier work, within a budget.

Memory.from_defaults(memory_blocks=[MemorandaMemoryBlock(memory, workspace="shop")])
"""

from __future__ import annotations

from typing import Any

from anyio.to_thread import run_sync

from memoranda.integrations.event_capture import named_task
from memoranda.integrations.version_check import supported

with supported("llama-index-core", "0.14", "0.15"):
    from llama_index.core.llms import ChatMessage, MessageRole
    from llama_index.core.memory.memory import BaseMemoryBlock
    from pydantic import PrivateAttr

from memoranda.exceptions import NotFound
from memoranda.memory import Memoranda
from memoranda.observations.model import ObservationType

BUDGET = 1_000
"""Default token limit of the context."""


class MemorandaMemoryBlock(BaseMemoryBlock[str]):
    """Memory block for messages that leave the short-term memory.

    The block returns the context for the newest question.
    """

    _memory: Memoranda = PrivateAttr()
    _workspace: str = PrivateAttr()
    _budget: int = PrivateAttr()

    def __init__(
        self,
        memory: Memoranda,
        *,
        workspace: str,
        budget: int = BUDGET,
        name: str = "memoranda",
        priority: int = 0,
        **fields: Any,
    ) -> None:
        """Store messages in a workspace of an open memory, without closing it.

        Args:
            budget: maximum number of tokens of the context; it is never exceeded.
            priority: 0 always keeps the block; with another value LlamaIndex may leave it out.
        """
        super().__init__(name=name, priority=priority, **fields)
        self._memory = memory
        self._workspace = workspace
        self._budget = budget

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """Return the context for a person's newest message."""
        questions = [item.content or "" for item in messages or () if item.role is MessageRole.USER]
        return await run_sync(self._context_text, questions[-1] if questions else None)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Store messages verbatim; skip those without text."""
        for message in messages:
            if text := (message.content or "").strip():
                session = str(message.additional_kwargs.get("session_id") or "llama-index")
                await run_sync(self._keep, f"{message.role.value}: {text}", session)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Omit the block if it does not fit the budget.

        A truncated context could lack critical facts.
        """
        return None

    def _context_text(self, query: str | None) -> str:
        try:
            context = self._memory.context(
                query=query, workspace=self._workspace, budget=self._budget
            )
        except NotFound:  # nothing is stored in this workspace yet
            return ""
        return context.text

    def _keep(self, text: str, session: str) -> None:
        self._memory.observe(
            text,
            type=ObservationType.MESSAGE,
            task=named_task(self._memory, session, self._workspace),
            workspace=self._workspace,
        )
