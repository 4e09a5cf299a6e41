"""Requests of a session that have no response yet.

The SDK cancels calls in progress when its input ends. A host may close the input after its last
request, so the end of input is passed on only after the responses have been sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

LAST_ANSWERS_SECONDS = 60.0
"""Maximum seconds to wait for responses to requests received before the end of input."""
CANCELLED = "notifications/cancelled"


class PendingAnswers:
    """The outgoing stream, which matches responses to incoming requests."""

    def __init__(self, outgoing: Any) -> None:
        self._outgoing = outgoing
        self._pending = Counter[str | int | None]()
        self._changed = anyio.Event()

    async def awaited(
        self, incoming: AsyncIterable[SessionMessage | Exception]
    ) -> AsyncIterator[SessionMessage | Exception]:
        """Forward incoming messages; end when each request has a response."""
        async for item in incoming:
            self._note(item)
            yield item
        with anyio.move_on_after(LAST_ANSWERS_SECONDS):
            while self._pending.total() > 0:
                await self._changed.wait()

    async def send(self, item: SessionMessage) -> None:
        """Send a message; a response completes its request."""
        await self._outgoing.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
            self._end(item.message.id)

    async def aclose(self) -> None:
        """Close the outgoing stream."""
        self._pending.clear()
        self._wake()
        await self._outgoing.aclose()

    async def __aenter__(self) -> PendingAnswers:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _note(self, item: SessionMessage | Exception) -> None:
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, types.JSONRPCRequest):
            self._pending[message.id] += 1
        elif isinstance(message, types.JSONRPCNotification) and message.method == CANCELLED:
            # the request may never get a response
            self._end((message.params or {}).get("requestId"))

    def _end(self, id: str | int | None) -> None:
        if self._pending[id] > 0:
            self._pending[id] -= 1
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()
